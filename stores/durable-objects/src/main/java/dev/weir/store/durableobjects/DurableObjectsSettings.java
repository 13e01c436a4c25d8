package dev.weir.store.durableobjects;

import dev.weir.StoreException;
import dev.weir.engine.settings.SettingsException;
import dev.weir.store.scripted.SharedSettings;

/**
 * Settings in an object of their own, beside the shards. Nodes hear of a change by asking for one that takes its time: the
 * object answers when there is one.
 */
final class DurableObjectsSettings extends SharedSettings {

    private DurableObjectsSettings(SettingsObject place) {
        super(place);
    }

    /**
     * Reads the settings and listens for changes.
     *
     * @throws SettingsException if there are settings that cannot be read
     * @throws StoreException if the worker does not answer
     */
    static DurableObjectsSettings open(DurableObjectsStore store) {
        return new DurableObjectsSettings(
                new SettingsObject(store.worker(), store.options().prefix()));
    }
}
