package dev.weir.engine.config;

import dev.weir.engine.config.schema.ConfigurationBuilder;
import dev.weir.engine.config.schema.ConfigurationKeys;
import dev.weir.engine.config.schema.Faults;
import dev.weir.engine.config.schema.Placeholders;
import dev.weir.engine.config.schema.SourceLocation;
import dev.weir.engine.config.schema.ValueTypes;
import dev.weir.engine.config.schema.Yaml;
import dev.weir.engine.config.schema.YamlParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads YAML configurations: returns a {@link Configuration}, or all faults of the file with their locations.
 *
 * <p>No input makes it throw, hang or allocate more than some megabytes: a file of more than one MiB is not read. Only
 * {@link #read(Path)} does I/O. Safe for use by several threads if the environment is.
 */
public final class ConfigurationReader {
    /** The largest file that is read, in bytes. */
    public static final int LARGEST = 1 << 20;

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private final Placeholders placeholders;

    /** A reader that takes placeholders from the environment of this process. */
    public ConfigurationReader() {
        this(System::getenv);
    }

    /** A reader that takes placeholders from a function, which returns null for a variable that is not set. */
    public ConfigurationReader(Function<String, @Nullable String> environment) {
        this.placeholders = new Placeholders(environment);
    }

    /** The result of reading a file. */
    public sealed interface Result {
        /** The file is valid; {@code warnings} are probable mistakes, in the order of the file. */
        record Accepted(Configuration configuration, List<Fault> warnings) implements Result {
            public Accepted {
                warnings = List.copyOf(warnings);
            }
        }

        /** The file is invalid, with at least one fault, in the order of the file. */
        record Rejected(List<Fault> faults) implements Result {
            public Rejected {
                faults = List.copyOf(faults);
            }
        }

        /** Probable mistakes in a valid file, such as a limit that can never apply. */
        default List<Fault> warnings() {
            return List.of();
        }

        /**
         * The configuration.
         *
         * @throws ConfigurationException with all faults, if the file is invalid
         */
        default Configuration orThrow() {
            if (this instanceof Accepted accepted) {
                return accepted.configuration();
            }
            throw new ConfigurationException(((Rejected) this).faults());
        }
    }

    /** Reads a file; a missing or unreadable file is reported as a fault. */
    public Result read(Path file) {
        String name = file.toString();
        try {
            if (Files.isDirectory(file)) {
                return rejected(name, "this is a directory; it must be a file");
            }
            try (InputStream in = Files.newInputStream(file)) {
                return read(name, in.readNBytes(LARGEST + 1));
            }
        } catch (NoSuchFileException e) {
            return rejected(name, "there is no such file");
        } catch (AccessDeniedException e) {
            return rejected(name, "this file may not be read by this user");
        } catch (IOException e) {
            return rejected(name, "this file cannot be read: " + e.getMessage());
        }
    }

    /** Reads the bytes of a file with this name. */
    public Result read(String name, byte[] bytes) {
        if (bytes.length > LARGEST) {
            return rejected(name, "this file is larger than " + LARGEST + " bytes; a configuration must not be");
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        CoderResult end = decoder.decode(in, text, true);
        text.flip();
        if (end.isError()) {
            Faults faults = new Faults(name);
            faults.add(
                    SourceLocation.after(text),
                    String.format("the byte 0x%02X is not UTF-8 here; save the file as UTF-8", bytes[in.position()]));
            return new Result.Rejected(faults.sorted());
        }
        return parse(name, text.toString());
    }

    /** Reads the text of a file with this name. */
    public Result read(String name, String text) {
        return text.length() > LARGEST
                ? rejected(name, "this file is larger than " + LARGEST + " characters; a configuration must not be")
                : parse(name, text);
    }

    /**
     * Reads a preset.
     *
     * @throws IllegalArgumentException if there is no preset with this name
     */
    public Result preset(String name) {
        return read("presets/" + name + ".yaml", Presets.text(name));
    }

    private Result parse(String name, String text) {
        Faults faults = new Faults(name);
        String body = text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        try {
            Yaml document =
                    new YamlParser(placeholders, faults, "a configuration needs at least 'limits:'").parse(body);
            Configuration configuration = document == null ? null : build(document, faults);
            if (configuration != null && faults.isEmpty()) {
                return new Result.Accepted(configuration, faults.warnings());
            }
        } catch (Faults.StopReadingException e) {
            // All causes are in the faults.
        }
        return new Result.Rejected(faults.sorted());
    }

    private static @Nullable Configuration build(Yaml document, Faults faults) {
        if (document instanceof Yaml.Entries file) {
            return new ConfigurationBuilder(faults)
                    .build(ConfigurationKeys.File.SHAPE.read(file, "the configuration", faults));
        }
        ValueTypes.expected("a mapping that has at least 'limits:'", document, "the file", faults);
        return null;
    }

    private static Result rejected(String name, String message) {
        return new Result.Rejected(List.of(new Fault(name, 1, 1, message)));
    }
}
