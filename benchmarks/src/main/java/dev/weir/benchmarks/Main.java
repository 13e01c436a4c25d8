package dev.weir.benchmarks;

import dev.weir.benchmarks.chart.Charts;
import dev.weir.benchmarks.cluster.ClusterBench;
import dev.weir.benchmarks.load.Run;
import dev.weir.benchmarks.load.StoreResults;
import dev.weir.benchmarks.measure.Effort;
import dev.weir.benchmarks.measure.Machine;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.benchmarks.measure.Progress;
import dev.weir.benchmarks.redis.RedisBench;
import dev.weir.benchmarks.rls.RlsBench;
import dev.weir.benchmarks.sql.SqlBenchmark;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The command line of the benchmarks. */
public final class Main {
    private static final int DEFAULT_ROUNDS = 3;

    private static final String HELP = """
            Usage: weir bench [OPTIONS]

            Measures Weir in this process, compares it with other libraries and with the
            physical limits, and reports which targets it reaches. A run takes about 8
            minutes. Run nothing else on the machine meanwhile.

              --quick          a run of about a minute; the figures are rough
              --check          run every benchmark once, as short as possible, and check all results;
                               the figures mean nothing
              --rounds N       how often each contestant is measured (default 3)
              --only NAME      only benchmarks whose id contains NAME: a group (hot, keys, four, engine, heap),
                               a variant (keys/zipf/2), a contestant (bare), or a full id
              --only redis     the Redis store and other Redis libraries, on a Redis that the benchmark starts;
                               about six minutes; not part of a full run (redis/hot, redis/keys, redis/limits,
                               redis/wait, redis/memory, redis/raw for one part)
              --only sql       the SQL store and other SQL libraries, on databases that the benchmark starts;
                               about four minutes; not part of a full run (sql/pg, sql/sqlite for one part)
              --only rls       Envoy's rate limit service over gRPC, beside a bare gRPC server and, on a Redis that the
                               benchmark starts, beside the algorithm of Envoy's own service; about four minutes; not
                               part of a full run (rls/memory, rls/redis for one part)
              --only cluster   the cluster store and Bucket4j on Infinispan, each in three JVMs; not part of a
                               full run
              --list           print the ids
              --json FILE      also write the figures as JSON
              --markdown FILE  also write the figures as Markdown
              --charts DIR     measure nothing: draw the charts of all result files (--json) in this directory
              --help           print this help

            Every result is compared with the expected one.

            Exit codes: 0 measured, even if a target is missed; 1 a measurement failed or a result is wrong;
            2 wrong usage.
            """;

    private final PrintStream out;
    private final PrintStream err;

    Main(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(new Main(out, System.err).run(List.of(args)));
    }

    /** Wrong usage. */
    private static final class UsageException extends RuntimeException {
        UsageException(String message) {
            super(message);
        }
    }

    /** Returns the exit code. */
    int run(List<String> args) throws InterruptedException {
        return report(() -> {
            Request request = Request.parse(args);
            switch (request.task) {
                case HELP -> out.print(HELP);
                case LIST -> list(request.plan());
                case DRAW -> Charts.write(request.charts).forEach(name -> out.println(request.charts.resolve(name)));
                case MEASURE -> {
                    String command = ("./weir bench " + String.join(" ", args)).strip();
                    if (request.only.matches("(redis|rls|sql)(/.*)?|cluster")) {
                        measureStore(request, command);
                    } else {
                        measure(request, command);
                    }
                }
            }
        });
    }

    /** An action that may fail. */
    interface Action {
        void run() throws InterruptedException, IOException;
    }

    /** Runs an action, prints its failure, and returns the exit code. */
    int report(Action action) throws InterruptedException {
        try {
            action.run();
            return 0;
        } catch (UsageException e) {
            err.println("weir bench: " + e.getMessage() + "; see weir bench --help");
            return 2;
        } catch (MeasurementFailedException e) {
            err.println("weir bench: the measurement failed: " + e.getMessage());
            return 1;
        } catch (IOException | IllegalStateException e) {
            err.println("weir bench: the measurement failed");
            e.printStackTrace(err);
            return 1;
        }
    }

