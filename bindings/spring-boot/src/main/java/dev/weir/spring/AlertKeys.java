package dev.weir.spring;

import java.time.Duration;
import java.util.List;

/**
 * The keys of an element of {@code weir.alerts}, for editors that complete them: the configuration metadata names this type.
 * Nothing is bound to it; alerts are read in Weir's own language.
 *
 * @param violations how many violations raise it
 * @param deniedShare the share of refused requests that raises it, such as 20%
 * @param within in what time
 * @param per the attributes that say whose violations are counted
 * @param webhook where it is sent
 * @param secret what signs it
 */
public record AlertKeys(
        int violations, String deniedShare, Duration within, List<String> per, String webhook, String secret) {}
