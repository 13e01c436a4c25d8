package dev.weir.spring;

import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Fault;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.spi.Backend;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/** Opens the engine that the application's properties configure. */
final class EngineFactory {
    private static final String DEFAULT = "classpath:weir.yaml";
    /** One byte more than a configuration may have, so that the reader reports a file that is too large. */
    private static final int MOST_BYTES = (1 << 20) + 1;

    private final WeirProperties properties;
    private final ResourceLoader resources;
    private final ConfigurationReader reader;
    private final InlineConfiguration inline;
    private final @Nullable Backend backend;

    /** @param backend replaces the store that the configuration names; null to use that one */
    EngineFactory(
            WeirProperties properties, Environment environment, ResourceLoader resources, @Nullable Backend backend) {
        KnownProperties.check(environment);
        if (properties.refusal().body() == null && properties.refusal().contentType() != null) {
            throw new SetupException(
                    "weir.refusal.content-type is set, and weir.refusal.body is not.", "Set both, or neither.");
        }
        this.properties = properties;
        this.resources = resources;
        this.backend = backend;
        this.reader = reader(environment);
        this.inline = new InlineConfiguration(environment);
    }

    /**
     * Opens the engine.
     *
     * @throws ConfigurationException with every fault of the configuration
     * @throws SetupException if the properties contradict each other, or there is no configuration
     * @throws dev.weir.StoreException if the store cannot be reached
     */
    Weir open() {
        try {
            String config = properties.config();
            String preset = properties.preset();
            if (config != null && preset != null) {
                throw new SetupException(
                        "Both weir.config and weir.preset are set.", "Remove one: there is one configuration.");
            }
            if (config != null) {
                return load(config);
            }
            if (preset != null || inline.hasLimits()) {
                return open(inline.read(reader, preset).orThrow());
            }
            if (resources.getResource(DEFAULT).exists()) {
                return load(DEFAULT);
            }
            throw new SetupException(
                    "No limits are configured.",
                    "Put a weir.yaml into the class path, or set weir.config, weir.preset or weir.limits.");
        } catch (ConfigurationException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new SetupException(String.valueOf(e.getMessage()), "Correct the properties below 'weir'.");
        }
    }

    /** Loads a configuration. A file is watched for changes; a resource in a jar does not change. */
    private Weir load(String config) {
        if (!inline.keys().isEmpty()) {
            throw new SetupException(
                    "The configuration is in " + config + ", and there is also weir."
                            + String.join(", weir.", inline.keys()) + ".",
                    "Write these into " + config + ": a configuration is in one place.");
        }
        Resource resource = resources.getResource(config);
        try {
            if (backend == null
                    && properties.enabled()
                    && resource.isFile()
                    && !(resource instanceof ClassPathResource)) {
                return Weir.load(resource.getFile().toPath(), reader, options());
            }
            if (!resource.exists()) {
                throw new ConfigurationException(List.of(new Fault(config, 1, 1, "there is no such file")));
            }
            try (InputStream in = resource.getInputStream()) {
                return open(reader.read(config, in.readNBytes(MOST_BYTES)).orThrow());
            }
        } catch (IOException e) {
            throw new ConfigurationException(
                    List.of(new Fault(config, 1, 1, "this file cannot be read: " + e.getMessage())));
        }
    }

    private Weir open(Configuration configuration) {
        if (backend != null) {
            return Weir.of(properties.enabled() ? configuration : configuration.switchedOff(), backend, options());
        }
        return properties.enabled()
                ? Weir.open(configuration, options())
                : Weir.open(configuration.switchedOff(), options().withStore("memory"));
    }

    /** NullAway cannot see that a function from a jar may return null. */
    @SuppressWarnings("NullAway")
    private static ConfigurationReader reader(Environment environment) {
        return new ConfigurationReader(name -> environment.getProperty(name));
    }

    private WeirOptions options() {
        WeirProperties.Guard guard = properties.guard();
        return WeirOptions.defaults()
                .withGuard(new GuardOptions(guard.deadline(), guard.tolerance(), guard.pause()))
                .withStore(properties.store())
                .withData(properties.data());
    }
}
