/** Calls of a running server, for the commands that operate it. */
@NullMarked
package dev.weir.cli.operate;

import org.jspecify.annotations.NullMarked;
