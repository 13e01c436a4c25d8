package dev.weir.engine.config.schema;

/** A value with its location, for checks that come later. */
public record Located<T>(SourceLocation location, T value) {}
