/** Shared by stores with a remote backend: pending results, and batching of concurrent requests into one call. */
@NullMarked
package dev.weir.remote;

import org.jspecify.annotations.NullMarked;
