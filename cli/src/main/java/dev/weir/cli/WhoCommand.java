package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import dev.weir.cli.operate.ServerClient.Response;
import dev.weir.cli.terminal.BarText;
import dev.weir.cli.terminal.Columns;
import dev.weir.cli.terminal.Style;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows the violations and budgets of one subject. */
@Command(
        name = "who",
        description = "Show a subject's violations and budgets on a running server.",
        footer = {"", "Example: weir who agent=a1", ServerCommand.EXIT_CODES},
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class WhoCommand extends ServerCommand {
    private static final int BAR_WIDTH = 20;

    @Parameters(paramLabel = "attribute=value", description = "The subject, such as agent=a1.")
    private String subject = "";

    @Override
    int run(ServerClient client, PrintWriter out) throws CallFailedException {
        Map.Entry<String, String> named = subject(subject);
        Response response = client.call(
                "GET",
                "/v1/subjects/" + ServerClient.segment(named.getKey()) + "/" + ServerClient.segment(named.getValue()),
                null);
        if (json) {
            out.println(response.body());
        } else {
            lines(response.json(), Main.terminal(spec).style()).forEach(out::println);
        }
        return CommandLine.ExitCode.OK;
    }

    private static List<String> lines(JsonValue found, Style style) {
        List<String> lines = new ArrayList<>();
        String name = found.get("attribute").text() + "=" + found.get("value").text();
        boolean isThrottled = found.get("throttled").isTrue();
        lines.add(style.bold(name) + ": " + (isThrottled ? style.red("throttled") : style.green("not throttled"))
                + (found.get("throttled_until").isNothing() ? "" : " until " + time(found.get("throttled_until")))
                + ", " + found.get("violations").number() + " denied in the last hour, "
                + found.get("consecutive_violations").number() + " in a row");
        for (JsonValue by : found.get("denied_by").items()) {
            lines.add("  " + by.get("count").text() + " by "
                    + (by.get("limit").isNothing()
                            ? "a penalty"
                            : by.get("limit").text()) + ", "
                    + by.get("reason").text());
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                style.bold("LIMIT"),
                style.bold("KEY"),
                style.bold("USED"),
                style.bold("OF"),
                "",
                style.bold("FULL AGAIN AT")));
        for (JsonValue bucket : found.get("buckets").items()) {
            long used = bucket.get("used").number();
            long capacity = Math.max(1, bucket.get("capacity").number());
            rows.add(List.of(
                    bucket.get("name").text(),
                    bucket.get("key").pairs(),
                    Long.toString(used),
                    bucket.get("capacity").text(),
                    BarText.onTrack((double) used / capacity, BAR_WIDTH),
                    used == 0 ? "" : time(bucket.get("reset_at"))));
        }
        if (rows.size() > 1) {
            lines.add("");
            lines.addAll(Columns.aligned(rows));
        }
        return lines;
    }

    /** Unix seconds as a time. */
    static String time(JsonValue seconds) {
        return seconds.isNothing()
                ? ""
                : Instant.ofEpochSecond(seconds.number()).toString();
    }
}
