package dev.weir.spi.settings;

/**
 * One acknowledged change: who, when and what.
 *
 * @param version the version of the settings that it led to
 */
public record AuditEntry(long version, SettingsChange change) {}
