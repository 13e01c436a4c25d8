package dev.weir.engine.plan;

import dev.weir.engine.Weir;
import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.path.ClientText;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs, once each, the values that match no class and therefore get the default: the configuration may lack them. The
 * first 200 are logged, so that a client with invented values fills neither log nor memory.
 */
public final class UnclassifiedValueLog {
    public static final int MOST = 200;

    private static final Logger LOG = System.getLogger(Weir.class.getName());
    private static final int LONGEST = 64;

    private final Set<String> noted = ConcurrentHashMap.newKeySet();

    void note(ClassifyRule rule, String value) {
        if (noted.size() >= MOST) {
            return;
        }
        String shown = ClientText.shown(value, LONGEST);
        if (noted.add(rule.set() + "\n" + shown)) {
            LOG.log(
                    Level.INFO,
                    "no class of " + rule.set() + " names the " + rule.from() + " '" + shown + "'; it counts as "
                            + rule.otherwise());
        }
    }
}
