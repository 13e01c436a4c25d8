package dev.weir.engine.config;

/** A value with its location, for checks that come later. */
record Placed<T>(Place place, T value) {}
