package dev.weir.testkit.model;

/** A calendar period, from {@code start} to just before {@code end}, in milliseconds since 1970. */
public record CalendarPeriod(long start, long end) {}
