package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundleTest {
    private static final String PARENT = """
            <project><groupId>dev.weir</groupId><artifactId>weir-parent</artifactId><version>1.0</version>
            <packaging>pom</packaging><name>Weir</name><description>d</description><url>u</url>
            <licenses><license><name>Apache-2.0</name><url>u</url></license></licenses>
            <developers><developer><name>n</name></developer></developers>
            <scm><connection>c</connection><url>u</url></scm></project>
            """;
    private static final String CORE = """
            <project><parent><groupId>dev.weir</groupId><artifactId>weir-parent</artifactId><version>1.0</version></parent>
            <artifactId>weir-core</artifactId><name>Core</name><description>d</description></project>
            """;

    @TempDir
    Path root;

    @BeforeEach
    void stage() throws Exception {
        write("weir-parent", ".pom", PARENT);
        write("weir-core", ".pom", CORE);
        for (String end : new String[] {".jar", "-sources.jar", "-javadoc.jar"}) {
            write("weir-core", end, end);
        }
    }

    @Test
    void bundle_complete_hasNoFaults() throws Exception {
        assertThat(faults()).isEmpty();
    }

    @Test
    void bundle_withoutPoms_isRefused() throws Exception {
        assertThat(new Bundle(Files.createDirectory(root.resolve("empty"))).faults())
                .singleElement()
                .asString()
                .startsWith("no pom is in");
    }

    @Test
    void bundle_withoutSourcesOrJavadoc_isRefused() throws Exception {
        Files.delete(file("weir-core", "-sources.jar"));
        Files.delete(file("weir-core", "-javadoc.jar"));

        assertThat(faults())
                .contains(
                        "weir-core-1.0 has no weir-core-1.0-sources.jar",
                        "weir-core-1.0 has no weir-core-1.0-javadoc.jar");
    }

    @Test
    void bundle_whosePomLacksAnElement_isRefused() throws Exception {
        write("weir-parent", ".pom", PARENT.replaceAll("<scm>.*</scm>", ""));
        write("weir-core", ".pom", CORE.replace("<description>d</description>", ""));

        assertThat(faults())
                .containsExactlyInAnyOrder(
                        "weir-parent-1.0 has no scm/connection",
                        "weir-parent-1.0 has no scm/url",
                        "weir-core-1.0 has no scm/connection",
                        "weir-core-1.0 has no scm/url",
                        "weir-core-1.0 has no description");
    }

    @Test
    void bundle_withoutTheParent_isRefused() throws Exception {
        Files.delete(file("weir-parent", ".pom"));

        assertThat(faults()).contains("weir-core-1.0 has a parent that is not in the bundle");
    }

    @Test
    void bundle_ofSnapshots_isRefused() throws Exception {
        write("weir-core", ".pom", CORE.replace("</project>", "<url>1.0-SNAPSHOT</url></project>"));

        assertThat(faults()).containsExactly("weir-core-1.0 names a SNAPSHOT");
    }

    @Test
    void bundle_withAPomInAnotherPlace_isRefused() throws Exception {
        write("weir-core", ".pom", CORE.replace("<artifactId>weir-core", "<artifactId>weir-kore"));

        assertThat(faults()).contains("dev/weir/weir-core/1.0/weir-core-1.0.pom is the pom of weir-kore-1.0");
    }

    @Test
    void bundle_withAWrongOrMissingDigest_isRefused() throws Exception {
        Files.writeString(file("weir-core", ".jar"), "another");
        Files.delete(file("weir-core", "-sources.jar.sha1"));

        assertThat(faults())
                .containsExactlyInAnyOrder(
                        "weir-core-1.0.jar.md5 is not the digest of its file",
                        "weir-core-1.0.jar.sha1 is not the digest of its file",
                        "weir-core-1.0-sources.jar has no .sha1");
    }

    @Test
    void bundle_signedInPart_isRefused() throws Exception {
        Files.writeString(file("weir-core", ".jar.asc"), "signature");

        assertThat(faults()).contains("weir-core-1.0.pom is not signed, but others are");
    }

    private List<String> faults() throws IOException {
        return new Bundle(root).faults();
    }

    private void write(String artifact, String end, String text) throws Exception {
        Path file = file(artifact, end);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        for (String algorithm : new String[] {"MD5", "SHA-1"}) {
            byte[] digest = MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
            String digestEnd = "." + algorithm.replace("-", "").toLowerCase(Locale.ROOT);
            Files.writeString(file(artifact, end + digestEnd), HexFormat.of().formatHex(digest));
        }
    }

    private Path file(String artifact, String end) {
        return root.resolve("dev/weir/" + artifact + "/1.0/" + artifact + "-1.0" + end);
    }
}
