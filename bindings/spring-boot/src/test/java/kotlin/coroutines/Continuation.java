package kotlin.coroutines;

/** The type that the Kotlin compiler adds as the last parameter of a suspend function. */
public interface Continuation<T> {}
