package dev.weir.server.dashboard;

import dev.weir.Answer;
import dev.weir.DirectStore;
import dev.weir.StoreException;
import dev.weir.engine.LimitResult;
import dev.weir.engine.PenaltyState;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.http.HttpDecision;
import dev.weir.server.admin.SubjectAttributes;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the budgets and penalties of the {@link SeenSubjects}'s subjects from the store, a bounded number per second, without
 * spending. Runs in one thread that is not an event loop. If the store fails, the previous values stay.
 */
final class SeenSubjectsRefresh {
    /**
     * Subjects to query per second: a query in this process costs microseconds; {@link #MOST_FAR} is for remote stores.
     */
    private static final int MOST_NEAR = 5000;

    private static final int MOST_FAR = 250;
    private static final Duration ROUND_TIMEOUT = Duration.ofMillis(200);

    private final Weir weir;
    private final SeenSubjects seenSubjects;
    /** The configuration and the settings at the last run. */
    private @Nullable Configuration markedConfiguration;

    private @Nullable SettingsSnapshot markedSettings;

    SeenSubjectsRefresh(Weir weir, SeenSubjects seenSubjects) {
        this.weir = weir;
        this.seenSubjects = seenSubjects;
    }

    void run(long second, long tick) {
        // First: an exemption shows at once, also while the store does not answer.
        mark(tick);
        int most = weir.store().delegate() instanceof DirectStore ? MOST_NEAR : MOST_FAR;
        PenaltyRule penalty = weir.configuration().penalty();
        String punished = penalty == null ? null : penalty.soleAttribute();
        long forgiven = penalty == null ? 0 : second - penalty.resetAfter().toSeconds() - 1;
        for (SeenSubject member : seenSubjects.due(tick, most)) {
            try {
                List<SeenSubject.Budget> budgets = member.isCut() ? List.of() : budgets(member, second);
                boolean isAsked = member.attribute.equals(punished) && member.deniedAt >= forgiven && !member.isCut();
                PenaltyState penaltyState =
                        isAsked ? now(weir.penaltyStateAsync(member.value)) : new PenaltyState(0, Duration.ZERO);
                synchronized (seenSubjects) {
                    member.take(budgets, penaltyState, second, tick);
                }
            } catch (StoreException | IllegalArgumentException e) {
                // The outage is reported elsewhere. The previous budgets stay, and the dashboard shows them as unknown.
                seenSubjects.forEach(seen -> seen.takeWithoutStore(tick));
                return;
            }
        }
    }

    private List<SeenSubject.Budget> budgets(SeenSubject member, long second) {
        List<Map<String, String>> ways;
        synchronized (seenSubjects) {
            ways = member.ways();
        }
        Map<String, SeenSubject.Budget> found = new TreeMap<>();
        for (Map<String, String> way : ways) {
            for (LimitResult limit : now(weir.statusAsync(way))) {
                if (member.attribute.equals(SubjectAttributes.best(limit.keyedBy()))) {
                    Map<String, String> key = key(limit, member.attribute, way);
                    found.putIfAbsent(limit.name() + key, budget(limit, key, second));
                }
            }
        }
        // The order does not depend on which request was last.
        return List.copyOf(found.values());
    }

    private static SeenSubject.Budget budget(LimitResult limit, Map<String, String> key, long second) {
        long remaining = Math.max(0, limit.remaining());
        long resetAt = HttpDecision.resetAt(limit, second * 1000);
        return new SeenSubject.Budget(limit.name(), key, limit.capacity(), remaining, resetAt, limit.shadow());
    }

    private static Map<String, String> key(LimitResult limit, String identity, Map<String, String> way) {
        Map<String, String> key = new LinkedHashMap<>();
        for (String name : limit.keyedBy()) {
            String value = way.get(name);
            if (value != null && !name.equals(identity)) {
                key.put(name, value);
            }
        }
        return key;
    }

    /**
     * Updates which subjects are exempt or have their own rates; both change with the settings. After a change the
     * budgets of all subjects are queried again, because other limits and rates may apply to them.
     */
    @SuppressWarnings("ReferenceEquality") // Both are replaced as a whole; a deep comparison each second would be slow.
    private void mark(long tick) {
        Configuration configuration = weir.configuration();
        SettingsSnapshot settings = weir.settings();
        if (configuration != markedConfiguration || settings != markedSettings) {
            seenSubjects.forEach(member -> member.active |= member.shown);
            markedConfiguration = configuration;
            markedSettings = settings;
        }
        Set<Subject> overridden = settings.overrides().keySet();
        seenSubjects.forEach(member -> member.mark(
                configuration.exempt().getOrDefault(member.attribute, Set.of()).contains(member.value)
                        || settings.isExempt(member.attribute, member.value),
                overridden.contains(new Subject(member.attribute, member.value)),
                tick));
    }

    private static <T> T now(Answer<T> answer) {
        return answer.isDone() ? answer.now() : answer.await(ROUND_TIMEOUT);
    }
}
