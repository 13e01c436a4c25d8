/** The command line: reads flags and files, builds objects, and prints. */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
