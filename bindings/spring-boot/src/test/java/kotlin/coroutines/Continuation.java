package kotlin.coroutines;

/** What the compiler of Kotlin adds as the last parameter of a suspend function. */
public interface Continuation<T> {}
