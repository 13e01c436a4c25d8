package dev.weir.engine.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a few fields of a JSON document while streaming, and builds nothing of the rest.
 *
 * <p>Each field is given by a JSON Pointer (RFC 6901) such as {@code /device} or {@code /segments/0/device}. If a name
 * is repeated, the last one counts, as with nearly every parser of an application. So a client cannot show one value
 * here and another to the application. A number counts as it is written; an object, an array or null counts as absent.
 * Nesting deeper than {@value #DEEPEST} is refused. Immutable and safe for use by any number of threads.
 */
public final class JsonFields {
    private static final int DEEPEST = 64;
    /** The longest number that counts by its value; Jackson's own bound. */
    private static final int LONGEST_NUMBER = 1000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build();

    private static final JsonFactory LENIENT = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(JsonReadFeature.ALLOW_YAML_COMMENTS)
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .enable(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
            .enable(JsonReadFeature.ALLOW_LEADING_ZEROS_FOR_NUMBERS)
            .enable(JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS)
            .enable(JsonReadFeature.ALLOW_LEADING_DECIMAL_POINT_FOR_NUMBERS)
            .enable(JsonReadFeature.ALLOW_TRAILING_DECIMAL_POINT_FOR_NUMBERS)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(JsonReadFeature.ALLOW_MISSING_VALUES)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();

    private final List<JsonPointer> pointers;

    private JsonFields(List<JsonPointer> pointers) {
        this.pointers = pointers;
    }

    /**
     * Creates a reader of the fields at these pointers.
     *
     * @throws IllegalArgumentException if one is not a JSON Pointer to a field
     */
    public static JsonFields at(String... pointers) {
        List<JsonPointer> compiled = new ArrayList<>();
        for (String pointer : pointers) {
            if (!pointer.startsWith("/")) {
                throw new IllegalArgumentException(
                        "'" + pointer + "' is not a JSON Pointer to a field; it must begin with '/', as in /device");
            }
            compiled.add(JsonPointer.compile(pointer));
        }
        return new JsonFields(List.copyOf(compiled));
    }

    /**
     * The values, in the order of the pointers; null for a field that is absent.
     *
     * @throws IOException if this is not a JSON document
     */
    public @Nullable String[] read(byte[] document, int length) throws IOException {
        try (JsonParser parser = FACTORY.createParser(document, 0, length)) {
            return read(parser);
        }
    }

    /** Like {@link #read(byte[], int)}, of a text. */
    public @Nullable String[] read(String document) throws IOException {
        try (JsonParser parser = FACTORY.createParser(document)) {
            return read(parser);
        }
    }

    /**
     * The values found before the document ends or becomes invalid; null for a field that was not found. Accepts what
     * lenient parsers accept (comments, single quotes, unquoted names, bytes that are not UTF-8 and the like), since an
     * application may use one. A number counts by its value, so that {@code 1}, {@code 1.0} and {@code 10e-1} are
     * equal; one of more than {@value #LONGEST_NUMBER} characters is absent.
     *
     * @param isWhole false if the document continues after the given bytes; a number at the end is then ignored, since
     *     it may continue
     */
    public @Nullable String[] readStart(byte[] document, boolean isWhole) {
        @Nullable String[] values = new String[pointers.size()];
        int length = isWhole ? document.length : withoutNumber(document);
        try (JsonParser parser = LENIENT.createParser(document, 0, length)) {
            readStart(parser, values);
        } catch (IOException e) {
            addFromText(new String(document, 0, length, StandardCharsets.UTF_8), values);
        }
        return values;
    }

    private void readStart(JsonParser parser, @Nullable String[] values) throws IOException {
        if (parser.nextToken() != null) {
            value(parser, new ArrayList<@Nullable JsonPointer>(pointers), values, JsonFields::byValue);
        }
    }

    /** Reads beyond bytes that are not UTF-8, as parsers of characters do; these see each such byte as U+FFFD. */
    private void addFromText(String document, @Nullable String[] values) {
        @Nullable String[] more = new String[values.length];
        try (JsonParser parser = LENIENT.createParser(document)) {
            readStart(parser, more);
        } catch (IOException e) {
            // The values before this fault count, too.
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = more[i] == null ? values[i] : more[i];
        }
    }

    /** The length without digits at the end, in any encoding. */
    private static int withoutNumber(byte[] document) {
        int length = document.length;
        while (length > 0 && "0123456789+-.eE\0".indexOf(document[length - 1]) >= 0) {
            length--;
        }
        return length;
    }

    private @Nullable String[] read(JsonParser parser) throws IOException {
        @Nullable String[] values = new String[pointers.size()];
        if (parser.nextToken() == null) {
            throw new IOException("there is no JSON document");
        }
        value(parser, new ArrayList<@Nullable JsonPointer>(pointers), values, JsonParser::getText);
        if (parser.nextToken() != null) {
            throw new IOException("something follows the JSON document");
        }
        return values;
    }

    /** @param open the rest of each pointer that leads here; null for those that do not */
    private static void value(
            JsonParser parser, List<@Nullable JsonPointer> open, @Nullable String[] values, ScalarText text)
            throws IOException {
        boolean isNeeded = false;
        for (int i = 0; i < values.length; i++) {
            JsonPointer pointer = open.get(i);
            if (pointer != null && pointer.matches()) {
                values[i] = scalar(parser, text);
            }
            isNeeded |= pointer != null && !pointer.matches();
        }
        JsonToken token = parser.currentToken();
        if (isNeeded) {
            forget(open, values);
        }
        if (token != JsonToken.START_OBJECT && token != JsonToken.START_ARRAY) {
            return;
        }
        if (!isNeeded) {
            parser.skipChildren();
        } else if (token == JsonToken.START_OBJECT) {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                List<@Nullable JsonPointer> inside = step(open, parser.currentName(), -1);
                parser.nextToken();
                value(parser, inside, values, text);
            }
        } else {
            for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                value(parser, step(open, null, index), values, text);
            }
        }
    }

    /** A repeated name discards all values that were found below its first occurrence. */
    private static void forget(List<@Nullable JsonPointer> open, @Nullable String[] values) {
        for (int i = 0; i < values.length; i++) {
            JsonPointer pointer = open.get(i);
            if (pointer != null && !pointer.matches()) {
                values[i] = null;
            }
        }
    }

    private static List<@Nullable JsonPointer> step(
            List<@Nullable JsonPointer> open, @Nullable String name, int index) {
        List<@Nullable JsonPointer> inside = new ArrayList<>(open.size());
        for (JsonPointer pointer : open) {
            if (pointer == null || pointer.matches()) {
                inside.add(null);
            } else {
                inside.add(name == null ? pointer.matchElement(index) : pointer.matchProperty(name));
            }
        }
        return inside;
    }

    /** Converts a scalar to a value. */
    private interface ScalarText {
        @Nullable
        String of(JsonParser parser) throws IOException;
    }

    private static @Nullable String scalar(JsonParser parser, ScalarText text) throws IOException {
        JsonToken token = parser.currentToken();
        return token != null && token.isScalarValue() && token != JsonToken.VALUE_NULL ? text.of(parser) : null;
    }

    private static @Nullable String byValue(JsonParser parser) throws IOException {
        String written = parser.getText();
        JsonToken token = parser.currentToken();
        if (token == null || !token.isNumeric()) {
            return written;
        }
        if (written.length() > LONGEST_NUMBER) {
            return null;
        }
        try {
            BigDecimal number = new BigDecimal(written).stripTrailingZeros();
            // Avoids a million zeros for seven characters.
            return Math.abs(number.scale()) <= LONGEST_NUMBER ? number.toPlainString() : number.toString();
        } catch (NumberFormatException e) {
            // Not a number, infinite, or with an exponent that is too large.
            return written;
        }
    }
}
