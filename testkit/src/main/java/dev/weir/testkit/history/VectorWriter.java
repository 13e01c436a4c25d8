package dev.weir.testkit.history;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.testkit.history.HistorySubject.ObservedDecision;
import dev.weir.testkit.history.VectorRow.Column;
import dev.weir.testkit.model.ReferenceModel;
import dev.weir.testkit.model.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs a history on the model and writes it down, one row for each charge or other operation. */
final class VectorWriter {
    private final String history;
    private final ModelSubject model;
    private final List<VectorRow> rows = new ArrayList<>();
    private int step;

    VectorWriter(String history, Timing timing) {
        this.history = history;
        this.model = new ModelSubject(timing);
    }

    List<VectorRow> rows() {
        return rows;
    }

    void write(Step next) {
        Object seen = model.live(next);
        if (next instanceof Step.Advance) {
            return;
        }
        step++;
        if (seen instanceof ObservedDecision decision) {
            writeDecision(next, decision);
        } else if (next instanceof Step.Reset reset) {
            for (Key key : reset.keys()) {
                row("reset").with(Column.KEY, key.scope());
            }
        } else {
            writeUnderId(next, seen.toString().toLowerCase(Locale.ROOT));
        }
    }

    private void writeDecision(Step next, ObservedDecision seen) {
        if (next instanceof Step.Consume consume) {
            charges("consume", consume.charges(), seen).forEach(row -> row.with(Column.ID, "d" + consume.number()));
        } else if (next instanceof Step.Peek peek) {
            charges("peek", peek.charges(), seen);
        } else if (next instanceof Step.Reserve reserve) {
            charges("reserve", reserve.charges(), seen).forEach(row -> underId(row, reserve.id(), reserve.ttl()));
        } else if (next instanceof Step.Acquire acquire) {
            charges("acquire", acquire.charges(), seen).forEach(row -> underId(row, acquire.id(), acquire.ttl()));
        }
    }

    private void writeUnderId(Step next, String answer) {
        if (next instanceof Step.Refund refund) {
            row("refund").with(Column.ID, "d" + refund.number()).with(Column.ANSWER, answer);
        } else if (next instanceof Step.RefundReserved refund) {
            row("refund").with(Column.ID, refund.id()).with(Column.ANSWER, answer);
        } else if (next instanceof Step.Cancel cancel) {
            row("cancel").with(Column.ID, cancel.id()).with(Column.ANSWER, answer);
        } else if (next instanceof Step.Prolong prolong) {
            underId(row("prolong"), prolong.id(), prolong.ttl()).with(Column.ANSWER, answer);
        } else if (next instanceof Step.Renew renew) {
            underId(row("renew"), renew.id(), renew.ttl()).with(Column.ANSWER, answer);
        } else if (next instanceof Step.Release release) {
            row("release").with(Column.ID, release.id()).with(Column.ANSWER, answer);
        } else if (next instanceof Step.Settle settle) {
            if (settle.costs().isEmpty()) {
                row("settle").with(Column.ID, settle.id()).with(Column.ANSWER, answer);
            }
            for (Map.Entry<String, Long> cost : settle.costs().entrySet()) {
                row("settle")
                        .with(Column.ID, settle.id())
                        .with(Column.KEY, cost.getKey())
                        .with(Column.AMOUNT, cost.getValue())
                        .with(Column.ANSWER, answer);
            }
        }
    }

    private List<VectorRow> charges(String op, List<Charge> charges, ObservedDecision seen) {
        List<VectorRow> written = new ArrayList<>();
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            VectorRow row = row(op).with(Column.KEY, charge.key().scope())
                    .with(Column.POLICY, PolicyText.format(charge.policy()))
                    .with(Column.AMOUNT, charge.cost());
            if (seen.readings().isEmpty()) {
                row.with(Column.ANSWER, seen.admitted() ? "admitted" : "not_admitted");
            } else {
                reading(row, seen.readings().get(i));
            }
            ReferenceModel.stretch(charge.policy(), model.now())
                    .ifPresent(stretch -> row.with(Column.WINDOW_START, stretch.start() * 1_000)
                            .with(Column.WINDOW_END, stretch.end() * 1_000));
            written.add(row);
        }
        return written;
    }

    private static void reading(VectorRow row, Reading reading) {
        row.with(Column.ANSWER, reading.getClass().getSimpleName().toLowerCase(Locale.ROOT))
                .with(Column.REMAINING, reading.remaining())
                .with(Column.RESET_AFTER, PolicyText.micros(reading.resetAfter()));
        if (reading instanceof Reading.Refused refused) {
            row.with(Column.RETRY_AFTER, PolicyText.micros(refused.retryAfter()));
        }
    }

    private static VectorRow underId(VectorRow row, String id, Duration ttl) {
        return row.with(Column.ID, id).with(Column.TTL, PolicyText.micros(ttl));
    }

    private VectorRow row(String op) {
        VectorRow row = new VectorRow()
                .with(Column.HISTORY, history)
                .with(Column.STEP, step)
                .with(Column.TIME, model.now().nanos() / 1_000)
                .with(Column.OP, op);
        rows.add(row);
        return row;
    }
}
