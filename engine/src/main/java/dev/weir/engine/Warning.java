package dev.weir.engine;

/**
 * A limit is nearly used up: told once, with the request that crossed the mark.
 *
 * @param name the limit's name
 * @param remaining what is left
 * @param capacity the most that fits at once
 */
public record Warning(String name, long remaining, long capacity) {}
