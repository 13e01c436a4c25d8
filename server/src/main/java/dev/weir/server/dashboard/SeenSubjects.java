package dev.weir.server.dashboard;

import dev.weir.engine.Reason;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.json.Json;
import dev.weir.server.admin.SubjectAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subjects that this node has seen or refused. The store cannot list them: it only knows keys that it is given.
 *
 * <p>Holds the 10,000 subjects used last, so that attackers cannot fill the memory. A subject that was never refused is
 * evicted an hour after it was last seen. Thread-safe.
 */
public final class SeenSubjects implements EventListener {
    /*
     * Implementation notes.
     *
     * Lock: `this` guards the map, the attributes derived from the configuration, and every field of the entries.
     * Callers that read several entries at once hold the lock meanwhile (forEach() runs its action under it).
     *
     * Order: the map is in access order, so each lookup moves an entry to the end and the first entry is the one used
     * least recently. Inserting more than MOST entries evicts the first one. Iterating does not change the order;
     * therefore forEach(), due() and top() iterate and never look up.
     *
     * Life of an entry:
     *   recorded     a request carried this attribute value; has times, attribute combinations and refusals
     *   shown        it is the request's first subject, violated a limit, or has a budget that is not full
     *   counts only  not seen for KEPT_SECONDS, but refused at some time: keeps only its refusals
     *   evicted      not seen for KEPT_SECONDS and never refused, or least recently used in a full map
     * A new request can make an entry with counts only shown again. An evicted subject starts with a new id.
     *
     * forgetBefore() stops at the first entry seen recently. A lookup may move an old entry behind it; that only
     * delays its eviction.
     *
     * Events may refer to a new configuration at any time. identify() compares the configuration by reference with the
     * one used last, and derives the attributes again if it was replaced.
     */
    static final int MOST = 10_000;
    static final long KEPT_SECONDS = 3600;

