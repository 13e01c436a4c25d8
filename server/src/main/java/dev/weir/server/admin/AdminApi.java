package dev.weir.server.admin;

import dev.weir.engine.ResetReport;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.json.Json;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.JsonTree;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import dev.weir.spi.settings.Validity;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Admin API for changes at run time: rates for all subjects, rates for one subject, and exempt subjects.
 *
 * <p>A change is acknowledged once it is durable. Writing it blocks, so it runs in a worker thread and not on the event
 * loop.
 */
public final class AdminApi {
    private static final String ROOT = "/api/admin/rate-limits";
    private static final String WHITELIST = ROOT + "/whitelist";
    /** The name of exempt subjects in the API, whichever attribute they are of. */
    private static final String EXEMPT = "agents";

    private static final String ONE_EXEMPT = "agent";
    private static final int MOST_ENTRIES = 1000;
    private static final int USUAL_ENTRIES = 100;

    private final Weir weir;
    private final SettingsWrites writes;

    public AdminApi(Weir weir, SettingsWrites writes) {
        this.writes = writes;
        this.weir = weir;
    }

    public void register(Router router) {
        router.add(RouteAccess.ADMIN_READ, "GET", ROOT, exchange -> exchange.json(200, state()))
                .add(RouteAccess.ADMIN, "PUT", ROOT + "/defaults", this::putDefaults)
                .add(RouteAccess.ADMIN_READ, "GET", WHITELIST, exchange -> exchange.json(200, whitelist()))
                .add(RouteAccess.ADMIN, "PUT", WHITELIST, this::replaceWhitelist)
                .add(RouteAccess.OPERATE, "POST", WHITELIST, this::addToWhitelist)
                .add(RouteAccess.OPERATE, "DELETE", WHITELIST + "/{subject}", this::removeFromWhitelist)
                .add(RouteAccess.OPERATE, "POST", ROOT + "/reset", this::reset)
                .add(RouteAccess.OPERATE, "PUT", ROOT + "/{subject}", this::putOverride)
                .add(RouteAccess.OPERATE, "DELETE", ROOT + "/{subject}", this::removeOverride)
                .add(RouteAccess.ADMIN_READ, "GET", "/api/admin/audit", this::audit)
                .add(RouteAccess.OPERATE, "POST", "/api/admin/audit/{version}/revert", this::revert);
    }

    private void putDefaults(Exchange exchange) {
        exchange.readBody(body -> {
            Map<String, Map<String, String>> rates =
                    JsonTree.read(body).only("limits").rates("limits");
            change(
                    exchange,
                    "limits",
                    new SettingsChange.PutDefaults(who(exchange), Instant.now(), rates),
                    after -> exchange.json(200, state()));
        });
    }

    private void putOverride(Exchange exchange) {
        exchange.readBody(body -> {
            Subject subject = subject(exchange.parameter(0));
            JsonTree tree = only(body, "limits");
            Map<String, Map<String, String>> rates = tree.rates("limits");
            Instant now = Instant.now();
            Validity validity = ValidityJson.read(tree, now);
            change(
                    exchange,
                    "limits",
                    new SettingsChange.PutOverride(who(exchange), now, subject, rates, validity),
                    after -> {
                        Json json = Json.newObject(128).field("subject", text(subject));
                        rates(json, "limits", rates);
                        ValidityJson.write(json, validity);
                        exchange.json(200, json.close('}'));
                    });
        });
    }

    private void removeOverride(Exchange exchange) {
        Subject subject = subject(exchange.parameter(0));
        change(
                exchange,
                "subject",
                new SettingsChange.RemoveOverride(who(exchange), Instant.now(), subject),
                after -> exchange.empty(204));
    }

    private void replaceWhitelist(Exchange exchange) {
        exchange.readBody(body -> {
            String attribute = bareAttribute();
            JsonTree tree = only(body, EXEMPT);
            Set<String> values = new LinkedHashSet<>(tree.texts(EXEMPT));
            Instant now = Instant.now();
            Validity validity = ValidityJson.read(tree, now);
            if (values.contains("")) {
                throw ProblemException.badField(
                        EXEMPT, "a text in " + EXEMPT + " is empty; it must name an " + attribute);
            }
            change(
                    exchange,
                    EXEMPT,
                    new SettingsChange.ReplaceExempt(who(exchange), now, attribute, values, validity),
                    after -> exchange.json(200, whitelist()));
        });
    }

