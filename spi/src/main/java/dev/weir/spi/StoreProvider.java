package dev.weir.spi;

/**
 * Opens stores of one kind by their URI. A store's module names its own in {@code META-INF/services}, so that having it on
 * the class path is enough.
 */
public interface StoreProvider {

    /** Whether this is a URI of its kind, right or wrong. */
    boolean knows(String uri);

    /**
     * Opens the store and its settings.
     *
     * @throws IllegalArgumentException if the URI is wrong; the message does not repeat it, as it may hold a password
     * @throws dev.weir.StoreException if the store cannot be reached
     */
    Backend open(String uri, StoreEnvironment environment);
}
