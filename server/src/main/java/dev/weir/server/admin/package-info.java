/** The routes for operators: subjects, overrides, exemptions, configuration, metrics. */
@NullMarked
package dev.weir.server.admin;

import org.jspecify.annotations.NullMarked;
