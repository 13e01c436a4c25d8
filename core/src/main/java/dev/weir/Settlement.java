package dev.weir;

/** What became of the attempt to close a reservation. */
public enum Settlement {
    /** This call closed it: the actual cost stands, or everything was given back. */
    DONE,
    /** It had been settled or cancelled before; nothing changed. */
    ALREADY_CLOSED,
    /** There is no such reservation: it never was, or it expired and its estimate stands. Nothing changed. */
    UNKNOWN
}
