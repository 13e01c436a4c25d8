import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;

/** The least that a Vert.x server can do: read a request, say hello. What Weir's decision API is measured against. */
public final class Hello extends VerticleBase {
    private static final Buffer HELLO = Buffer.buffer("hello");

    public static void main(String[] args) {
        int loops = Runtime.getRuntime().availableProcessors();
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
        vertx.deployVerticle(Hello::new, new DeploymentOptions().setInstances(loops))
                .onSuccess(id -> System.out.println("ready"))
                .onFailure(Throwable::printStackTrace);
    }

    @Override
    public Future<?> start() {
        return vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> request.response().end(HELLO)))
                .listen(Integer.getInteger("port", 8090), "127.0.0.1");
    }
}
