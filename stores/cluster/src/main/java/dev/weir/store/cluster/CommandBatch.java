package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.store.consensus.BytesOut;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes the commands of one log entry; see {@link ClusterState} for the format. */
final class CommandBatch {
    private CommandBatch() {}

    static byte[] write(int format, long client, long sequence, long answeredBelow, List<ClusterRequest> questions) {
        Map<Policy, Integer> policies = new LinkedHashMap<>();
        BytesOut asked = new BytesOut(48 * questions.size());
        asked.number(questions.size());
        for (ClusterRequest request : questions) {
            request.write(asked, policy -> {
                Integer known = policies.putIfAbsent(policy, policies.size());
                return known == null ? policies.size() - 1 : known;
            });
        }
        BytesOut out = new BytesOut(asked.size() + 32 + 24 * policies.size());
        out.u8(format);
        out.i64(client);
        out.number(sequence);
        out.number(answeredBelow);
        out.number(policies.size());
        policies.keySet().forEach(policy -> PolicyCodec.write(out, policy));
        out.raw(asked.array(), 0, asked.size());
        return out.toBytes();
    }
}
