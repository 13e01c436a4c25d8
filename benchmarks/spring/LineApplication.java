package line;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers with a line. What limits it, if anything, is on the class path. */
@SpringBootApplication
@EnableCaching
@RestController
public class LineApplication {
    public static void main(String[] args) {
        SpringApplication.run(LineApplication.class, args);
    }

    @GetMapping("/line")
    public String line() {
        return "a line of text\n";
    }
}
