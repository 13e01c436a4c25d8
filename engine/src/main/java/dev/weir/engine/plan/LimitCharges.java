package dev.weir.engine.plan;

/**
 * The charges of one limit for one request.
 *
 * @param limit the limit
 * @param row the rates that apply
 * @param cost the cost that each rate charges
 * @param first the index of its first charge among all charges of the request; there is one for each rate
 */
public record LimitCharges(PreparedLimit limit, Row row, long cost, int first) {

    /** The number of its charges. */
    public int rates() {
        return row.policies().size();
    }
}
