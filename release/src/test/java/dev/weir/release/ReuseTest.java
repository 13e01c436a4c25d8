package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The checks of the reuse tool that this tree needs: every file has a licence, and the licence's text is present. */
class ReuseTest {
    private static final Path ROOT = SourceTree.ROOT;
    private final String annotations;

    ReuseTest() throws IOException {
        annotations = Files.readString(ROOT.resolve("REUSE.toml"));
    }

    @Test
    void everyFile_isAnnotated() {
        assertThat(values("path"))
                .containsExactly("**", "server/src/main/resources/dev/weir/server/vendor/preact-*/**");
        assertThat(values("SPDX-FileCopyrightText")).hasSize(2);
    }

    @Test
    void everyLicence_namedOrNot_hasItsText() throws IOException {
        List<String> named = values("SPDX-License-Identifier");

        try (Stream<Path> texts = Files.list(ROOT.resolve("LICENSES"))) {
            assertThat(texts.map(text -> text.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            named.stream().map(name -> name + ".txt").toList());
        }
        assertThat(named).containsExactly("Apache-2.0", "MIT");
    }

    @Test
    void licence_ofTheRoot_isThatText_andThePomsAgree() throws IOException {
        assertThat(ROOT.resolve("LICENSE")).hasSameTextualContentAs(ROOT.resolve("LICENSES/Apache-2.0.txt"));
        assertThat(SourceTree.modules().parent().texts("licenses", "license", "name"))
                .containsExactly("Apache-2.0");
    }

    /** The values of a key, wherever it is set. */
    private List<String> values(String key) {
        return Pattern.compile("^" + Pattern.quote(key) + " = \"(.*)\"$", Pattern.MULTILINE)
                .matcher(annotations)
                .results()
                .map(match -> match.group(1))
                .toList();
    }
}
