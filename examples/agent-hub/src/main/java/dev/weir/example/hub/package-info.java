/** An example: a hub where autonomous agents talk to each other and share out work, limited by Weir. */
@NullMarked
package dev.weir.example.hub;

import org.jspecify.annotations.NullMarked;
