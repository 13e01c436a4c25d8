package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.annotations.Benchmark;

/** Every benchmark measures the stated outcome: allowed or denied, from the first request on. */
final class ContestantsTest {
    private static final int REQUESTS = 20_000;

    @ParameterizedTest
    @MethodSource("hotKeyContestants")
    void hotKey_allowed_isAllowedAgainAndAgain(String name) throws Exception {
        assertThat(hotKeyAnswers(name, ExpectedOutcome.ALLOWED)).as(name).containsOnly(true);
    }

    @ParameterizedTest
    @MethodSource("hotKeyContestants")
    void hotKey_denied_isDeniedAgainAndAgain(String name) throws Exception {
        assertThat(hotKeyAnswers(name, ExpectedOutcome.DENIED)).as(name).containsOnly(false);
    }

    @ParameterizedTest
    @MethodSource("manyKeysContestants")
    void manyKeys_eachDistribution_isAllowedAgainAndAgain(String name) throws Exception {
        for (Distribution distribution : Distribution.values()) {
            Method benchmark = method(ManyKeysBenchmark.class, "check");
            ManyKeysBenchmark.Contestant contestant = new ManyKeysBenchmark.Contestant();
            contestant.limiter = name;
            contestant.distribution = distribution;
            contestant.prepare(1_000, 1 << 12);
            Object caller = newState(benchmark, 1);
            assertThat(answers(benchmark, new ManyKeysBenchmark(), contestant, caller))
                    .as(name)
                    .containsOnly(true);
        }
    }

    @ParameterizedTest
    @MethodSource("fourLimitsContestants")
    void fourLimits_isAllowedAgainAndAgain(String name) throws Exception {
        Method benchmark = method(FourLimitsBenchmark.class, name);
        assertThat(answers(benchmark, new FourLimitsBenchmark(), newState(benchmark, 0)))
                .as(name)
                .containsOnly(true);
    }

    @Test
    void weir_manyKeys_keepsThemAll() {
        // The table would evict full budgets, and would be measured with fewer keys.
        String[] keys = Keys.make(50_000);
        KeyedLimiter.Weir limiter = new KeyedLimiter.Weir();
        limiter.fill(keys);
        assertThat(limiter.size()).isEqualTo(keys.length);
    }

    @Test
    void suite_listsExactlyTheBenchmarksThatExist() {
        for (Suite.Group group : Suite.GROUPS) {
            List<String> listed = group.contestants().stream()
                    .map(Suite.Contestant::benchmark)
                    .toList();
            if (group.equals(Suite.HOT)) {
                assertThat(listed)
                        .usingElementComparator(String.CASE_INSENSITIVE_ORDER)
                        .containsExactlyInAnyOrderElementsOf(Stream.of(HotKeyBenchmark.class.getClasses())
                                .map(Class::getSimpleName)
                                .toList());
            } else if (group.equals(Suite.KEYS)) {
                assertThat(listed).doesNotHaveDuplicates().hasSize(KeyedLimiter.class.getPermittedSubclasses().length);
            } else {
                assertThat(listed).containsExactlyInAnyOrderElementsOf(benchmarks(group.benchmark()));
            }
        }
    }

    static Stream<String> hotKeyContestants() {
        return Suite.HOT.contestants().stream()
                .map(Suite.Contestant::benchmark)
                .filter(name -> !name.equals("nanoTime"));
    }

    static Stream<String> manyKeysContestants() {
        return Suite.KEYS.contestants().stream().map(Suite.Contestant::benchmark);
    }

    static Stream<String> fourLimitsContestants() {
        return benchmarks(FourLimitsBenchmark.class).stream();
    }

    private static List<Boolean> hotKeyAnswers(String name, ExpectedOutcome outcome) throws Exception {
        HotKeyBenchmark contestant = (HotKeyBenchmark) Stream.of(HotKeyBenchmark.class.getClasses())
                .filter(type -> type.getSimpleName().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow()
                .getConstructor()
                .newInstance();
        contestant.outcome = outcome;
        contestant.setUp();
        try {
            return answers(method(HotKeyBenchmark.class, "check"), contestant);
        } finally {
            contestant.close();
        }
    }

    private static List<String> benchmarks(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(Method::getName)
                .toList();
    }

    private static Method method(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Object newState(Method benchmark, int index) throws Exception {
        return benchmark.getParameterTypes()[index].getConstructor().newInstance();
    }

    private static List<Boolean> answers(Method benchmark, Object benchmarks, Object... states) throws Exception {
        List<Boolean> answers = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            answers.add((Boolean) benchmark.invoke(benchmarks, states));
        }
        return answers;
    }
}
