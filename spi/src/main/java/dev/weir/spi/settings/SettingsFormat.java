package dev.weir.spi.settings;

/** Settings and their changes as bytes that any store may keep. A store neither reads nor writes these bytes itself. */
public interface SettingsFormat {

    byte[] write(SettingsSnapshot snapshot);

    /**
     * The settings of a document.
     *
     * @throws SettingsException if it is torn, foreign, of a newer format, or changed since it was written; the message
     *     says which and what to do, and goes on from the name of the place: "is empty, …"
     */
    SettingsSnapshot readSnapshot(byte[] document);

    /** One change, on one line without its end. */
    byte[] write(AuditEntry entry);

    /**
     * The change of a line.
     *
     * @throws SettingsException if it is none
     */
    AuditEntry readEntry(byte[] line);
}
