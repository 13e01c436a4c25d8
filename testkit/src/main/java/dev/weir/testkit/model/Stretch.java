package dev.weir.testkit.model;

/** A calendar period, from {@code start} to just before {@code end}, in milliseconds since 1970. */
public record Stretch(long start, long end) {}
