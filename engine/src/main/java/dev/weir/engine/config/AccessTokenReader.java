package dev.weir.engine.config;

import dev.weir.engine.config.schema.ConfigKey;
import dev.weir.engine.config.schema.Faults;
import dev.weir.engine.config.schema.Located;
import dev.weir.engine.config.schema.MappingSchema;
import dev.weir.engine.config.schema.MappingSchema.Fields;
import dev.weir.engine.config.schema.Placeholders;
import dev.weir.engine.config.schema.SourceLocation;
import dev.weir.engine.config.schema.ValueType;
import dev.weir.engine.config.schema.ValueTypes;
import dev.weir.engine.config.schema.Yaml;
import dev.weir.engine.config.schema.YamlParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads token files: a YAML list of {@code name}, {@code role} and {@code sha256}. As with configurations, all faults
 * are reported at once, each with its location. Placeholders are replaced from the environment. Does no I/O.
 */
public final class AccessTokenReader {
    private static final MappingSchema SHAPE = new MappingSchema();
    private static final ConfigKey<String> NAME = SHAPE.required(
            "name",
            ValueTypes.text(
                    "[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}",
                    "it must be 1 to 64 letters, digits, '_', '.' or '-', and not begin with '.' or '-'"),
            "The name of the token in the audit; unique.");
    private static final ConfigKey<AccessRole> ROLE =
            SHAPE.required("role", ValueTypes.choice(AccessRole.class), "What the token may do.");
    private static final ConfigKey<String> SHA256 =
            SHAPE.required("sha256", sha256(), "The SHA-256 of the token, in hexadecimal: printf %s TOKEN | sha256sum");

    private static final ValueType<List<Located<Fields>>> TOKENS =
            ValueTypes.list(ValueTypes.mapping("token", (mapping, faults) -> SHAPE.read(mapping, "a token", faults)));

    private final Placeholders placeholders = new Placeholders(System::getenv);

    /**
     * Reads the tokens of a file with this name.
     *
     * @throws ConfigurationException with all faults, if there are any
     */
    public List<AccessToken> read(String name, byte[] bytes) {
        Faults faults = new Faults(name);
        List<AccessToken> tokens = new ArrayList<>();
        try {
            if (bytes.length > ConfigurationReader.LARGEST) {
                faults.add(SourceLocation.START, "this file is larger than " + ConfigurationReader.LARGEST + " bytes");
            } else {
                Yaml document = new YamlParser(placeholders, faults, "a file without tokens is '[]'")
                        .parse(new String(bytes, StandardCharsets.UTF_8));
                List<Located<Fields>> read = document == null ? null : TOKENS.read(document, "the file", faults);
                build(read == null ? List.of() : read, tokens, faults);
            }
        } catch (Faults.StopReadingException e) {
            // All causes are in the faults.
        }
        if (!faults.isEmpty()) {
            throw new ConfigurationException(faults.sorted());
        }
        return List.copyOf(tokens);
    }

    private static void build(List<Located<Fields>> read, List<AccessToken> tokens, Faults faults) {
        Map<String, SourceLocation> seen = new HashMap<>();
        for (Located<Fields> placed : read) {
            Fields token = placed.value();
            String name = token.get(NAME);
            AccessRole role = token.get(ROLE);
            String sha256 = token.get(SHA256);
            once(seen, "name " + name, name, token.location(NAME), faults);
            once(seen, "sha256", sha256, token.location(SHA256), faults);
            if (name != null && role != null && sha256 != null) {
                tokens.add(new AccessToken(name, role, sha256));
            }
        }
    }

    private static void once(
            Map<String, SourceLocation> seen,
            String what,
            @Nullable String value,
            SourceLocation location,
            Faults faults) {
        SourceLocation before = value == null ? null : seen.putIfAbsent(what + value, location);
        if (before != null) {
            faults.add(
                    location, "another token has this " + what + ", on line " + before.line() + "; each needs its own");
        }
    }

    /** Faults do not repeat the text: it may be the token itself. */
    private static ValueType<String> sha256() {
        return new ValueType<>(Map.of("type", "string"), (node, what, faults) -> {
            String text = node instanceof Yaml.Scalar scalar ? scalar.text().toLowerCase(Locale.ROOT) : "";
            if (!text.matches("[0-9a-f]{64}")) {
                faults.add(
                        node.location(),
                        what + " is not shown; it must be the token's SHA-256 in 64 hexadecimal digits, as printf %s"
                                + " TOKEN | sha256sum prints it");
                return null;
            }
            return text;
        });
    }
}
