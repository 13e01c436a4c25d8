package dev.weir.server.envoy;

import java.util.Locale;

/** The active limits of Envoy's files as lines of text, in the form of the original's {@code /rlconfig}. */
final class EnvoyDump {
    private final EnvoyConfiguration configuration;

    EnvoyDump(EnvoyConfiguration configuration) {
        this.configuration = configuration;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (EnvoyLimit limit : configuration.limits()) {
            RateLimitQuery.Unit unit = limit.unit();
            text.append(limit.domain());
            limit.path().forEach(name -> text.append('.').append(name.text()));
            text.append(": unit=")
                    .append(unit == null ? "UNKNOWN" : unit.name().toUpperCase(Locale.ROOT))
                    .append(" requests_per_unit=")
                    .append(limit.requestsPerUnit())
                    .append(", shadow_mode: ")
                    .append(limit.shadow())
                    .append(", quota_mode: ")
                    .append(limit.quota())
                    .append('\n');
        }
        return text.toString();
    }
}
