package dev.weir.binding.servlet;

/** Called with each part of a response's body before it is sent. */
interface BodyObserver {
    /** The length of a body whose length the application has not set. */
    long UNKNOWN = -1;

    /** An observer that does nothing. */
    BodyObserver NONE = new BodyObserver() {};

    /** Called with the content length. The container sends the response with the last byte. */
    default void expect(long length) {}

    default void add(byte[] piece, int offset, int count) {}

    default void flush() {}

    default void close() {}

    /** Called when the application resets the body. */
    default void clear() {}
}
