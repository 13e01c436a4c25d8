package dev.weir.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The test in docs/spring-boot.md is identical to one that runs here. */
class GuideTest {
    @Test
    void testOfTheGuide_isTheOneThatRuns() throws Exception {
        Matcher block = Pattern.compile("^```java test\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../../docs/spring-boot.md")));
        assertThat(block.find()).isTrue();

        assertThat(Files.readString(Path.of("../spring-boot-test/src/test/java/guide/GreetingsTest.java")))
                .isEqualToIgnoringWhitespace(block.group(1));
    }
}
