package dev.weir.spring.method;

import dev.weir.engine.Outcome;
import java.util.Map;

/** The web request on whose behalf a method is called. */
public interface WebCall {

    /** The attributes of the request; unmodifiable. */
    Map<String, String> attributes();

    /** Adds the outcome of a decision about a method to the response. */
    void decided(Outcome outcome);
}
