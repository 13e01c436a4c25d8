/** What is right: every answer from the definitions alone, in big integers, without a thought for speed. */
@NullMarked
package dev.weir.testkit.model;

import org.jspecify.annotations.NullMarked;
