package dev.weir.spi.idempotency;

import java.util.Arrays;

/** What {@link ResponseStore#begin} found. */
public sealed interface Beginning {

    /**
     * Nobody did this before: do it, then {@linkplain ResponseStore#complete complete} or
     * {@linkplain ResponseStore#abandon abandon} it.
     *
     * @param token what shows that it is you
     */
    record Begun(String token) implements Beginning {}

    /** Somebody is at it: wait and ask again, or answer 409. */
    record InFlight() implements Beginning {}

    /** It was done before, and this was the response. */
    final class Done implements Beginning {
        private final byte[] response;

        public Done(byte[] response) {
            this.response = response.clone();
        }

        public byte[] response() {
            return response.clone();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Done done && Arrays.equals(response, done.response);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(response);
        }

        @Override
        public String toString() {
            // Not what was answered: it may be anything.
            return "Done[" + response.length + " bytes]";
        }
    }

    /** The key was used for another request: answer 422. */
    record OtherRequest() implements Beginning {}
}
