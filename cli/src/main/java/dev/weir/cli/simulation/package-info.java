/** The replay of logged requests against a configuration, and reports of its results. */
@NullMarked
package dev.weir.cli.simulation;

import org.jspecify.annotations.NullMarked;
