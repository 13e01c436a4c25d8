/** An example that embeds the servlet binding: devices post measurements. */
@NullMarked
package dev.weir.example.ingest;

import org.jspecify.annotations.NullMarked;
