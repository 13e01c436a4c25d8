package dev.weir.server.envoy;

import dev.weir.engine.config.schema.Faults;
import dev.weir.engine.config.schema.Yaml;
import dev.weir.server.envoy.EnvoyLimit.DescriptorName;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the descriptors of one file, and their limits. */
final class DescriptorReader {
    private final String domain;
    private final Faults faults;
    private final List<Draft> drafts;

    DescriptorReader(String domain, Faults faults, List<Draft> drafts) {
        this.domain = domain;
        this.faults = faults;
        this.drafts = drafts;
    }

    /** A limit whose name is not chosen yet. */
    record Draft(DescriptorNode node, EnvoyLimit limit) {}

    /** Reads {@code descriptors} into a node. */
    void readAll(EnvoyFields fields, DescriptorNode parent, List<DescriptorName> outer) {
        for (Yaml item : fields.items("descriptors")) {
            EnvoyFields own = EnvoyFields.of(item, EnvoyFields.Kind.DESCRIPTOR, noun(item), faults);
            if (own != null) {
                readOne(own, parent, outer);
            }
        }
    }

    /** The descriptor in messages. */
    private static String noun(Yaml item) {
        if (item instanceof Yaml.Entries mapping) {
            for (Yaml.Entry entry : mapping.entries()) {
                if (entry.key().equals("key") && entry.value() instanceof Yaml.Scalar key) {
                    return "the descriptor " + Faults.quote(key.text());
                }
            }
        }
        return "a descriptor";
    }

    private void readOne(EnvoyFields fields, DescriptorNode parent, List<DescriptorName> outer) {
        String key = fields.requiredText("key");
        String value = fields.text("value");
        if (key != null && key.indexOf('*') >= 0) {
            faults.add(fields.location("key"), "key is " + Faults.quote(key) + "; a wildcard belongs in 'value'");
        }
        DescriptorName name = new DescriptorName(key == null ? "" : key, value == null ? "" : value);
        boolean sharesThreshold = fields.flag("share_threshold");
        if (sharesThreshold && !name.isWildcard()) {
            faults.add(
                    fields.location("share_threshold"),
                    "share_threshold is for a value with a wildcard, such as 'files/*'; this descriptor has none");
        }
        DescriptorNode node = new DescriptorNode(name, fields.flag("value_to_metric"), sharesThreshold);
        if (key != null && !parent.add(node)) {
            faults.add(
                    fields.start(),
                    "the descriptor " + Faults.quote(name.text()) + " is in this list twice; remove one of them");
        }
        List<DescriptorName> path =
                Stream.concat(outer.stream(), Stream.of(name)).toList();
        boolean shadow = fields.flag("shadow_mode");
        boolean quota = fields.flag("quota_mode");
        boolean detailed = fields.flag("detailed_metric");
        Yaml limit = fields.node("rate_limit");
        if (limit != null) {
            readLimit(limit, node, path, shadow, quota, detailed);
        }
        readAll(fields, node, path);
    }

    private void readLimit(
            Yaml limit,
            DescriptorNode node,
            List<DescriptorName> path,
            boolean shadow,
            boolean quota,
            boolean detailed) {
        EnvoyFields fields = EnvoyFields.of(limit, EnvoyFields.Kind.RATE_LIMIT, "'rate_limit'", faults);
        if (fields == null) {
            return;
        }
        String name = fields.text("name");
        boolean isUnlimited = fields.flag("unlimited");
        Unit unit = unit(fields, isUnlimited);
        Long requests = isUnlimited ? Long.valueOf(0) : fields.requiredCount("requests_per_unit");
        List<String> replaces = replaces(fields, name);
        drafts.add(new Draft(
                node,
                new EnvoyLimit(
                        domain,
                        path,
                        "",
                        requests == null ? 0 : requests,
                        unit,
                        name,
                        replaces,
                        shadow,
                        quota,
                        detailed)));
    }

    private @Nullable Unit unit(EnvoyFields fields, boolean isUnlimited) {
        String text = fields.text("unit");
        if (isUnlimited) {
            if (text != null) {
                faults.add(fields.location("unit"), "unit is given for an unlimited rate; remove one of the two");
            }
            return null;
        }
        if (text == null) {
            faults.add(fields.start(), "'rate_limit' has no 'unit'; it needs one, or 'unlimited: true'");
            return Unit.SECOND;
        }
        for (Unit unit : Unit.values()) {
            if (unit.name().equalsIgnoreCase(text)) {
                return unit;
            }
        }
        List<String> known = Stream.of(Unit.values())
                .map(unit -> unit.name().toLowerCase(Locale.ROOT))
                .toList();
        String nearest = Faults.didYouMean(text, known);
        faults.add(
                fields.location("unit"),
                "unit is " + Faults.quote(text) + "; it must be one of " + String.join(", ", known) + nearest);
        return Unit.SECOND;
    }

    private List<String> replaces(EnvoyFields fields, @Nullable String ownName) {
        List<String> names = new ArrayList<>();
        for (Yaml item : fields.items("replaces")) {
            EnvoyFields own = EnvoyFields.of(item, EnvoyFields.Kind.REPLACES, "an item of 'replaces'", faults);
            String name = own == null ? null : own.requiredText("name");
            if (own != null && name != null && name.equals(ownName)) {
                faults.add(
                        own.location("name"),
                        "the limit " + Faults.quote(name) + " replaces itself; name another limit, or remove this");
            }
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }
}
