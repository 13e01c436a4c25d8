package dev.weir.benchmarks.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SqlReportTest {

    /** D10 is a matter of speed, and so a bar of the benchmark: the page says whether it is met. */
    @Test
    void D10_isMetByASmallFractionOfTheTimeAndFarMoreChecksASecond() {
        assertThat(page(result(20_000, 0.1), result(80_000, 0)))
                .contains(
                        "| D10: device-ingest on SQLite, one caller, p95 of a check | ≤ 0.30 ms | 0.10 ms | 0.10 | met |")
                .contains(
                        "| D10: device-ingest on SQLite, 64 callers, checks | ≥ 20,000/s | 80,000/s | 80,000 | met |");
        assertThat(page(result(20_000, 2.9), result(10_100, 0)))
                .contains("| ≤ 0.30 ms | 2.90 ms | 2.90 | **not met** |")
                .contains("| ≥ 20,000/s | 10,100/s | 10,100 | **not met** |");
    }

    @Test
    void ratios_areOfMediansAndOfEachRound() {
        String page = new SqlReport(Map.of(
                        "pg/hot, 32/weir", List.of(result(3_000, 0), result(32_000, 0), result(30_000, 0)),
                        "pg/hot, 32/bare", List.of(result(1_000, 0), result(1_000, 0), result(2_000, 0))))
                .markdown();
        assertThat(page).contains("| ≥ 15.00 × | 30.00 × | 3.00, 32.00, 15.00 | met |");
    }

    private static String page(Load.Result oneCaller, Load.Result many) {
        return new SqlReport(
                        Map.of("sqlite/ingest, 1/weir", List.of(oneCaller), "sqlite/ingest, 64/weir", List.of(many)))
                .markdown();
    }

    private static Load.Result result(double perSecond, double p95Millis) {
        return new Load.Result(perSecond, 0, 0, p95Millis * 1e6, 0, 0);
    }
}
