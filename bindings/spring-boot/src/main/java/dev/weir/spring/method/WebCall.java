package dev.weir.spring.method;

import dev.weir.engine.Outcome;
import java.util.Map;

/** The web request on whose behalf a method is called. */
public interface WebCall {

    /** What is known of the request; not to be changed. */
    Map<String, String> attributes();

    /** Has the response tell of a decision about a method. */
    void decided(Outcome outcome);
}
