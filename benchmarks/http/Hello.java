import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;

/** A minimal Vert.x server that responds with a greeting; the reference for Weir's decision API. */
public final class Hello extends VerticleBase {
    private static final Buffer HELLO = Buffer.buffer("hello");

    /** Negative: the system chooses a port, the same for all instances. */
    private static final int ANY_PORT = -1;

    private static volatile int port;

    public static void main(String[] args) {
        int loops = Runtime.getRuntime().availableProcessors();
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
        vertx.deployVerticle(Hello::new, new DeploymentOptions().setInstances(loops))
                .onSuccess(id -> System.out.println("hello is listening on http://127.0.0.1:" + port))
                .onFailure(failure -> {
                    failure.printStackTrace();
                    System.exit(1);
                });
    }

    @Override
    public Future<?> start() {
        return vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> request.response().end(HELLO)))
                .listen(ANY_PORT, "127.0.0.1")
                .onSuccess(server -> port = server.actualPort());
    }
}
