package dev.weir.store.durableobjects;

import dev.weir.StoreException;
import dev.weir.remote.BatcherOptions;
import dev.weir.store.scripted.KeyName;
import dev.weir.store.scripted.ScriptLink;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sends calls to the shards, each of which is one Durable Object. Safe for use by several threads. */
final class WorkerLink implements ScriptLink {
    /** Number of shards, a power of two. The lowest bits of a tag are its shard. */
    static final int SHARDS = 128;

    /** Maximum size of a response in bytes. */
    private static final int MOST_ANSWERED = 4 << 20;

    /**
     * Allows a few calls to a shard in flight, because the network takes longer than the decisions: a request that just
     * missed a batch need not wait for its response. A call stays well below the mebibyte that the worker accepts.
     */
    private static final BatcherOptions BATCHING =
            BatcherOptions.defaults().withMaxInFlight(4).withMaxBatch(512);

    private final WorkerClient worker;

    WorkerLink(WorkerClient worker) {
        this.worker = worker;
    }

    WorkerClient worker() {
        return worker;
    }

    @Override
    public String name() {
        return worker.name();
    }

    @Override
    public Duration timeout() {
        return worker.timeout();
    }

    @Override
    public boolean isPartitioned() {
        return true;
    }

    @Override
    public BatcherOptions batching() {
        return BATCHING;
    }

    @Override
    public CompletionStage<byte[]> decide(int tag, byte[][] keys, byte[][] arguments) {
        WorkerPayload body = new WorkerPayload().number(keys.length);
        for (byte[] key : keys) {
            body.framed(key);
        }
        for (byte[] argument : arguments) {
            body.framed(argument);
        }
        return worker.post(shard(tag), body.bytes(), MOST_ANSWERED).thenApply(response -> {
            if (response.statusCode() != 200) {
                throw new StoreException(name() + " answered " + response.statusCode() + " to a call", false, null);
            }
            return response.body();
        });
    }

    @Override
    public CompletionStage<Optional<byte[]>> note(KeyName name) {
        return note(
                name.tag(), new WorkerPayload().framed(name.bytes()).number(0).number(0));
    }

    @Override
    public CompletionStage<?> note(KeyName name, byte[] text, long ttlMillis) {
        return note(name.tag(), lived(name, ttlMillis).framed(text));
    }

    @Override
    public CompletionStage<?> extendNote(KeyName name, long ttlMillis) {
        return note(name.tag(), lived(name, ttlMillis));
    }

    private static WorkerPayload lived(KeyName name, long ttlMillis) {
        return new WorkerPayload()
                .framed(name.bytes())
                .number((int) (ttlMillis >>> 32))
                .number((int) ttlMillis);
    }

    private CompletableFuture<Optional<byte[]>> note(int tag, WorkerPayload body) {
        return worker.post(shard(tag) + "/notes", body.bytes(), MOST_ANSWERED)
                .thenApply(response ->
                        response.statusCode() == 200 ? Optional.of(response.body()) : Optional.<byte[]>empty());
    }

    private static String shard(int tag) {
        return "/v1/shards/" + (tag & (SHARDS - 1));
    }

    @Override
    public StoreException failed(Throwable failure) {
        return worker.failed(failure);
    }

    /** Does nothing: idle connections close by themselves. */
    @Override
    public void close() {}
}
