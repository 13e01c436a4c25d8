package dev.weir.store.cluster;

import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesOut;
import java.util.ArrayList;
import java.util.List;

/** Encodes charges, each with its complete policy; for places with few charges. */
final class LinesCodec {
    private LinesCodec() {}

    static void write(BytesOut out, List<Line> lines) {
        out.number(lines.size());
        for (Line line : lines) {
            out.text(line.key());
            PolicyCodec.write(out, line.meter().policy());
            out.number(line.cost());
        }
    }

    static List<Line> read(BytesIn in, Meters meters) {
        List<Line> lines = new ArrayList<>();
        for (int i = in.count(3); i > 0; i--) {
            lines.add(new Line(in.text(), meters.of(PolicyCodec.read(in)), in.number()));
        }
        return lines;
    }
}
