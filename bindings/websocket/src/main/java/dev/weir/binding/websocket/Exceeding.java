package dev.weir.binding.websocket;

import java.util.function.BiConsumer;

/** What is done about a message that exceeds a limit, besides that its handler never sees it. */
public sealed interface Exceeding {

    /** The client is told by a message. */
    static Exceeding send() {
        return new Send();
    }

    /** The connection is closed with 1013, "try again later". */
    static Exceeding close() {
        return new Close(1013);
    }

    /** The connection is closed. */
    static Exceeding close(int code) {
        return new Close(code);
    }

    /** The application does it; nothing is sent by itself. It is called where messages are handled, in their order. */
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