    private void addToWhitelist(Exchange exchange) {
        exchange.readBody(body -> {
            JsonTree tree = only(body, ONE_EXEMPT);
            Subject subject = subject(tree.needText(ONE_EXEMPT));
            Instant now = Instant.now();
            Validity validity = ValidityJson.read(tree, now);
            change(
                    exchange,
                    ONE_EXEMPT,
                    new SettingsChange.AddExempt(who(exchange), now, subject, validity),
                    after -> exchange.json(200, whitelist()));
        });
    }

    private void removeFromWhitelist(Exchange exchange) {
        Subject subject = subject(exchange.parameter(0));
        change(
                exchange,
                "subject",
                new SettingsChange.RemoveExempt(who(exchange), Instant.now(), subject),
                after -> exchange.empty(204));
    }

    /** Reads a change that may end by itself; throws if it has other members. */
    private static JsonTree only(byte[] body, String name) {
        return JsonTree.read(body).only(name, ValidityJson.FOR, ValidityJson.EXPIRES_AT, ValidityJson.REASON);
    }

    private void reset(Exchange exchange) {
        exchange.readBody(body -> {
            Map<String, String> attributes =
                    JsonTree.read(body).only("attributes").textMap("attributes");
            if (attributes.isEmpty()) {
                throw ProblemException.badField("attributes", "attributes is empty; name whose budgets to reset");
            }
            attributes.forEach((name, value) -> {
                if (value.isEmpty()) {
                    throw ProblemException.badField(
                            "attributes." + name, "this is empty and names no subject; omit it");
                }
            });
            change(
                    exchange,
                    "attributes",
                    new SettingsChange.ResetBudgets(who(exchange), Instant.now(), attributes),
                    kept -> exchange.whenDone(
                            weir.resetSubjectAsync(attributes), report -> exchange.json(200, text(report))));
        });
    }

    private void audit(Exchange exchange) {
        String asked = exchange.request().getParam("limit");
        int count = asked == null ? USUAL_ENTRIES : count(asked);
        String about = exchange.request().getParam("subject");
        Subject only = about == null ? null : subject(about);
        exchange.blocking(
                () -> {
                    Json json = Json.newObject(1024).name("entries").open('[');
                    weir.audit(only == null ? count : MOST_ENTRIES).stream()
                            .filter(entry -> only == null || isAbout(entry.change(), only))
                            .limit(count)
                            .forEach(entry -> write(json, entry));
                    return json.close(']').field("fault", weir.auditFault()).close('}');
                },
                json -> exchange.json(200, json));
    }

    private void revert(Exchange exchange) {
        String text = exchange.parameter(0);
        if (!text.matches("[1-9][0-9]{0,17}")) {
            throw ProblemException.notFound("the version of an entry is a whole number");
        }
        exchange.blocking(
                () -> {
                    List<AuditEntry> entries = weir.audit(MOST_ENTRIES);
                    return new AuditRevert(entries, entries.size() < MOST_ENTRIES)
                            .of(Long.parseLong(text), who(exchange), Instant.now());
                },
                change -> change(exchange, "version", change, after -> exchange.json(200, state())));
    }

    private static boolean isAbout(SettingsChange change, Subject subject) {
        if (change instanceof SettingsChange.ResetBudgets reset) {
            return subject.value().equals(reset.attributes().get(subject.attribute()));
        }
        if (change instanceof SettingsChange.ReplaceExempt replace) {
            return replace.attribute().equals(subject.attribute());
        }
        return subject.equals(change.subject());
    }

    private static int count(String text) {
        if (!text.matches("[1-9][0-9]{0,3}") || Integer.parseInt(text) > MOST_ENTRIES) {
            throw ProblemException.badField("limit", "limit must be a whole number from 1 to " + MOST_ENTRIES);
        }
        return Integer.parseInt(text);
    }

    /** Applies a change; {@code field} is the request's field that asked for it, which an error names. */
    private void change(Exchange exchange, String field, SettingsChange change, Consumer<SettingsSnapshot> then) {
        exchange.blocking(
                () -> {
                    try {
                        SettingsSnapshot after = weir.change(change);
                        writes.succeeded();
                        return after;
                    } catch (SettingsException e) {
                        writes.failed(e);
                        throw ProblemException.of(
                                503,
                                "unavailable",
                                "the change could not be written, and is not in force; the server's log has the cause");
                    } catch (IllegalArgumentException e) {
                        throw ProblemException.badField(field, String.valueOf(e.getMessage()));
                    }
                },
                then);
    }

