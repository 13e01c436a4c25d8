package guide;

import dev.weir.spring.RateLimited;

/** What the guide's test is about. */
public class Greetings {
    @RateLimited(value = "greetings", key = "#name")
    public String hello(String name) {
        return "Hello, " + name;
    }
}
