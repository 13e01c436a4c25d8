package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.fixture.ClassPath;
import java.lang.reflect.InvocationTargetException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drivers are optional: each database works without the other's driver, and names the artifact to add without its own.
 */
class MissingDriverTest {
    @TempDir
    Path directory;

    @Test
    void sqlite_withoutItsDriver_namesTheArtifact() throws Exception {
        try (URLClassLoader classes = classPathWithout("sqlite-jdbc")) {
            assertThatThrownBy(() -> open(classes, "jdbc:sqlite:" + directory.resolve("x.db")))
                    .hasMessageContaining("add the Maven artifact org.xerial:sqlite-jdbc");
        }
    }

    @Test
    void postgresql_withoutItsDriver_namesTheArtifact() throws Exception {
        try (URLClassLoader classes = classPathWithout("postgresql")) {
            assertThatThrownBy(() -> open(classes, "jdbc:postgresql://localhost:1/db?user=u&password=secret"))
                    .hasMessageContaining("add the Maven artifact org.postgresql:postgresql")
                    .message()
                    .doesNotContain("secret");
        }
    }

    @Test
    void sqlite_withoutPostgresqlsDriver_opens() throws Exception {
        try (URLClassLoader classes = classPathWithout("postgresql");
                AutoCloseable store = open(classes, "jdbc:sqlite:" + directory.resolve("y.db"))) {
            assertThat(store.getClass().getClassLoader()).isSameAs(classes);
        }
    }

    @Test
    void postgresql_withoutSqlitesDriver_getsAsFarAsTheServer() throws Exception {
        try (URLClassLoader classes = classPathWithout("sqlite-jdbc")) {
            assertThatThrownBy(() -> open(classes, "jdbc:postgresql://localhost:1/db?timeout=300ms"))
                    .hasMessageContaining("cannot be reached");
        }
    }

    private static AutoCloseable open(ClassLoader classes, String uri) throws Exception {
        try {
            return (AutoCloseable) classes.loadClass(JdbcStore.class.getName())
                    .getMethod("open", String.class)
                    .invoke(null, uri);
        } catch (InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
    }

    private static URLClassLoader classPathWithout(String artifact) {
        return ClassPath.without("/" + artifact + "-[0-9][^/]*$").load();
    }
}
