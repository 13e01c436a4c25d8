/** Applications that know Weir by its published artifacts only. */
@org.jspecify.annotations.NullMarked
package dev.weir.outside;
