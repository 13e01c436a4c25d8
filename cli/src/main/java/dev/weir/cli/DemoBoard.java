package dev.weir.cli;

import dev.weir.cli.terminal.BarText;
import dev.weir.cli.terminal.Columns;
import dev.weir.cli.terminal.Style;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The live board of the demo: what each agent was admitted and refused, as bars. */
final class DemoBoard {
    private static final int BAR_WIDTH = 24;

    private DemoBoard() {}

    static List<String> lines(List<DemoAgent> agents, Style style) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                style.bold("AGENT"),
                style.bold("CALLS"),
                style.bold("ALLOWED"),
                style.bold("DENIED"),
                style.bold("SHARE DENIED"),
                ""));
        for (DemoAgent agent : agents) {
            long all = agent.admitted() + agent.refused();
            double share = all == 0 ? 0 : (double) agent.refused() / all;
            String bar = BarText.onTrack(share, BAR_WIDTH);
            rows.add(List.of(
                    agent.name(),
                    agent.action(),
                    number(agent.admitted()),
                    agent.refused() > 0 ? style.red(number(agent.refused())) : "0",
                    agent.refused() > 0 ? style.red(bar) : style.green(bar),
                    Math.round(share * 100) + " %"));
        }
        return Columns.aligned(rows);
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
