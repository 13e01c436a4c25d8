package dev.weir.store.raft;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Questions and answers between nodes on Weir's own connections, for engines whose connections are theirs to choose. */
final class Wire implements TcpTransport.Receiver, AutoCloseable {
    private final TcpTransport transport;
    private final Handler handler;
    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /** Answers what another node asks; must not block. */
    interface Handler {
        CompletableFuture<byte[]> handle(int from, int kind, byte[] question) throws IOException;
    }

    private record Waiting(int node, CompletableFuture<byte[]> answer) {}

    Wire(RaftOptions options, Handler handler) throws IOException {
        this.handler = handler;
        this.transport = new TcpTransport(options.bind(), options.identity(), options.members(), this);
    }

    int port() {
        return transport.port();
    }

    String refusal() {
        return transport.refusal();
    }

    CompletableFuture<byte[]> ask(int node, int kind, byte[] question, long millis) {
        long number = numbers.incrementAndGet();
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        waiting.put(number, new Waiting(node, answer));
        transport.send(node, new Message.Submit(kind, number, false, question));
        return answer.orTimeout(millis, TimeUnit.MILLISECONDS).whenComplete((bytes, failure) -> waiting.remove(number));
    }

    /** A question has the kind as its term; an answer has the flag, and kind 0 if it failed. */
    @Override
    public void received(int from, Message message) {
        Message.Submit submit = (Message.Submit) message;
        if (submit.durable()) {
            Waiting asked = waiting.get(submit.number());
            if (asked != null && submit.term() > 0) {
                asked.answer.complete(submit.body());
            } else if (asked != null) {
                asked.answer.completeExceptionally(new IOException("node " + from + " could not answer"));
            }
            return;
        }
        try {
            handler.handle(from, (int) submit.term(), submit.body())
                    .whenComplete((bytes, failure) -> transport.send(
                            from,
                            new Message.Submit(
                                    failure == null ? submit.term() : 0,
                                    submit.number(),
                                    true,
                                    failure == null ? bytes : new byte[0])));
        } catch (IOException | RuntimeException e) {
            transport.send(from, new Message.Submit(0, submit.number(), true, new byte[0]));
        }
    }

    @Override
    public void disconnected(int from) {
        waiting.values().stream()
                .filter(asked -> asked.node == from)
                .forEach(asked -> asked.answer.completeExceptionally(new IOException("node " + from + " hung up")));
    }

    @Override
    public void close() {
        transport.close();
    }
}
