/**
 * The keys of the configuration file: which there are, what each may hold, and how it is read, with the location of
 * every fault. Internal: {@link dev.weir.engine.config.ConfigurationReader} is the API.
 */
@NullMarked
package dev.weir.engine.config.schema;

import org.jspecify.annotations.NullMarked;
