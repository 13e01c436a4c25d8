package dev.weir.engine.config;

/** Something that was read, with its place, for what can only be checked later. */
record Placed<T>(Place place, T value) {}
