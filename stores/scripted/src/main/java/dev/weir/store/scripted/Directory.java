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
 * Where the records of an id are, if keys are in different places: which tags, and which scopes under each.
 *
 * <p>Where all keys are in one place none is needed: the record is where the id says. A directory is written before the
 * records and outlives them, so that whoever finds a record could find all.
 */
final class Directory {
    /** A directory lives this much longer than what it leads to. */
    private static final long SPARE_MILLIS = 60_000;

    private final ScriptLink link;
    private final KeyNames names;

    Directory(ScriptLink link, KeyNames names) {
        this.link = link;
        this.names = names;
    }

    /** The records under one tag; no scopes where there is only one place. */
    record Place(int tag, Set<String> scopes) {
        /** Those of the costs that are settled here; what is reserved nowhere is asked for at the first place. */
        Map<String, Long> concerned(Map<String, Long> costs, List<Place> all) {
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

    /** Goes on once it is written where the groups of a new id are; what was left of an old one leads nowhere. */
    <T> Answer<T> written(String id, List<Group> groups, long ttlMicros, Supplier<Answer<T>> next) {
        StringBuilder text = new StringBuilder();
        for (Group group : groups) {
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

    /** Goes on with the places of an id. */
    <T> Answer<T> found(String id, Function<List<Place>, Answer<T>> next) {
        if (!isNeeded()) {
            return next.apply(List.of(new Place(KeyNames.tag(id), Set.of())));
        }
        return Answers.then(
                noted(id),
                places -> next.apply(places.isEmpty() ? List.of(new Place(KeyNames.tag(id), Set.of())) : places));
    }

    /** The places that are written down for an id, which may have expired; none if nothing is. */
    Answer<List<Place>> noted(String id) {
        return answer(link.note(name(id))
                .thenApply(noted -> noted.map(Directory::parse).orElseGet(List::of)));
    }

    /** Like {@link #found}, and lets the directory live longer. */
    <T> Answer<T> renewed(String id, long ttlMicros, Function<List<Place>, Answer<T>> next) {
        if (!isNeeded()) {
            return found(id, next);
        }
        CompletionStage<?> longer = link.keepNote(name(id), ttlMicros / 1_000 + SPARE_MILLIS);
        return Answers.then(done(longer), done -> found(id, next));
    }

    private KeyName name(String id) {
        return names.record(RecordKind.DIRECTORY, id, KeyNames.tag(id));
    }

    private static List<Place> parse(byte[] bytes) {
        List<Place> places = new ArrayList<>();
        for (String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
            List<String> parts = List.of(line.split(":", -1));
            places.add(new Place(Integer.parseInt(parts.get(0)), new LinkedHashSet<>(parts.subList(1, parts.size()))));
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
                promise.fail(Calls.late(link));
            } else {
                promise.fail(link.failed(failure));
            }
        });
        return promise;
    }
}
