package dev.weir.testkit.model;

/** A stretch of a calendar: from {@code start} until just before {@code end}, in milliseconds since 1970. */
public record Stretch(long start, long end) {}
