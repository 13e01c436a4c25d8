package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import dev.weir.spi.Nearest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the store's URI in configurations. Only its form is checked here. */
public final class StoreUriReader {
    static final String MEMORY = "memory";

    /** The beginnings of the URIs of stores. */
    private static final List<String> BEGINNINGS = List.of(
            "redis://",
            "rediss://",
            "redis-cluster://",
            "redis-sentinel://",
            "jdbc:sqlite:",
            "jdbc:postgresql:",
            "cluster://",
            "durable-objects+http://",
            "durable-objects+https://");

    private static final String NEED = "it must be memory, or begin with " + String.join(", ", BEGINNINGS.subList(0, 8))
            + " or " + BEGINNINGS.get(8);

    static final ValueType<String> VALUE = withoutSecrets(
            ValueTypes.scalar(ordered("type", "string", "pattern", regex()), text -> {
                if (text.equals(MEMORY) || BEGINNINGS.stream().anyMatch(b -> text.startsWith(b) && !text.equals(b))) {
                    return text;
                }
                throw new IllegalArgumentException(NEED);
            }),
            NEED);

    private StoreUriReader() {}

    private static String regex() {
        return "^(memory$|" + String.join("|", BEGINNINGS).replace("+", "\\+") + ")";
    }

    /** The same value, whose faults show nothing of the text but its scheme: it may contain a password. */
    static <T> ValueType<T> withoutSecrets(ValueType<T> value, String need) {
        return new ValueType<>(value.schema(), (node, what, faults) -> {
            if (!(node instanceof Yaml.Scalar scalar) || scalar.isNull()) {
                return value.read(node, what, faults);
            }
            T read = value.read(node, what, new Faults(""));
            if (read == null) {
                String scheme = scheme(scalar.text());
                String hint =
                        Nearest.to(scheme, List.of(MEMORY)).isPresent() ? "; did you mean 'memory'?" : nearest(scheme);
                faults.add(node.location(), what + " is " + shown(scalar, scheme) + "; " + need + hint);
            }
            return read;
        });
    }

    private static String nearest(String scheme) {
        return Faults.didYouMean(
                scheme,
                BEGINNINGS.stream().map(b -> b.replaceFirst("(//)?$", "")).toList());
    }

    /** The text up to the slashes or, in {@code jdbc:sqlite:x}, the second colon. */
    private static String scheme(String text) {
        int slashes = text.indexOf("//");
        int colon = text.lastIndexOf(':', slashes < 0 ? text.length() : slashes);
        return colon < 0 ? text : text.substring(0, colon + 1);
    }

    private static String shown(Yaml.Scalar scalar, String scheme) {
        return scalar.secret() || scheme.length() < scalar.text().length()
                ? "not one of these (" + Faults.quote(scheme.length() > 32 || scalar.secret() ? "..." : scheme + "...")
                        + ")"
                : Faults.quote(scalar.text());
    }

    /** Parses a URI; null if the text is not one. */
    static @Nullable URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /**
     * A store's URI without possible secrets: without what precedes an {@code @}, and without what follows a question
     * mark. If a character may belong to either, neither part is shown.
     */
    public static String shownUri(String store) {
        int query = store.indexOf('?');
        int user = store.lastIndexOf('@');
        int authority = store.indexOf("//") + 2;
        if (authority < 2) {
            return query < 0 ? store : store.substring(0, query) + "?...";
        }
        if (query >= 0 && user > query) {
            return store.substring(0, authority) + "...";
        }
        String shown = user < 0 ? store : store.substring(0, authority) + "..." + store.substring(user);
        return shown.replaceFirst("\\?.*", "?...");
    }
}
