package dev.weir.engine.access;

/**
 * A token for the server's API, without the token itself.
 *
 * @param name the user of the token in the audit
 * @param role its permissions
 * @param sha256 the SHA-256 of the token's UTF-8 bytes, 64 lower-case hexadecimal digits
 */
public record AccessToken(String name, AccessRole role, String sha256) {}
