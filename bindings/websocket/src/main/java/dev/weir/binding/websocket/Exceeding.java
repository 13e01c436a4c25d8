package dev.weir.binding.websocket;

import java.util.function.BiConsumer;

/** What the pipeline does about a message that exceeds a limit. The handler never gets such a message. */
public sealed interface Exceeding {

    /** Sends a message to the client. */
    static Exceeding send() {
        return new Send();
    }

    /** Closes the connection with 1013, "try again later". */
    static Exceeding close() {
        return new Close(1013);
    }

    /** Closes the connection with this code. */
    static Exceeding close(int code) {
        return new Close(code);
    }

    /** Calls the application where messages are handled, in their order. Nothing is sent automatically. */
    static Exceeding custom(BiConsumer<LimitExceeded, Connection> action) {
        return new Custom(action);
    }

    record Send() implements Exceeding {}

    record Close(int code) implements Exceeding {
        public Close {
            if (code < 1000 || code > 4999) {
                throw new IllegalArgumentException("code is " + code + "; it must be 1000 to 4999");
            }
        }
    }

    record Custom(BiConsumer<LimitExceeded, Connection> action) implements Exceeding {}
}