    /** Returns the author of a change: the name of the token and the address of the client. */
    static String who(Exchange exchange) {
        return exchange.caller() + "@" + exchange.client();
    }

    private Subject subject(String text) {
        int equals = text.indexOf('=');
        if (equals == text.length() - 1) {
            throw ProblemException.badField(
                    "subject", "the subject is empty; it must be attribute=value, or a value alone");
        }
        return equals > 0
                ? new Subject(text.substring(0, equals), text.substring(equals + 1))
                : new Subject(bareAttribute(), text);
    }

    private String bareAttribute() {
        return new SubjectAttributes(weir.configuration()).bare();
    }

    private static Json text(ResetReport report) {
        Json json = Json.newObject(256).field("reset", (long) report.count());
        json.name("budgets").open('[');
        report.budgets()
                .forEach(budget -> json.open('{')
                        .field("limit", budget.limit())
                        .field("key", budget.key())
                        .field("slots", budget.slots())
                        .close('}'));
        return json.close(']').field("incomplete", report.incomplete()).close('}');
    }

    private static String text(Subject subject) {
        return subject.attribute() + "=" + subject.value();
    }

    private Json state() {
        Configuration configuration = weir.configuration();
        SettingsSnapshot settings = weir.settings();
        Json json = Json.newObject(2048).field("version", settings.version());
        rates(json, "defaults", defaults(configuration, settings));
        rates(json, "defaults_changed", settings.defaults());
        json.name("overrides").open('{');
        settings.overrides().forEach((subject, limits) -> rates(json, text(subject), limits));
        json.close('}').field("whitelist", exempt(bareAttribute()));
        values(json, "exempt", settings.exempt());
        values(json, "exempt_configured", configuration.exempt());
        ValidityJson.write(json, "override_validity", settings.overrideValidity());
        ValidityJson.write(json, "exempt_validity", settings.exemptValidity());
        json.name("limits").open('[');
        configuration.limits().forEach(limit -> write(json, limit));
        return json.close(']').close('}');
    }

    /** Returns the rates that apply to all subjects: those of the configuration, replaced by those of the settings. */
    private static Map<String, Map<String, String>> defaults(Configuration configuration, SettingsSnapshot settings) {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        configuration.limits().forEach(limit -> all.put(limit.name(), ConfigurationJson.rates(limit, settings)));
        return all;
    }

    private static void write(Json json, LimitRule limit) {
        json.open('{')
                .field("name", limit.name())
                .field("per", ConfigurationJson.per(limit))
                .field("by", limit.by())
                .field("algorithm", limit.algorithm().text())
                .field("shadow", limit.shadow())
                .close('}');
    }

    private Json whitelist() {
        Json json = Json.newObject(256).field(EXEMPT, exempt(bareAttribute()));
        ValidityJson.write(json, "exempt_validity", weir.settings().exemptValidity());
        return json.close('}');
    }

    private Set<String> exempt(String attribute) {
        Set<String> values = new LinkedHashSet<>(weir.configuration().exempt().getOrDefault(attribute, Set.of()));
        values.addAll(weir.settings().exempt().getOrDefault(attribute, Set.of()));
        return values;
    }

    private static void rates(Json json, String name, Map<String, Map<String, String>> limits) {
        json.name(name).open('{');
        limits.forEach(json::field);
        json.close('}');
    }

    private static void values(Json json, String name, Map<String, Set<String>> byAttribute) {
        json.name(name).open('{');
        byAttribute.forEach(json::field);
        json.close('}');
    }

    private static void write(Json json, AuditEntry entry) {
        SettingsChange change = entry.change();
        Subject subject = change.subject();
        json.open('{')
                .field("version", entry.version())
                .field("who", change.who())
                .field("when", change.at().toString())
                .field("change", kind(change))
                .field("subject", subject == null ? null : text(subject));
        if (change instanceof SettingsChange.PutOverride || change instanceof SettingsChange.PutDefaults) {
            rates(json, "limits", change.limits());
        } else if (change instanceof SettingsChange.ReplaceExempt replace) {
            json.field("values", replace.values());
        } else if (change instanceof SettingsChange.ResetBudgets reset) {
            json.field("attributes", reset.attributes());
        }
        if (!change.validity().equals(Validity.UNLIMITED)) {
            ValidityJson.write(json, change.validity());
        }
        json.close('}');
    }

    private static String kind(SettingsChange change) {
        return change.getClass()
                .getSimpleName()
                .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                .toLowerCase(java.util.Locale.ROOT);
    }
}
