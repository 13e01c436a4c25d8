package guide;

import dev.weir.spring.RateLimited;

/** The service that the guide's test calls. */
public class Greetings {
    @RateLimited(value = "greetings", key = "#name")
    public String hello(String name) {
        return "Hello, " + name;
    }
}
