package dev.weir.binding.servlet;

/** Called with each part of a response's body before it is sent. */
interface BodyObserver {
    /** A length that the application has not given. */
    long UNKNOWN = -1;

    /** Of a body that nobody observes. */
    BodyObserver NONE = new BodyObserver() {};

    /** With its last byte the container sends the response. */
    default void expect(long length) {}

    default void add(byte[] piece, int offset, int count) {}

    default void flush() {}

    default void close() {}

    /** The body is begun anew. */
    default void clear() {}
}
