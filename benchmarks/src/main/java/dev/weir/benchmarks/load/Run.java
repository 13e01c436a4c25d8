package dev.weir.benchmarks.load;

import dev.weir.benchmarks.Effort;
import java.io.PrintStream;

/**
 * What was asked for.
 *
 * @param rounds how often each contestant has its turn
 * @param part only this part of the group; empty for all
 * @param progress where lines about the progress go
 */
public record Run(Effort effort, int rounds, String part, PrintStream progress) {}
