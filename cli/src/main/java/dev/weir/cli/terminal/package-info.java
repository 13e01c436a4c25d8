/** Output for people: what the terminal can show, styles, bars, columns, a board that is redrawn in place. */
@NullMarked
package dev.weir.cli.terminal;

import org.jspecify.annotations.NullMarked;
