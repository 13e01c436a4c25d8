/** Reading of access logs: lines, formats, the order of time, several files. */
@NullMarked
package dev.weir.cli.log;

import org.jspecify.annotations.NullMarked;
