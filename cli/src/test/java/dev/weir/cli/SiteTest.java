package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static dev.weir.cli.JavaExample.documents;
import static dev.weir.cli.JavaExample.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the site needs of the documents, without its generator: {@code ./weir docs} checks the rest. */
class SiteTest {
    private static final Path DOCS = ROOT.resolve("docs");
    private static final Pattern SECTION = Pattern.compile("^## (.+)$", Pattern.MULTILINE);
    private static final Pattern ENTRY =
            Pattern.compile("^- \\[[^\\]]+]\\(([^)#]+)(?:#[^)]*)?\\): .+$", Pattern.MULTILINE);
    private static final Pattern EXPLAINED = Pattern.compile("'([a-z-]+)\\.html(?:#([a-z-]+))?'");
    /** They may come before the index names them; the site's navigation has them already. */
    private static final Set<String> GATEWAYS = Set.of(
            "gateways.md", "nginx.md", "caddy.md", "traefik.md", "haproxy.md", "envoy.md", "spring-cloud-gateway.md");

    @Test
    void index_hasTheSectionsOfTheNavigation() {
        assertThat(all(SECTION, read(DOCS.resolve("README.md"))))
                .containsExactly(
                        "Begin", "Guides", "Gateways", "Stores", "Reference", "Concepts", "Operating", "Project");
    }

    @Test
    void index_namesEveryPage() {
        Set<String> expected = new TreeSet<>();
        documents()
                .filter(document -> document.startsWith(DOCS))
                .map(document -> DOCS.relativize(document).toString())
                .filter(page -> !page.contains("/") && !page.equals("README.md") && !GATEWAYS.contains(page))
                .forEach(expected::add);
        assertThat(all(ENTRY, read(DOCS.resolve("README.md")))).containsAll(expected);
    }

    @Test
    void dashboard_linksToHeadingsOfDocuments() {
        Matcher pages =
                EXPLAINED.matcher(read(ROOT.resolve("server/src/main/resources/dev/weir/server/dashboard/main.js")));
        int found = 0;
        for (; pages.find(); found++) {
            Path document = DOCS.resolve(pages.group(1) + ".md");
            assertThat(document).exists();
            if (pages.group(2) != null) {
                assertThat(DocumentationTest.headings(document)).contains(pages.group(2));
            }
        }
        assertThat(found).isGreaterThanOrEqualTo(6);
    }

    /** The lock file works with every registry, so it names none. */
    @Test
    void lockFile_namesNoRegistry() {
        assertThat(read(ROOT.resolve("site/package-lock.json"))).doesNotContain("\"resolved\"");
    }

    private static List<String> all(Pattern pattern, String text) {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
