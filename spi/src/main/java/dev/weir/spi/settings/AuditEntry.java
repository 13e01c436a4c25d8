package dev.weir.spi.settings;

/**
 * One acknowledged change, with its author and time.
 *
 * @param version the version of the settings after the change
 */
public record AuditEntry(long version, SettingsChange change) {}
