package dev.weir.server.envoy;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.Fault;
import dev.weir.engine.config.schema.Faults;
import dev.weir.engine.config.schema.Placeholders;
import dev.weir.engine.config.schema.SourceLocation;
import dev.weir.engine.config.schema.Yaml;
import dev.weir.engine.config.schema.YamlParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of Envoy's rate limit service: returns the configuration, or all faults of all files with their
 * locations. For one thread.
 */
final class EnvoyConfigurationReader {
    /** The largest file that is read, in bytes. */
    static final int LARGEST = 8 << 20;

    private final List<Fault> faults = new ArrayList<>();
    private final Map<String, DescriptorNode> domains = new LinkedHashMap<>();
    /** The file of each domain, for the message about a second one. */
    private final Map<String, String> files = new HashMap<>();

    private final List<DescriptorReader.Draft> drafts = new ArrayList<>();

    private EnvoyConfigurationReader() {}

    /**
     * Reads files, in this order.
     *
     * @throws ConfigurationException with all faults of all files
     */
    static EnvoyConfiguration read(List<EnvoyFiles.Content> contents) {
        EnvoyConfigurationReader reader = new EnvoyConfigurationReader();
        contents.forEach(reader::read);
        if (!reader.faults.isEmpty()) {
            throw new ConfigurationException(reader.faults);
        }
        return new EnvoyConfiguration(reader.domains, EnvoyLimitNames.assign(reader.drafts));
    }

    /** Reads one text under a name. */
    static EnvoyConfiguration read(String name, String text) {
        return read(List.of(new EnvoyFiles.Content(name, text.getBytes(StandardCharsets.UTF_8))));
    }

    private void read(EnvoyFiles.Content content) {
        Faults own = new Faults(content.name());
        try {
            String text = text(content, own);
            Yaml document = text == null
                    ? null
                    : new YamlParser(Placeholders.none(), own, "it needs at least 'domain:'").parse(text);
            if (document != null) {
                readFile(content.name(), document, own);
            }
        } catch (Faults.StopReadingException e) {
            // All causes are in the faults.
        }
        faults.addAll(own.sorted());
    }

    private static @Nullable String text(EnvoyFiles.Content content, Faults own) {
        IOException failure = content.failure();
        if (failure != null) {
            own.add(SourceLocation.START, "this file cannot be read: " + failure.getMessage());
            return null;
        }
        if (content.bytes().length > LARGEST) {
            own.add(SourceLocation.START, "this file is larger than " + LARGEST + " bytes; split it by domain");
            return null;
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content.bytes()))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            own.add(SourceLocation.START, "this file is not UTF-8; save it as UTF-8");
            return null;
        }
    }

    private void readFile(String file, Yaml document, Faults own) {
        EnvoyFields fields = EnvoyFields.of(document, EnvoyFields.Kind.FILE, "the file", own);
        if (fields == null) {
            return;
        }
        String domain = fields.requiredText("domain");
        DescriptorNode root = new DescriptorNode(new EnvoyLimit.DescriptorName("", ""), false, false);
        if (domain != null) {
            String before = files.putIfAbsent(domain, file);
            if (before == null) {
                domains.put(domain, root);
            } else {
                own.add(
                        fields.location("domain"),
                        "the domain " + Faults.quote(domain) + " is also in " + before
                                + "; move all its descriptors into one file");
            }
        }
        new DescriptorReader(domain == null ? "" : domain, own, drafts).readAll(fields, root, List.of());
    }
}
