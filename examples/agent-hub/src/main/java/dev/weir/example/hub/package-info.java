/** An example: a hub where autonomous agents exchange messages and tasks, limited by Weir. */
@NullMarked
package dev.weir.example.hub;

import org.jspecify.annotations.NullMarked;
