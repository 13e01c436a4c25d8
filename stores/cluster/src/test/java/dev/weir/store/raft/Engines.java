package dev.weir.store.raft;

import java.util.List;

/** Which engine tests run on: {@code -Dweir.cluster.engine=ratis} or {@code jgroups} for another than Weir's own. */
public final class Engines {
    public static final String PROPERTY = "weir.cluster.engine";

    private Engines() {}

    /** What tells another JVM the same. */
    public static List<String> arguments() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.matches("weir\\.(cluster\\.engine|ratis|jgroups).*"))
                .map(name -> "-D" + name + "=" + System.getProperty(name))
                .toList();
    }

    public static Consensus.Engine chosen() {
        return switch (System.getProperty(PROPERTY, "own")) {
            case "own" -> RaftNode::new;
            case "ratis" -> RatisNode::new;
            case "jgroups" -> JGroupsNode::new;
            default -> throw new IllegalArgumentException("no engine " + System.getProperty(PROPERTY));
        };
    }
}
