package dev.weir;

/** The result of settling or cancelling a reservation. */
public enum Settlement {
    /** This call closed it: the actual cost was applied, or everything was given back. */
    DONE,
    /** It had been settled or cancelled before; nothing changed. */
    ALREADY_CLOSED,
    /** There is no such reservation: the id is unknown, or it expired and its estimate stays spent. Nothing changed. */
    UNKNOWN
}
