package dev.weir.server.admin;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.json.Json;
import dev.weir.server.WeirServer;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.JsonTree;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.spi.ClusterMembership;
import dev.weir.spi.ClusterStatus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.BiConsumer;

/**
 * The members of a cluster store: their state, and changes of them. With another store every call gets 404.
 *
 * <p>The calls ask other nodes and block, so they run in a worker thread. A change is answered when it is done, and logged
 * with the name of its token.
 */
public final class ClusterApi {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final String CHANGES = "/api/admin/cluster";
    private static final String MEMBER = "member";

    private final Weir weir;

    public ClusterApi(Weir weir) {
        this.weir = weir;
    }

    public void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/cluster", this::status)
                .add(RouteAccess.ADMIN, "POST", CHANGES + "/members", this::add)
                .add(RouteAccess.ADMIN, "DELETE", CHANGES + "/members/{member}", this::remove)
                .add(RouteAccess.OPERATE, "POST", CHANGES + "/transfer", this::transfer);
    }

    private void status(Exchange exchange) {
        ClusterMembership cluster = cluster();
        exchange.blocking(cluster::status, status -> exchange.json(200, json(status)));
    }

    private void add(Exchange exchange) {
        exchange.readBody(body -> change(exchange, "add", member(body), ClusterMembership::addMember));
    }

    private void remove(Exchange exchange) {
        change(exchange, "remove", exchange.parameter(0), ClusterMembership::removeMember);
    }

    private void transfer(Exchange exchange) {
        exchange.readBody(body -> change(exchange, "transfer to", member(body), ClusterMembership::transferLeadership));
    }

    private static String member(byte[] body) {
        return JsonTree.read(body).only(MEMBER).needText(MEMBER);
    }

    private void change(
            Exchange exchange, String what, String member, BiConsumer<ClusterMembership, String> operation) {
        ClusterMembership cluster = cluster();
        exchange.blocking(
                () -> {
                    String who = exchange.caller() + "@" + exchange.client();
                    try {
                        operation.accept(cluster, member);
                    } catch (IllegalArgumentException e) {
                        throw ProblemException.badField(MEMBER, String.valueOf(e.getMessage()));
                    } catch (StoreException e) {
                        LOG.log(Level.WARNING, "cluster: {0} {1}, by {2}: {3}", what, member, who, e.getMessage());
                        throw e.retryable()
                                ? ProblemException.of(503, "unavailable", String.valueOf(e.getMessage()))
                                : ProblemException.conflict(String.valueOf(e.getMessage()));
                    }
                    LOG.log(Level.INFO, "cluster: {0} {1}, by {2}: done", what, member, who);
                    return cluster.status();
                },
                status -> exchange.json(200, json(status)));
    }

    private ClusterMembership cluster() {
        if (weir.store().delegate() instanceof ClusterMembership cluster) {
            return cluster;
        }
        throw ProblemException.notFound("this server has no cluster store; start it with --store cluster://…");
    }

    private static Json json(ClusterStatus status) {
        Json json = Json.newObject(1024)
                .field("name", status.name())
                .field("node", status.node())
                .field("leader", status.leader())
                .field("term", status.term())
                .field("ready", status.ready())
                .field("problem", status.problem());
        json.name("members").open('[');
        for (ClusterStatus.Member member : status.members()) {
            ClusterStatus.State state = member.state();
            json.open('{')
                    .field("name", member.name())
                    .field("leader", member.name().equals(status.leader()))
                    .field("answers", state != null);
            if (state != null) {
                write(json, state);
            }
            json.close('}');
        }
        return json.close(']').close('}');
    }

    private static void write(Json json, ClusterStatus.State state) {
        json.field("ready", state.ready())
                .field("problem", state.problem())
                .field("term", state.term())
                .field("applied", state.applied())
                .field("lag", state.lag());
        ClusterStatus.Snapshot snapshot = state.snapshot();
        json.name("snapshot");
        if (snapshot == null) {
            json.nothing();
        } else {
            json.open('{')
                    .field("index", snapshot.index())
                    .field("at", snapshot.at().getEpochSecond())
                    .close('}');
        }
    }
}
