/** Tests of applications that use only Weir's published artifacts. */
@org.jspecify.annotations.NullMarked
package dev.weir.outside;
