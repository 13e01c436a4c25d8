package dev.weir.engine;

/**
 * What one limit asks of one request.
 *
 * @param limit which limit
 * @param row the numbers that apply
 * @param cost what each of its rates charges
 * @param first where its charges begin, one for each rate, among those that are decided together
 */
record Demand(PreparedLimit limit, Row row, long cost, int first) {

    /** How many charges are its own. */
    int rates() {
        return row.policies().size();
    }
}
