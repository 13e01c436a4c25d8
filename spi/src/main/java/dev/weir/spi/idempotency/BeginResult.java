package dev.weir.spi.idempotency;

import java.util.Arrays;

/** The result of {@link ResponseStore#begin}. */
public sealed interface BeginResult {

    /**
     * The request is new. The caller executes it, then {@linkplain ResponseStore#complete completes} or {@linkplain
     * ResponseStore#abandon abandons} it.
     *
     * @param token proves that the caller began the request
     */
    record Begun(String token) implements BeginResult {}

    /** Another caller is executing the request: wait and try again, or respond with 409. */
    record InFlight() implements BeginResult {}

    /** The request was executed before; contains its response. */
    final class Done implements BeginResult {
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
            // Without the response, which may contain anything.
            return "Done[" + response.length + " bytes]";
        }
    }

    /** The key was used for another request: respond with 422. */
    record OtherRequest() implements BeginResult {}
}
