/** The algorithms as pure integer arithmetic: no clock, no input or output, the same result everywhere. */
@NullMarked
package dev.weir.algorithm;

import org.jspecify.annotations.NullMarked;
