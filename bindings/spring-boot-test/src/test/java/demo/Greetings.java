package demo;

import dev.weir.spring.RateLimited;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.PropertySource;

/** The application that the guide's test is one of. */
@SpringBootConfiguration
@EnableAutoConfiguration
@PropertySource("classpath:greetings.properties")
public class Greetings {
    @RateLimited(value = "greetings", key = "#name")
    public String hello(String name) {
        return "Hello, " + name;
    }
}
