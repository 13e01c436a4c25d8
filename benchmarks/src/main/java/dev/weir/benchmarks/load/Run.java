package dev.weir.benchmarks.load;

import dev.weir.benchmarks.measure.Effort;
import java.io.PrintStream;

/**
 * The options of a run.
 *
 * @param rounds how often each contestant has its turn
 * @param part only this part of the group; empty for all
 * @param progress where progress is printed
 */
public record Run(Effort effort, int rounds, String part, PrintStream progress) {}
