package dev.weir.example.hub;

import dev.weir.engine.Counts;
import dev.weir.engine.Outcome;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP API of the hub. Every request passes the same steps: authentication, check by Weir, parsing of the body,
 * execution. A request without a valid token is charged to its address, whatever it requests.
 */
final class HttpApi {
    private static final String BEARER = "Bearer ";
    private static final JsonObject OK = new JsonObject().put("ok", true);

    private final Context loop;
    private final Services hub;
    private final Consumer<HttpServerRequest> upgrade;
    private final List<Route> routes;

    /**
     * One method and path with its handler.
     *
     * @param path may have one path parameter: {@code /api/tasks/{id}}
     * @param action its name for Weir
     * @param open whether it needs no token
     */
    record Route(HttpMethod method, String path, String action, boolean open, Consumer<HttpExchange> does) {
        /** Returns a route that needs no token. */
        static Route open(HttpMethod method, String path, String action, Consumer<HttpExchange> does) {
            return new Route(method, path, action, true, does);
        }

        /** Returns a route for agents. */
        static Route of(HttpMethod method, String path, String action, Consumer<HttpExchange> does) {
            return new Route(method, path, action, false, does);
        }

        /** Returns the value of the path parameter; null if the path does not match. */
        @Nullable
        String match(String path) {
            int open = this.path.indexOf('{');
            if (open < 0) {
                return this.path.equals(path) ? "" : null;
            }
            String before = this.path.substring(0, open);
            String after = this.path.substring(this.path.indexOf('}') + 1);
            if (!path.startsWith(before)
                    || !path.endsWith(after)
                    || path.length() <= before.length() + after.length()) {
                return null;
            }
            String value = path.substring(before.length(), path.length() - after.length());
            return value.contains("/") ? null : value;
        }
    }

    HttpApi(Context loop, Services hub, Consumer<HttpServerRequest> upgrade) {
        this.loop = loop;
        this.hub = hub;
        this.upgrade = upgrade;
        this.routes = List.of(
                Route.open(HttpMethod.GET, "/health", "get_health", call -> call.end(200, OK)),
                Route.open(HttpMethod.GET, "/api/agents", "get_agents", this::agents),
                Route.open(HttpMethod.GET, "/api/channels", "get_channels", this::channels),
                Route.open(HttpMethod.GET, "/api/metrics", "get_metrics", this::metrics),
                Route.of(HttpMethod.GET, "/api/tasks", "get_tasks", this::tasks),
                Route.of(HttpMethod.GET, "/api/tasks/{id}", "get_task_detail", this::task),
                Route.of(HttpMethod.GET, "/api/channels/{name}", "get_channel_info", this::channel),
                Route.of(HttpMethod.GET, "/api/channels/{name}/messages", "get_messages", this::messages),
                Route.of(HttpMethod.POST, "/api/messages", "post_message", this::message),
                Route.of(HttpMethod.POST, "/api/channels/{name}/publish", "post_channel_publish", this::publish),
                Route.of(HttpMethod.POST, "/api/channels", "post_channel", this::createChannel),
                Route.of(HttpMethod.POST, "/api/tasks", "post_task", this::submit),
                Route.open(HttpMethod.POST, "/api/onboard/register", "post_onboard_register", this::register));
    }

    List<Route> routes() {
        return routes;
    }

    void handle(HttpServerRequest request) {
        String path = String.valueOf(request.path());
        Route route = null;
        String parameter = "";
        for (Route known : routes) {
            String match = known.method.equals(request.method()) ? known.match(path) : null;
            if (match != null) {
                route = known;
                parameter = match;
                break;
            }
        }
        String agent = agent(request);
        String ip = hub.gate().address(request.remoteAddress().hostAddress(), request.headers());
        HttpExchange call = new HttpExchange(request, agent, parameter);
        Route found = route;
        request.pause();
        EventLoopAnswers.then(
                loop,
                hub.gate().call(agent, ip, path, found == null ? null : found.action),
                outcome -> decided(call, found, path, outcome.now()));
    }

