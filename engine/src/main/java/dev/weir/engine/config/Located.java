package dev.weir.engine.config;

/** A value with its location, for checks that come later. */
record Located<T>(SourceLocation location, T value) {}
