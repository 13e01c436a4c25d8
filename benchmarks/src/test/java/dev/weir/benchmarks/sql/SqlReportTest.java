package dev.weir.benchmarks.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import org.junit.jupiter.api.Test;

class SqlReportTest {

    /** The speed of device-ingest is a bar of the benchmark: the page reports whether it is met. */
    @Test
    void D10_isMetByASmallFractionOfTheTimeAndFarMoreChecksASecond() {
        assertThat(page(result(20_000, 0.1), result(80_000, 0)))
                .contains("| device-ingest on SQLite, one caller, p95 of a check | ≤ 0.30 ms | 0.10 ms | 0.10 | met |")
                .contains("| device-ingest on SQLite, 64 callers, checks | ≥ 20,000/s | 80,000/s | 80,000 | met |");
        assertThat(page(result(20_000, 2.9), result(10_100, 0)))
                .contains("| ≤ 0.30 ms | 2.90 ms | 2.90 | **not met** |")
                .contains("| ≥ 20,000/s | 10,100/s | 10,100 | **not met** |");
    }

    @Test
    void ratios_areOfMediansAndOfEachRound() {
        Figures<String> figures = new Figures<>();
        for (double perSecond : new double[] {3_000, 32_000, 30_000}) {
            figures.add("pg/hot, 32/weir", result(perSecond, 0));
        }
        for (double perSecond : new double[] {1_000, 1_000, 2_000}) {
            figures.add("pg/hot, 32/bare", result(perSecond, 0));
        }
        String page = new SqlReport(figures).markdown();
        assertThat(page).contains("| ≥ 15.00 × | 30.00 × | 3.00, 32.00, 15.00 | met |");
    }

    private static String page(Load.Result oneCaller, Load.Result many) {
        Figures<String> figures = new Figures<>();
        figures.add("sqlite/ingest, 1/weir", oneCaller);
        figures.add("sqlite/ingest, 64/weir", many);
        return new SqlReport(figures).markdown();
    }

    private static Load.Result result(double perSecond, double p95Millis) {
        return new Load.Result(perSecond, 0, 0, p95Millis * 1e3, 0, 0, 0, 0);
    }
}