    private final Weir weir;
    /** Entries by attribute and value, the least recently used first; guarded by this. */
    private final Map<SeenKey, SeenSubject> members = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<SeenKey, SeenSubject> eldest) {
            return size() > MOST;
        }
    };

    private final RecentDecisions decisions = new RecentDecisions();
    /** The seconds of the last hour in which allowed requests were observed; guarded by this. */
    private final RollingCounts observed = new RollingCounts(DeniedCounts.SLOTS, DeniedCounts.SLOT_SECONDS, 1);

    private int lastId;
    /** The subject attributes of {@link #configuration}; guarded by this. */
    private SubjectAttributes identities;

    private Configuration configuration;

    /** An attribute and its value, such as one user. */
    record SeenKey(String attribute, String value) {}

    SeenSubjects(Weir weir) {
        this.weir = weir;
        this.configuration = weir.configuration();
        this.identities = new SubjectAttributes(configuration);
    }

    /** Refusals and warnings always arrive; allowed requests only through {@link #allowed}. */
    @Override
    public boolean wantsAllowed() {
        return false;
    }

    @Override
    public void on(Event event) {
        if (event instanceof Event.OfRequest request && !(event instanceof Event.BudgetExhausted)) {
            long second = request.at().getEpochSecond();
            synchronized (this) {
                identify();
                record(request.attributes(), second);
                if (event instanceof Event.Denied denied && !denied.shadow()) {
                    refuse(denied, second);
                }
                decide(DecisionJson.of(event), second);
            }
        }
    }

    /** Returns a listener for allowed requests, which this listener does not receive. */
    EventListener allowed() {
        return event -> {
            if (event instanceof Event.Allowed) {
                on(event);
            }
        };
    }

    /** Compares by reference: configurations are replaced as a whole, and a deep comparison per event would be slow. */
    @SuppressWarnings("ReferenceEquality")
    private void identify() {
        if (weir.configuration() != configuration) {
            configuration = weir.configuration();
            identities = new SubjectAttributes(configuration);
        }
    }

    private void record(Map<String, String> attributes, long second) {
        boolean first = true;
        for (String identity : identities.of(attributes)) {
            SeenSubject member = member(identity, attributes);
            member.recordSeen(identities.relevant(identity, attributes), second);
            member.shown |= first;
            first = false;
        }
    }

    private void decide(@Nullable DecisionJson decision, long second) {
        if (decision != null) {
            for (String identity : identities.of(decision.attributes())) {
                member(identity, decision.attributes()).decided(decision, decisions, second);
            }
        }
    }

    /** Takes note that allowed requests were observed in this second. */
    synchronized void observed(long second) {
        observed.add(second, 0, 1);
    }

    /** Counts a refusal for every subject of the request, and a violation for the subject whose budget refused it. */
    private void refuse(Event.Denied denied, long second) {
        boolean isPenalty = denied.reason().equals(Reason.PENALIZED.text());
        denied.attributes().keySet().stream()
                .filter(identities::isSubject)
                .forEach(attribute -> member(attribute, denied.attributes())
                        .refused(isPenalty ? null : denied.limit(), denied.reason(), second));
        if (!denied.reason().equals(Reason.UNAVAILABLE.text())) {
            countRefusal(denied, second);
        }
    }

    private void countRefusal(Event.Denied denied, long second) {
        String whose = identities.of(denied.limit(), denied.attributes());
        if (whose == null) {
            whose = identities.of(denied.attributes()).stream().findFirst().orElse(null);
        }
        if (whose != null) {
            member(whose, denied.attributes()).violated(second);
        }
    }

    private SeenSubject member(String identity, Map<String, String> attributes) {
        String value = attributes.getOrDefault(identity, "");
        return members.computeIfAbsent(new SeenKey(identity, value), key -> new SeenSubject(++lastId, identity, value));
    }

    /** Returns the subject of the limit's budget under these attributes; null if all requests share the budget. */
    synchronized @Nullable SeenKey whose(String limit, Map<String, String> attributes) {
        identify();
        String whose = identities.of(limit, attributes);
        return whose == null ? null : new SeenKey(whose, attributes.getOrDefault(whose, ""));
    }

    /** Evicts subjects not seen since then; of those that were refused, only the refusals are kept. */
    synchronized void forgetBefore(long second) {
        Iterator<SeenSubject> eldest = members.values().iterator();
        while (eldest.hasNext()) {
            SeenSubject member = eldest.next();
            if (Math.max(member.seenAt, member.refusedAt) >= second) {
                return;
            }
            if (member.refusals == 0) {
                eldest.remove();
            } else {
                member.keepOnlyCounts();
            }
        }
    }

    /** Returns how often a subject was refused since it was last evicted. */
    public synchronized long refusals(String attribute, String value) {
        SeenSubject member = members.get(new SeenKey(attribute, value));
        return member == null ? 0 : member.refusals;
    }

    /** Writes the refusals of a subject by limit and reason since it was last evicted, as a member of the open object. */
    public synchronized void writeDeniedBy(String attribute, String value, Json json) {
        SeenSubject member = members.get(new SeenKey(attribute, value));
        if (member == null) {
            DeniedCounts.write(json, List.of());
        } else {
            member.writeDeniedBy(json);
        }
    }

    /**
     * Writes the requests of a subject over the last hour and its latest decisions, as members of the open object.
     * Refusals are complete. Allowed requests are those of {@code observed_secs}, the seconds in which they were observed.
     */
    public synchronized void writeHistory(String attribute, String value, Json json, long second) {
        json.field("slot_secs", DeniedCounts.SLOT_SECONDS);
        observed.writeAt(json, second, "observed_secs");
        json.field("latest_at", observed.latestAt());
        SeenSubject member = members.get(new SeenKey(attribute, value));
        (member == null ? new SeenSubject(0, attribute, value) : member).writeHistory(json, second);
    }

    /** Returns the values of this attribute that were refused since then, latest first. */
    public synchronized List<String> refusedSince(String attribute, long second) {
        return members.values().stream()
                .filter(member ->
                        member.attribute.equals(attribute) && member.refusals > 0 && member.refusedAt >= second)
                .sorted(Comparator.comparingLong(member -> -member.refusedAt))
                .map(member -> member.value)
                .toList();
    }

    /** Calls the action for every subject, under the lock. */
    synchronized void forEach(Consumer<SeenSubject> action) {
        // Iterates instead of looking up, which would mark every subject as recently used.
        members.values().forEach(action);
    }

    /** Returns the subjects whose budgets are to be queried again, the least recently queried first. */
    synchronized List<SeenSubject> due(long tick, int most) {
        List<SeenSubject> due = new ArrayList<>();
        for (SeenSubject member : members.values()) {
            boolean isOld = member.refreshedTick < tick - 1 && (!member.isFull() || member.consecutive > 0);
            if (member.active || isOld) {
                due.add(member);
            }
        }
        due.sort(Comparator.comparingLong(member -> member.refreshedTick));
        return due.size() > most ? due.subList(0, most) : due;
    }

    /** Returns the subjects with the most violations in the last hour, most first. */
    synchronized List<SeenSubject> top(int count, long second) {
        List<SeenSubject> offenders = new ArrayList<>();
        for (SeenSubject member : members.values()) {
            if (member.violationsLastHour(second) > 0) {
                offenders.add(member);
            }
        }
        offenders.sort(Comparator.comparingLong((SeenSubject member) -> -member.violationsLastHour(second))
                .thenComparing(member -> -member.deniedAt));
        return offenders.size() > count ? List.copyOf(offenders.subList(0, count)) : offenders;
    }
}
