package dev.weir.engine.config;

import dev.weir.engine.config.ConfigurationReader.Result;
import java.util.List;
import java.util.Map;

/** Shorthands for reading configurations in tests. */
public final class ReadConfiguration {
    private ReadConfiguration() {}

    public static Result read(String yaml) {
        return read(yaml, Map.of());
    }

    public static Result read(String yaml, Map<String, String> environment) {
        return new ConfigurationReader(environment::get).read("w.yaml", yaml);
    }

    static Configuration accept(String yaml) {
        return read(yaml).orThrow();
    }

    /** The only limit of a configuration, from the lines of the limit after its name. */
    static LimitRule limit(String... lines) {
        return accept(limitYaml(lines)).limits().get(0);
    }

    public static String limitYaml(String... lines) {
        return "limits:\n  - name: general\n    " + String.join("\n    ", lines) + "\n";
    }

    /** All faults, as displayed. */
    public static List<String> faults(String yaml) {
        return faults(read(yaml));
    }

    public static List<String> faults(Result result) {
        return result instanceof Result.Rejected rejected
                ? rejected.faults().stream().map(Fault::toString).toList()
                : List.of();
    }

    static List<String> limitFaults(String... lines) {
        return faults(limitYaml(lines));
    }
}