    private void decided(HttpExchange call, @Nullable Route route, String path, Outcome outcome) {
        DecisionFrames.headers(outcome, call.request().response().headers());
        if (!outcome.allowed()) {
            call.end(429, DecisionFrames.refusalBody(outcome));
        } else if (path.equals("/ws") && call.request().canUpgradeToWebSocket()) {
            upgrade.accept(call.request());
        } else if (route == null) {
            call.end(HubError.notFound("there is nothing at this path"));
        } else {
            call.run(() -> proceed(call, route));
        }
    }

    private void proceed(HttpExchange call, Route route) {
        if (!route.open) {
            call.agent();
        }
        if (route.method.equals(HttpMethod.POST)) {
            call.readBody(route.does);
        } else {
            route.does.accept(call);
        }
    }

    /** Returns the agent of the request's token. A wrong token counts as none, and the address is charged. */
    private @Nullable String agent(HttpServerRequest request) {
        String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? hub.registry().holder(authorization.substring(BEARER.length()))
                : null;
    }

    private void register(HttpExchange call) {
        String name = call.name("agent");
        if (hub.gate().isExempt(name)) {
            throw HubError.forbidden("this name is reserved");
        }
        call.end(
                201,
                new JsonObject().put("agent", name).put("token", hub.registry().register(name)));
    }

    private void agents(HttpExchange call) {
        call.end(200, new JsonObject().put("agents", new JsonArray(hub.agents().names())));
    }

    private void channels(HttpExchange call) {
        call.end(
                200,
                new JsonObject().put("channels", new JsonArray(hub.channels().names())));
    }

    private void metrics(HttpExchange call) {
        Counts counts = hub.gate().weir().counts();
        call.end(
                200,
                new JsonObject()
                        .put("agents", hub.agents().names().size())
                        .put("tasks_waiting", hub.tasks().waiting())
                        .put("tasks_under_way", hub.tasks().underWay().size())
                        .put("tasks_ended", hub.tasks().ended())
                        .put("allowed", counts.allowed() + counts.untouched())
                        .put("limited", counts.limited()));
    }

    private void tasks(HttpExchange call) {
        JsonArray own = new JsonArray();
        hub.tasks()
                .latestOf(call.agent())
                .forEach(task -> own.add(new JsonObject().put("id", task.id).put("state", task.stateName())));
        call.end(200, new JsonObject().put("tasks", own));
    }

    private void task(HttpExchange call) {
        Task task = hub.tasks().get(call.parameter());
        if (!call.agent().equals(task.submitter) && !call.agent().equals(task.assignee)) {
            throw HubError.notFound("there is no such task of yours");
        }
        call.end(200, task.json());
    }

    private void submit(HttpExchange call) {
        Task task = hub.tasks().submit(call.agent(), call.text("text", Frame.LONGEST_TEXT));
        call.end(202, task.json());
        hub.scheduler().schedule();
    }

    private void channel(HttpExchange call) {
        call.end(200, hub.channels().info(call.parameter()));
    }

    private void messages(HttpExchange call) {
        call.end(200, new JsonObject().put("messages", hub.channels().history(call.parameter())));
    }

    private void createChannel(HttpExchange call) {
        String name = call.name("channel");
        hub.channels().create(name, call.agent());
        call.end(201, hub.channels().info(name));
    }

    private void publish(HttpExchange call) {
        int told = hub.channels().publish(call.parameter(), call.agent(), call.text("text", Frame.LONGEST_TEXT));
        call.end(202, new JsonObject().put("told", told));
    }

    private void message(HttpExchange call) {
        hub.agents().tell(call.text("to", 64), call.agent(), call.text("text", Frame.LONGEST_TEXT));
        call.end(202, OK);
    }
}
