package dev.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import dev.weir.server.envoy.RateLimitReply;
import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import dev.weir.server.envoy.RateLimitReply.DescriptorStatus;
import dev.weir.server.envoy.RateLimitReply.Header;
import dev.weir.server.http.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonQueryTest {
    private static RateLimitQuery read(String json) {
        return JsonQuery.read(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void request_ofTheOriginalsExample_isRead() {
        RateLimitQuery query =
                read("{\"domain\": \"dummy\", \"descriptors\": [{\"entries\": [{\"key\": \"perday\"}]}]}");
        assertThat(query.domain()).isEqualTo("dummy");
        assertThat(query.hits()).isEqualTo(1);
        assertThat(query.descriptors()).hasSize(1);
        assertThat(query.descriptors().get(0).entries()).containsExactly(new Entry("perday", ""));
    }

    @Test
    void fields_haveBothNames_andNumbersMayBeTexts_andNullIsTheDefault() {
        RateLimitQuery query = read("""
                {"domain": "d", "hits_addend": "3", "descriptors": [
                  {"entries": [{"key": "a", "value": "b"}, {"key": "c", "value": null}], "hitsAddend": "18",
                   "limit": {"requestsPerUnit": 5, "unit": "HOUR"}},
                  {"entries": [], "hits_addend": 0, "limit": {"requests_per_unit": "6", "unit": 4}},
                  {"entries": null, "hitsAddend": null, "limit": null}]}
                """);
        assertThat(query.hits()).isEqualTo(3);
        assertThat(query.descriptors().get(0).hits()).isEqualTo(18);
        assertThat(query.descriptors().get(0).override()).isEqualTo(new RateLimitQuery.Override(5, Unit.HOUR));
        assertThat(query.descriptors().get(1).hits()).isZero();
        assertThat(query.descriptors().get(1).override()).isEqualTo(new RateLimitQuery.Override(6, Unit.DAY));
        assertThat(query.descriptors().get(2).hits()).isNull();
        assertThat(query.descriptors().get(2).override()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                     | rate limit domain must not be empty",
                "{\"domain\": \"d\"}                                    | rate limit descriptor list must not be empty",
                "{\"domain\": \"d\", \"descriptors\": []}               | rate limit descriptor list must not be empty",
                "[]                                                     | the body must be an object",
                "{\"domain\": 5}                                        | domain must be a text",
                "{\"domain\": \"d\", \"domain\": \"e\"}                 | this field is there twice",
                "{\"hitsAddend\": 1, \"hits_addend\": 2}                | this field is there twice",
                "{\"hitsAddend\": -1}                                   | 32 bits",
                "{\"hitsAddend\": 4294967296}                           | 32 bits",
                "{\"hitsAddend\": 1.5}                                  | 32 bits",
                "{\"hitsAddend\": 1e10}                                 | 32 bits",
                "{\"hitsAddend\": 1e-1}                                 | 32 bits",
                "{\"hitsAddend\": 1e999999999}                          | 32 bits",
                "{\"hitsAddend\": \"1e999999999\"}                      | 32 bits",
                "{\"hitsAddend\": \" 1\"}                               | 32 bits",
                "{\"hitsAddend\": true}                                 | 32 bits",
                "{\"descriptors\": {}}                                  | descriptors must be a list",
                "{\"descriptors\": [5]}                                 | descriptors must be an object",
                "{\"descriptors\": [{\"hitsAddend\": 18446744073709551615}]} | it may be at most 1000000000000000",
                "{\"descriptors\": [{\"limit\": {\"unit\": \"FORTNIGHT\"}}]} | there is no unit 'FORTNIGHT'",
                "{\"descriptors\": [{\"limit\": {}}]}                   | limit.unit is 0",
                "{\"descriptor\": []}                                   | unknown field 'descriptor'",
                "{\"domain\": \"\\ud800\"}                              | half of a character",
                "{\"domain\":                                           | the body is not JSON",
                "{\"domain\": \"d\"} x                                  | the body is not JSON",
            })
    void request_thatIsInvalid_isAProblem(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.status()).isEqualTo(400))
                .hasMessageContaining(message);
    }

    /** Lua, which the original has this endpoint for, writes whole numbers so; protojson reads them. */
    @ParameterizedTest
    @CsvSource({"2.0, 2", "1e3, 1000", "'\"2.0\"', 2", "20e-1, 2", "0.0, 1", "4294967295.0, 4294967295"})
    void numbers_thatAreWhole_mayHaveAFractionOrAnExponent(String number, long hits) {
        assertThat(read("{\"domain\": \"d\", \"descriptors\": [{}], \"hitsAddend\": " + number + "}")
                        .hits())
                .isEqualTo(hits);
    }

    @Test
    void nesting_tooDeep_isAProblem() {
        assertThatThrownBy(() -> read("{\"descriptors\":".repeat(5_000))).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> read("[".repeat(60_000))).isInstanceOf(ProblemException.class);
    }

    @Test
    void reply_leavesOutDefaults_asProto3Does() {
        RateLimitReply reply = new RateLimitReply(
                false,
                List.of(
                        new DescriptorStatus(false, new CurrentLimit(10, Unit.MINUTE, "login"), 0, 59_050),
                        new DescriptorStatus(true, new CurrentLimit(5, null, null), 4, 3_000),
                        new DescriptorStatus(true, null, 0, 0)),
                List.of(new Header("RateLimit-Reset", "60")));
        assertThat(JsonReply.write(reply))
                .hasToString("{\"overallCode\":\"OVER_LIMIT\",\"statuses\":["
                        + "{\"code\":\"OVER_LIMIT\",\"currentLimit\":{\"name\":\"login\",\"requestsPerUnit\":10,"
                        + "\"unit\":\"MINUTE\"},\"durationUntilReset\":\"59.050s\"},"
                        + "{\"code\":\"OK\",\"currentLimit\":{\"requestsPerUnit\":5},\"limitRemaining\":4,"
                        + "\"durationUntilReset\":\"3s\"},"
                        + "{\"code\":\"OK\"}],"
                        + "\"responseHeadersToAdd\":[{\"key\":\"RateLimit-Reset\",\"value\":\"60\"}]}");
    }
}
