package dev.weir.store.cluster;

import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesOut;
import java.util.ArrayList;
import java.util.List;

/** Encodes charges, each with its complete policy; for places with few charges. */
final class StateChargeCodec {
    private StateChargeCodec() {}

    static void write(BytesOut out, List<StateCharge> lines) {
        out.number(lines.size());
        for (StateCharge line : lines) {
            out.text(line.key());
            PolicyCodec.write(out, line.model().policy());
            out.number(line.cost());
        }
    }

    static List<StateCharge> read(BytesIn in, PolicyModels policyModels) {
        List<StateCharge> lines = new ArrayList<>();
        for (int i = in.count(3); i > 0; i--) {
            lines.add(new StateCharge(in.text(), policyModels.of(PolicyCodec.read(in)), in.number()));
        }
        return lines;
    }
}
