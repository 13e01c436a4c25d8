package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import dev.weir.cli.terminal.BarText;
import dev.weir.cli.terminal.Board;
import dev.weir.cli.terminal.Columns;
import dev.weir.cli.terminal.KeyInput;
import dev.weir.cli.terminal.Style;
import dev.weir.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that shows who is refused, and by what, as a live table. */
@Command(
        name = "top",
        description = "Show which subjects are denied, and by which limits, on a running server, as a live table.",
        footer = {
            "",
            "Keys: r sorts by denied requests, n by name, t by throttled first, q ends.",
            "Without a terminal it prints one table, like --once.",
            ServerCommand.EXIT_CODES
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class TopCommand extends ServerCommand {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int BAR_WIDTH = 16;

    /** The order of the rows. */
    enum Order {
        REFUSED('r'),
        NAME('n'),
        THROTTLED('t');

        private final char key;

        Order(char key) {
            this.key = key;
        }
    }

    @Option(names = "--once", description = "Print one table and end.")
    private boolean once;

    @Option(
            names = "--sort",
            paramLabel = "refused|name|throttled",
            description = "The first order of the rows (default: refused).",
            defaultValue = "refused")
    private Order order = Order.REFUSED;

    /** A refused subject. */
    private record Row(String name, long refused, boolean isThrottled, String by) {}

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        Terminal terminal = Main.terminal(spec);
        if (json) {
            out.println(client.call("GET", "/v1/overview", null).body());
        } else if (once || !terminal.isOutput()) {
            table(client, terminal.style()).forEach(out::println);
        } else {
            follow(client, new Board(out), terminal.style());
        }
        return CommandLine.ExitCode.OK;
    }

    private void follow(ServerClient client, Board board, Style style) throws CallFailedException {
        try (KeyInput keys = KeyInput.open()) {
            while (true) {
                board.draw(table(client, style));
                int key = keys.await(INTERVAL);
                if (key == 'q' || key == KeyInput.INTERRUPTED) {
                    return;
                }
                for (Order other : Order.values()) {
                    order = key == other.key ? other : order;
                }
            }
        }
    }

    private List<String> table(ServerClient client, Style style) throws CallFailedException {
        JsonValue overview = client.call("GET", "/v1/overview", null).json().get("overview");
        JsonValue minute = overview.get("last_minute");
        long denied = minute.get("denied").number();
        long all = denied + minute.get("allowed").number();
        List<String> lines = new ArrayList<>();
        JsonValue store = overview.get("store");
        lines.add(style.bold("weir") + "  last minute: " + number(all) + " decided, "
                + (denied > 0 ? style.red(number(denied) + " denied") : "0 denied") + "  "
                + style.red(BarText.of(all == 0 ? 0 : (double) denied / all, BAR_WIDTH)) + "  store "
                + store.get("kind").text()
                + (store.get("available").isTrue() ? "" : style.red(" unavailable")) + "  "
                + style.dim(Instant.ofEpochMilli(overview.get("now").number())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .toString()));
        lines.add("");
        List<Row> rows = rows(client, overview);
        if (rows.isEmpty()) {
            lines.add("No subject was denied in the last hour.");
            return lines;
        }
        long most = rows.stream().mapToLong(Row::refused).max().orElse(1);
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(
                heading("SUBJECT", Order.NAME, style),
                heading("DENIED IN AN HOUR", Order.REFUSED, style),
                "",
                heading("STATE", Order.THROTTLED, style),
                style.bold("BY")));
        rows.forEach(row -> cells.add(List.of(
                row.name,
                number(row.refused),
                style.red(BarText.of((double) row.refused / Math.max(1, most), BAR_WIDTH)),
                row.isThrottled ? style.yellow("throttled") : "",
                row.by)));
        lines.addAll(Columns.aligned(cells));
        return lines;
    }

    private String heading(String name, Order sorted, Style style) {
        return style.bold(order == sorted ? name + " ▾" : name);
    }

    private List<Row> rows(ServerClient client, JsonValue overview) throws CallFailedException {
        List<Row> rows = new ArrayList<>();
        for (JsonValue top : overview.get("top").items()) {
            String attribute = top.get("attribute").text();
            String value = top.get("value").text();
            Response subject = client.send(
                    "GET", "/v1/subjects/" + ServerClient.segment(attribute) + "/" + ServerClient.segment(value), null);
            String by = subject.json().get("denied_by").items().stream()
                    .map(each -> (each.get("limit").isNothing()
                                    ? "penalty"
                                    : each.get("limit").text()) + " "
                            + each.get("reason").text() + " "
                            + each.get("count").text())
                    .collect(Collectors.joining(", "));
            rows.add(new Row(
                    attribute + "=" + value,
                    top.get("violations").number(),
                    top.get("throttled").isTrue(),
                    by));
        }
        Comparator<Row> byRefusals =
                Comparator.comparingLong(Row::refused).reversed().thenComparing(Row::name);
        rows.sort(
                switch (order) {
                    case REFUSED -> byRefusals;
                    case NAME -> Comparator.comparing(Row::name);
                    case THROTTLED ->
                        Comparator.comparing(Row::isThrottled).reversed().thenComparing(byRefusals);
                });
        return rows;
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
