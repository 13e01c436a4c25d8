package dev.weir.binding.grpc;

import dev.weir.binding.grpc.talk.Line;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Records the responses of a call. */
final class RecordedResponses implements StreamObserver<Line> {
    final List<String> lines = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Throwable> end = new CompletableFuture<>();

    @Override
    public void onNext(Line line) {
        lines.add(line.getText());
    }

    @Override
    public void onError(Throwable t) {
        end.complete(t);
    }

    @Override
    public void onCompleted() {
        end.complete(Status.OK.asRuntimeException());
    }

    boolean isOver() {
        return end.isDone();
    }

    /** Returns the failure that ended the call. */
    Throwable failure() throws Exception {
        return end.get(90, TimeUnit.SECONDS);
    }

    Status.Code code() throws Exception {
        return Status.fromThrowable(failure()).getCode();
    }
}
