package dev.weir.store.scripted;

import dev.weir.Answer;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import dev.weir.store.scripted.KeyNames.RecordKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Locates the records of a hold on a partitioned backend: stores for each id the tags of its keys and the scopes under
 * each.
 *
 * <p>An unpartitioned backend needs no directory: the id alone determines the name of the record. A directory entry is
 * written before the records and expires after them, so whenever a record exists all records of its id can be found.
 *
 * <p>Safe for use by several threads. Every answer fails with a {@link dev.weir.StoreException} after the link's
 * timeout.
 */
final class HoldLocator {
    /** How much longer a directory entry lives than its records, in milliseconds. */
    private static final long SPARE_MILLIS = 60_000;

    private final ScriptLink link;
    private final KeyNames names;

    HoldLocator(ScriptLink link, KeyNames names) {
        this.link = link;
        this.names = names;
    }

    /** The records of an id under one tag, with their escaped scopes; no scopes on an unpartitioned backend. */
    record HoldLocation(int tag, Set<String> scopes) {
        /**
         * The costs to settle under this tag. A scope without a reservation goes to the first tag, whose script reports
         * it.
         */
        Map<String, Long> concerned(Map<String, Long> costs, List<HoldLocation> all) {
            if (scopes.isEmpty()) {
                return costs;
            }
            Map<String, Long> own = new TreeMap<>();
            costs.forEach((scope, cost) -> {
                boolean isNowhere = all.stream().noneMatch(place -> place.scopes.contains(scope));
                if (scopes.contains(scope) || (isNowhere && tag == all.get(0).tag)) {
                    own.put(scope, cost);
                }
            });
            return own;
        }
    }

    boolean isNeeded() {
        return link.isPartitioned();
    }

    /** Writes the entry of a new id, replacing an old one, then runs {@code next}. */
    <T> Answer<T> written(String id, List<ChargeGroup> groups, long ttlMicros, Supplier<Answer<T>> next) {
        StringBuilder text = new StringBuilder();
        for (ChargeGroup group : groups) {
            text.append(group.tag());
            Set<String> scopes = new LinkedHashSet<>();
            group.charges()
                    .forEach(charge ->
                            scopes.add(KeyNames.escaped(charge.charge().key().scope())));
            scopes.forEach(scope -> text.append(':').append(scope));
            text.append('\n');
        }
        CompletionStage<?> noted =
                link.note(name(id), text.toString().getBytes(StandardCharsets.UTF_8), ttlMicros / 1_000 + SPARE_MILLIS);
        return Answers.then(done(noted), done -> next.get());
    }

    /** Runs {@code next} with the locations of an id. Without an entry that is the tag of the id itself. */
    <T> Answer<T> found(String id, Function<List<HoldLocation>, Answer<T>> next) {
        if (!isNeeded()) {
            return next.apply(List.of(new HoldLocation(KeyNames.tag(id), Set.of())));
        }
        return Answers.then(
                noted(id),
                places ->
                        next.apply(places.isEmpty() ? List.of(new HoldLocation(KeyNames.tag(id), Set.of())) : places));
    }

    /** The stored locations of an id, whose records may have expired; empty if there is no entry. */
    Answer<List<HoldLocation>> noted(String id) {
        return answer(link.note(name(id))
                .thenApply(noted -> noted.map(HoldLocator::parse).orElseGet(List::of)));
    }

    /** Like {@link #found}, and extends the time to live of the entry first. */
    <T> Answer<T> renewed(String id, long ttlMicros, Function<List<HoldLocation>, Answer<T>> next) {
        if (!isNeeded()) {
            return found(id, next);
        }
        CompletionStage<?> longer = link.extendNote(name(id), ttlMicros / 1_000 + SPARE_MILLIS);
        return Answers.then(done(longer), done -> found(id, next));
    }

    private KeyName name(String id) {
        return names.record(RecordKind.DIRECTORY, id, KeyNames.tag(id));
    }

    private static List<HoldLocation> parse(byte[] bytes) {
        List<HoldLocation> places = new ArrayList<>();
        for (String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
            List<String> parts = List.of(line.split(":", -1));
            places.add(new HoldLocation(
                    Integer.parseInt(parts.get(0)), new LinkedHashSet<>(parts.subList(1, parts.size()))));
        }
        return places;
    }

    private Answer<Boolean> done(CompletionStage<?> stage) {
        return answer(stage.thenApply(any -> true));
    }

    private <T> Answer<T> answer(CompletionStage<T> stage) {
        Promise<T> promise = new Promise<>();
        CompletableFuture<T> inTime =
                stage.toCompletableFuture().copy().orTimeout(link.timeout().toMillis(), TimeUnit.MILLISECONDS);
        var unused = inTime.whenComplete((value, failure) -> {
            if (failure == null) {
                promise.complete(value);
            } else if (failure instanceof TimeoutException) {
                promise.fail(ScriptClient.late(link));
            } else {
                promise.fail(link.failed(failure));
            }
        });
        return promise;
    }
}
