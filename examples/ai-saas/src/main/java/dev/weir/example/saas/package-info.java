/** An example: a membership service whose costly part is calling AI models, limited by plan. */
@NullMarked
package dev.weir.example.saas;

import org.jspecify.annotations.NullMarked;
