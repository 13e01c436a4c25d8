/** An application that embeds the servlet binding: devices post what they measured. */
@NullMarked
package dev.weir.example.ingest;

import org.jspecify.annotations.NullMarked;