    private void list(MeasurementPlan plan) {
        plan.casesOf(0).forEach(one -> out.println(one.id()));
        plan.heapCases().forEach(one -> out.println(one.id()));
    }

    private void measure(Request request, String command) throws InterruptedException, IOException {
        MeasurementPlan plan = request.plan();
        if (plan.steps() == 0) {
            throw new UsageException("nothing has '" + plan.only() + "' in its id; see --list");
        }
        Progress progress = new Progress(err, plan.steps());
        Results results;
        try {
            results = new Measurement(plan, progress).run();
        } finally {
            progress.end();
        }
        Report report = new Report(Machine.here(), today(), command, results);
        out.print(report.text());
        if (request.json != null) {
            Files.writeString(request.json, report.json());
        }
        if (request.markdown != null) {
            Files.writeString(request.markdown, report.markdown());
        }
    }

    /** Measures a store on real servers. It gets its own page, because its figures are decisions a second. */
    private void measureStore(Request request, String command) throws InterruptedException, IOException {
        String group = request.only.replaceFirst("/.*", "");
        String part = request.only.substring(Math.min(request.only.length(), group.length() + 1));
        Run run = new Run(request.effort, request.rounds(), part, err);
        StoreResults results = switch (group) {
            case "redis" -> known(() -> new RedisBench(run)).run();
            case "rls" -> known(() -> new RlsBench(run)).run();
            case "sql" -> new SqlBenchmark(run).run();
            default -> new ClusterBench(run).run();
        };
        String page = Machine.here().heading(today(), command) + results.page();
        out.print(page);
        if (request.json != null) {
            Files.writeString(
                    request.json, Report.json(Machine.here(), today(), command, Map.of("cases", results.json())));
        }
        if (request.markdown != null) {
            Files.writeString(request.markdown, page);
        }
    }

    /** Creates a benchmark; a part that it does not have is wrong usage. */
    private static <T> T known(Supplier<T> benchmark) {
        try {
            return benchmark.get();
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static String today() {
        return LocalDate.now(ZoneOffset.UTC).toString();
    }

    private enum Task {
        HELP,
        LIST,
        DRAW,
        MEASURE
    }

    /** The parsed arguments. */
    private static final class Request {
        private Task task = Task.MEASURE;
        private Effort effort = Effort.FULL;
        private int rounds = DEFAULT_ROUNDS;
        private String only = "";
        private @Nullable Path json;
        private @Nullable Path markdown;
        private Path charts = Path.of("");

        static Request parse(List<String> args) {
            Request request = new Request();
            Deque<String> rest = new ArrayDeque<>(args);
            while (!rest.isEmpty()) {
                String option = rest.pop();
                switch (option) {
                    case "--help", "-h" -> request.task = Task.HELP;
                    case "--list" -> request.task = Task.LIST;
                    case "--quick" -> request.effort = Effort.QUICK;
                    case "--check" -> request.effort = Effort.CHECK;
                    case "--rounds" -> request.rounds = count(option, value(option, rest));
                    case "--only" -> request.only = value(option, rest);
                    case "--json" -> request.json = Path.of(value(option, rest));
                    case "--markdown" -> request.markdown = Path.of(value(option, rest));
                    case "--charts" -> {
                        request.task = Task.DRAW;
                        request.charts = Path.of(value(option, rest));
                    }
                    default -> throw new UsageException("'" + option + "' is not known");
                }
            }
            return request;
        }

        MeasurementPlan plan() {
            return MeasurementPlan.of(effort, rounds(), only);
        }

        int rounds() {
            return effort == Effort.FULL ? rounds : 1;
        }

        private static String value(String option, Deque<String> rest) {
            if (rest.isEmpty()) {
                throw new UsageException(option + " has no value; it needs one");
            }
            return rest.pop();
        }

        private static int count(String option, String value) {
            if (!value.matches("[1-9][0-9]{0,3}")) {
                throw new UsageException(option + " is '" + value + "'; it must be 1 to 9999");
            }
            return Integer.parseInt(value);
        }
    }
}
