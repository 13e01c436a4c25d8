package dev.weir.engine.config;

/**
 * A token that opens the server's API, without the token itself.
 *
 * @param name how the audit calls whoever uses it
 * @param role what it may do
 * @param sha256 the SHA-256 of the token's UTF-8 bytes, 64 lower-case hexadecimal digits
 */
public record AccessToken(String name, AccessRole role, String sha256) {}
