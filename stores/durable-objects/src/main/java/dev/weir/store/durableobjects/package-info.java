/** Budgets in Durable Objects, shared by many processes: a worker at the edge decides, in one round trip. */
@NullMarked
package dev.weir.store.durableobjects;

import org.jspecify.annotations.NullMarked;
