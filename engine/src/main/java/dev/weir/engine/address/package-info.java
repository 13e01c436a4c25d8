/** Who a client is behind proxies. */
@NullMarked
package dev.weir.engine.address;

import org.jspecify.annotations.NullMarked;
