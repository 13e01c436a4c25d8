package dev.weir.store.durableobjects;

import dev.weir.StoreException;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.store.scripted.SharedSettings;

/**
 * Settings in an object of their own, beside the shards. Nodes hear of a change by asking for one that takes its time: the
 * object answers when there is one.
 */
final class DurableObjectsSettings extends SharedSettings {

    private DurableObjectsSettings(SettingsObject place, SettingsFormat format) {
        super(place, format);
    }

    /**
     * Reads the settings and listens for changes.
     *
     * @throws SettingsException if there are settings that cannot be read
     * @throws StoreException if the worker does not answer
     */
    static DurableObjectsSettings open(DurableObjectsStore store, SettingsFormat format) {
        return new DurableObjectsSettings(
                new SettingsObject(store.worker(), store.options().prefix()), format);
    }
}
