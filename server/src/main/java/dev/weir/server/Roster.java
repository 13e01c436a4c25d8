package dev.weir.server;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whom this node has seen and refused: what the store, which knows only whom it is asked about, cannot list.
 *
 * <p>Holds the latest 10,000, whatever attackers send; who was never refused, for an hour after it was last seen.
 * Safe for use by any number of threads.
 */
final class Roster implements EventListener {
    static final int MOST = 10_000;
    static final long KEPT_SECONDS = 3600;

    private final Weir weir;
    /** By attribute and value, the least recently seen first; guarded by this. */
    private final Map<Subject, Member> members = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Subject, Member> eldest) {
            return size() > MOST;
        }
    };

    private int lastId;
    /** Of the configuration it was made for; guarded by this. */
    private Identities identities;

    private Configuration configuration;

    /** An attribute and its value, such as one user. */
    record Subject(String attribute, String value) {}

    Roster(Weir weir) {
        this.weir = weir;
        this.configuration = weir.configuration();
        this.identities = new Identities(configuration);
    }

    /** Refusals and warnings are always heard; requests that passed only while somebody looks. */
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
                see(request.attributes(), second);
                if (event instanceof Event.Denied denied && !denied.shadow()) {
                    refuse(denied, second);
                }
            }
        }
    }

    /** A listener for what this one leaves out. */
    EventListener allowed() {
        return event -> {
            if (event instanceof Event.Allowed) {
                on(event);
            }
        };
    }

    /** Configurations are replaced as a whole, and comparing them deeply for each event would cost. */
    @SuppressWarnings("ReferenceEquality")
    private void identify() {
        if (weir.configuration() != configuration) {
            configuration = weir.configuration();
            identities = new Identities(configuration);
        }
    }

    private void see(Map<String, String> attributes, long second) {
        boolean first = true;
        for (String identity : identities.of(attributes)) {
            Member member = member(identity, attributes);
            member.came(identities.relevant(identity, attributes), second);
            member.shown |= first;
            first = false;
        }
    }

    /** Counts a refusal for everybody in it; a violation is that of the one whose budget it was. */
    private void refuse(Event.Denied denied, long second) {
        denied.attributes().keySet().stream()
                .filter(identities::isSubject)
                .forEach(attribute -> member(attribute, denied.attributes()).refused(second));
        if (!denied.reason().equals("unavailable")) {
            blame(denied, second);
        }
    }

    private void blame(Event.Denied denied, long second) {
        String whose = identities.of(denied.limit(), denied.attributes());
        if (whose == null) {
            whose = identities.of(denied.attributes()).stream().findFirst().orElse(null);
        }
        if (whose != null) {
            member(whose, denied.attributes()).violated(second);
        }
    }

    private Member member(String identity, Map<String, String> attributes) {
        String value = attributes.getOrDefault(identity, "");
        return members.computeIfAbsent(new Subject(identity, value), key -> new Member(++lastId, identity, value));
    }

    /** Whose budget it is that one limit keeps under these attributes, as attribute and value; null for one of all. */
    synchronized @Nullable Subject whose(String limit, Map<String, String> attributes) {
        identify();
        String whose = identities.of(limit, attributes);
        return whose == null ? null : new Subject(whose, attributes.getOrDefault(whose, ""));
    }

    /** Forgets those not seen for long; of who was refused, all but that. */
    synchronized void forgetBefore(long second) {
        Iterator<Member> eldest = members.values().iterator();
        while (eldest.hasNext()) {
            Member member = eldest.next();
            if (Math.max(member.seenAt, member.refusedAt) >= second) {
                return;
            }
            if (member.refusals == 0) {
                eldest.remove();
            } else {
                member.hide();
            }
        }
    }

    /** How often a subject was refused since it was last forgotten. */
    synchronized long refusals(String attribute, String value) {
        Member member = members.get(new Subject(attribute, value));
        return member == null ? 0 : member.refusals;
    }

    /** The values of those with this attribute that were refused since then, latest first. */
    synchronized List<String> refusedSince(String attribute, long second) {
        return members.values().stream()
                .filter(member ->
                        member.attribute.equals(attribute) && member.refusals > 0 && member.refusedAt >= second)
                .sorted(Comparator.comparingLong(member -> -member.refusedAt))
                .map(member -> member.value)
                .toList();
    }

    /** Everybody, under the lock. */
    synchronized void forEach(Consumer<Member> action) {
        // Not by a look-up, which would make everyone recently seen.
        members.values().forEach(action);
    }

    /** Whose budgets should be looked at again, those that have waited longest first. */
    synchronized List<Member> due(long tick, int most) {
        List<Member> due = new ArrayList<>();
        for (Member member : members.values()) {
            boolean isOld = member.refreshedTick < tick - 1 && (!member.isWhole() || member.consecutive > 0);
            if (member.active || isOld) {
                due.add(member);
            }
        }
        due.sort(Comparator.comparingLong(member -> member.refreshedTick));
        return due.size() > most ? due.subList(0, most) : due;
    }

    /** Those with the most violations in the last hour, most first. */
    synchronized List<Member> top(int count, long second) {
        List<Member> offenders = new ArrayList<>();
        for (Member member : members.values()) {
            if (member.violationsLastHour(second) > 0) {
                offenders.add(member);
            }
        }
        offenders.sort(Comparator.comparingLong((Member member) -> -member.violationsLastHour(second))
                .thenComparing(member -> -member.deniedAt));
        return offenders.size() > count ? List.copyOf(offenders.subList(0, count)) : offenders;
    }
}
