package dev.weir.engine;

/**
 * A limit is nearly used up; reported once, with the request that crossed the mark.
 *
 * @param name the limit's name
 * @param remaining what is left
 * @param capacity the limit's capacity
 */
public record Warning(String name, long remaining, long capacity) {}
