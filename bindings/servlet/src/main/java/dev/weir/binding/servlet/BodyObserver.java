package dev.weir.binding.servlet;

/** Called with each part of a response's body before it is sent. */
interface BodyObserver {
    /** A length that the application has not given. */
    long UNKNOWN = -1;

    /** With its last byte the container sends the response. */
    void expect(long length);

    void add(byte[] piece, int offset, int count);

    void flush();

    void close();

    /** The body is begun anew. */
    void clear();
}
