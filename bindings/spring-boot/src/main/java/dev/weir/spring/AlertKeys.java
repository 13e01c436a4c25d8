package dev.weir.spring;

import java.time.Duration;
import java.util.List;

/**
 * The keys of an element of {@code weir.alerts}, for completion in editors: the configuration metadata refers to this
 * type. Nothing is bound to it; the configuration reader reads alerts.
 *
 * @param violations how many violations raise it
 * @param deniedShare the share of refused requests that raises it, such as 20%
 * @param within the time window
 * @param per the attributes of the subject whose violations are counted
 * @param webhook the URL that receives it
 * @param secret the secret that signs it
 */
public record AlertKeys(
        int violations, String deniedShare, Duration within, List<String> per, String webhook, String secret) {}
