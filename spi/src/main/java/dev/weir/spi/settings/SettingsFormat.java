package dev.weir.spi.settings;

/** The serialization of settings and their changes. A store keeps the bytes and does not interpret them. */
public interface SettingsFormat {

    byte[] write(SettingsSnapshot snapshot);

    /**
     * Reads the settings of a document.
     *
     * @throws SettingsException if it is incomplete, foreign, of a newer format, or changed since it was written. The
     *     message names the fault and the remedy, and continues a sentence that begins with the name of the document:
     *     "is empty, …"
     */
    SettingsSnapshot readSnapshot(byte[] document);

    /** Writes one change as one line, without the line end. */
    byte[] write(AuditEntry entry);

    /**
     * Reads the change of a line.
     *
     * @throws SettingsException if the line is not a change
     */
    AuditEntry readEntry(byte[] line);
}
