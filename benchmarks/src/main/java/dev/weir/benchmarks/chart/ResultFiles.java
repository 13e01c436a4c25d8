package dev.weir.benchmarks.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The results of all runs in a directory, as {@code ./weir bench --json} writes them. */
final class ResultFiles {
    private final Map<String, MeasuredCase> cases = new LinkedHashMap<>();

    /** How, when and where figures were measured. */
    record Origin(String machine, String date, String command) {}

    /** The figures of one case, by their names in the file. */
    record MeasuredCase(Origin origin, Map<?, ?> figures) {
        /** One figure; not a number if the case lacks it. */
        double figure(String name) {
            return figures.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
        }
    }

    /** Reads all files of a directory whose names end with {@code .json}. The latest run of a case counts. */
    static ResultFiles in(Path directory) throws IOException {
        ResultFiles results = new ResultFiles();
        List<Map<?, ?>> runs = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                runs.add(parse(file));
            }
        }
        runs.sort(Comparator.comparing(run -> text(run, "date")));
        runs.forEach(results::add);
        return results;
    }

    /** JSON is YAML, which the engine's own library reads. */
    private static Map<?, ?> parse(Path file) throws IOException {
        LoadSettings settings =
                LoadSettings.builder().setCodePointLimit(1 << 24).build();
        if (new Load(settings).loadFromString(Files.readString(file)) instanceof Map<?, ?> run) {
            return run;
        }
        throw new IOException(file + " has no JSON object; it must be a file that --json has written");
    }

    private void add(Map<?, ?> run) {
        Origin origin = new Origin(text(run, "machine"), text(run, "date"), text(run, "command"));
        for (String list : new String[] {"cases", "heap"}) {
            if (run.get(list) instanceof List<?> all) {
                for (Object one : all) {
                    if (one instanceof Map<?, ?> figures) {
                        cases.put(text(figures, "id"), new MeasuredCase(origin, figures));
                    }
                }
            }
        }
    }

    private static String text(Map<?, ?> object, String name) {
        return object.get(name) instanceof String text ? text : "";
    }

    @Nullable
    MeasuredCase find(String id) {
        return cases.get(id);
    }
}
