package dev.weir.server.rls;

import dev.weir.Answer;
import dev.weir.remote.Answers;
import dev.weir.server.http.ServerState;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * gRPC health: {@code SERVING} while the store responds, until the server drains. It has the service names that clients
 * of Envoy's own service use.
 *
 * <p>Like {@code /health/ready} it asks the store when it is asked itself, and once a second while clients watch.
 * Thread-safe.
 */
final class HealthService extends HealthGrpc.HealthImplBase {
    private static final Set<String> SERVICES = Set.of("", "ratelimit", RateLimitSchema.SERVICE);
    private static final int MAX_WATCHERS = 100;

    private final ServerState node;
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();

    HealthService(ServerState node) {
        this.node = node;
    }

    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        if (!SERVICES.contains(request.getService())) {
            observer.onError(
                    Status.NOT_FOUND.withDescription("there is no such service").asRuntimeException());
            return;
        }
        status().whenDone((status, failure) -> {
            observer.onNext(response(status));
            observer.onCompleted();
        });
    }

    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        if (watchers.size() >= MAX_WATCHERS) {
            observer.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("there are " + MAX_WATCHERS + " watchers; there may be no more")
                    .asRuntimeException());
            return;
        }
        Watcher watcher = new Watcher(observer);
        if (!SERVICES.contains(request.getService())) {
            watcher.report(ServingStatus.SERVICE_UNKNOWN);
            return;
        }
        ((ServerCallStreamObserver<HealthCheckResponse>) observer).setOnCancelHandler(() -> watchers.remove(watcher));
        watchers.add(watcher);
        status().whenDone((status, failure) -> watcher.report(status));
    }

    /** Reports the present status to the watchers. */
    void refresh() {
        if (!watchers.isEmpty()) {
            status().whenDone((status, failure) -> watchers.forEach(watcher -> watcher.report(status)));
        }
    }

    /** Returns the status; never fails. */
    private Answer<ServingStatus> status() {
        if (node.isDraining()) {
            return Answer.of(ServingStatus.NOT_SERVING);
        }
        return Answers.then(
                Answers.of(node.weir::isStoreReachableAsync),
                reachable -> Answer.of(reachable ? ServingStatus.SERVING : ServingStatus.NOT_SERVING),
                failure -> Answer.of(ServingStatus.NOT_SERVING));
    }

    private static HealthCheckResponse response(@Nullable ServingStatus status) {
        return HealthCheckResponse.newBuilder()
                .setStatus(status == null ? ServingStatus.NOT_SERVING : status)
                .build();
    }

    /** A client that follows the status: it gets a message for each change. */
    private static final class Watcher {
        private final StreamObserver<HealthCheckResponse> observer;
        /** Guarded by this. */
        private @Nullable ServingStatus last;

        private Watcher(StreamObserver<HealthCheckResponse> observer) {
            this.observer = observer;
        }

        private synchronized void report(@Nullable ServingStatus status) {
            if (status != last) {
                last = status;
                observer.onNext(response(status));
            }
        }
    }
}
