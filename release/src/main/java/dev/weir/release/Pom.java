package dev.weir.release;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** One pom file: its own elements, without those inherited from its parent. */
record Pom(Element project) {
    /** A dependency in the pom itself. */
    record Dependency(String artifactId, String scope) {}

    static Pom read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new Pom(DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(in)
                    .getDocumentElement());
        } catch (ParserConfigurationException | SAXException malformed) {
            throw new IOException(file + " is not XML: " + malformed.getMessage(), malformed);
        }
    }

    String artifactId() {
        return required("artifactId");
    }

    /** Its own version, or else its parent's. */
    String version() {
        String own = text("version");
        return own != null ? own : required("parent", "version");
    }

    String packaging() {
        String named = text("packaging");
        return named == null ? "jar" : named;
    }

    /** The text of the first element at a path; null if it is absent or blank. */
    @Nullable
    String text(String... path) {
        List<Element> found = all(path);
        String text = found.isEmpty() ? "" : found.get(0).getTextContent().strip();
        return text.isEmpty() ? null : text;
    }

    /** The texts of all elements at a path. */
    List<String> texts(String... path) {
        return all(path).stream()
                .map(Element::getTextContent)
                .map(String::strip)
                .toList();
    }

    /** The dependencies in the pom itself, without managed ones. */
    List<Dependency> dependencies() {
        return all("dependencies", "dependency").stream()
                .map(Pom::new)
                .map(each -> new Dependency(each.artifactId(), each.scope()))
                .toList();
    }

    private String scope() {
        String named = text("scope");
        return named == null ? "compile" : named;
    }

    private List<Element> all(String... path) {
        List<Element> found = List.of(project);
        for (String name : path) {
            List<Element> next = new ArrayList<>();
            for (Element parent : found) {
                for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
                    if (child instanceof Element element && element.getTagName().equals(name)) {
                        next.add(element);
                    }
                }
            }
            found = next;
        }
        return found;
    }

    private String required(String... path) {
        String text = text(path);
        if (text == null) {
            throw new IllegalArgumentException("a pom has no " + String.join("/", path));
        }
        return text;
    }
}
