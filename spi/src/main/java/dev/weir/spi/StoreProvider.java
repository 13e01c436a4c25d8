package dev.weir.spi;

/**
 * Opens stores of one kind by their URI. A store's module registers its provider in {@code META-INF/services}, so that
 * having it on the class path is enough.
 */
public interface StoreProvider {

    /** Whether this is a URI of its kind, valid or not. */
    boolean knows(String uri);

    /**
     * Opens the store and its settings.
     *
     * @throws IllegalArgumentException if the URI is wrong; the message does not contain it, because it may hold a
     *     password
     * @throws dev.weir.StoreException if the store cannot be reached
     */
    Backend open(String uri, StoreEnvironment environment);
}
