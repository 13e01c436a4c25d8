package dev.weir.engine;

import dev.weir.Charge;
import java.util.List;

/**
 * What one limit asks of one request.
 *
 * @param limit which limit
 * @param keyedBy the attributes that made the key
 * @param charges one for each rate of the limit
 * @param cost what each charges
 * @param row the numbers that apply
 */
record Demand(PreparedLimit limit, List<String> keyedBy, List<Charge> charges, long cost, Row row) {

    /** Whose limit it is, as clients are told. */
    String scope() {
        String given = limit.rule.scope();
        if (given != null) {
            return given;
        }
        return keyedBy.isEmpty() ? "global" : String.join("+", keyedBy);
    }
}
