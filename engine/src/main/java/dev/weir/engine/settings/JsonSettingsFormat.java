package dev.weir.engine.settings;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.spi.settings.SettingsSnapshot;

/** Settings as JSON with a format number and a checksum, each change as a line of JSON. */
public final class JsonSettingsFormat implements SettingsFormat {

    @Override
    public byte[] write(SettingsSnapshot snapshot) {
        return SettingsCodec.encode(snapshot);
    }

    @Override
    public SettingsSnapshot readSnapshot(byte[] document) {
        return SettingsCodec.decode(document);
    }

    @Override
    public byte[] write(AuditEntry entry) {
        return AuditCodec.encode(entry);
    }

    @Override
    public AuditEntry readEntry(byte[] line) {
        return AuditCodec.decode(line);
    }
}
