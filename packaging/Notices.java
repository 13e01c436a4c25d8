import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Prints the licence and the notices of every library in the distribution, from the library's own jar and pom.
 *
 * <p>Arguments: the list of resolved libraries, and the directory with the licences of libraries that ship none:
 *
 * <pre>java packaging/Notices.java cli/target/libraries.txt packaging/licenses</pre>
 *
 * Fails if the licence of a library is not known. An Apache licence may be missing from a jar, because the distribution
 * has its text; any other text must be in the jar or in the directory, as ARTIFACT.txt.
 */
final class Notices {
    /** {@code group:artifact:jar:classifier:version:scope:/path/artifact-version-classifier.jar}. */
    private static final Pattern LINE =
            Pattern.compile("^ +([\\w.-]+):([\\w.-]+):jar:(?:[\\w.-]+:)?([\\w.-]+):(?:compile|runtime):(.+?\\.jar)\\b.*$");

    private static final Pattern TEXT = Pattern.compile(
            "(?i)(META-INF/)?(LICEN[SC]E|NOTICE|COPYING|COPYRIGHT)[^/]*|META-INF/LICEN[SC]ES?/[^/]+|about\\.html");
    private static final Pattern LICENCE_TEXT = Pattern.compile("(?i).*(LICEN[SC]E|COPYING|about\\.html).*");

    private final Path licences;
    private final StringBuilder out = new StringBuilder();
    private final List<String> faults = new ArrayList<>();
    /** The library that first had a text, by the text without white space. */
    private final Map<String, String> printed = new HashMap<>();

    private Notices(Path licences) {
        this.licences = licences;
    }

    /** @param name group, artifact and version */
    private record Library(String group, String artifact, String version, Path jar) {
        String name() {
            return group + ":" + artifact + ":" + version;
        }
    }

    public static void main(String[] args) throws IOException {
        Map<String, List<Library>> libraries = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            Matcher found = LINE.matcher(line);
            if (found.matches()) {
                Library library =
                        new Library(found.group(1), found.group(2), found.group(3), Path.of(found.group(4)));
                libraries.computeIfAbsent(library.name(), unused -> new ArrayList<>()).add(library);
            } else if (line.contains(":jar:")) {
                throw new IOException(args[0] + " has a line of another format: " + line);
            }
        }
        Notices notices = new Notices(Path.of(args[1]));
        for (List<Library> jars : libraries.values()) {
            notices.add(jars);
        }
        if (libraries.isEmpty() || !notices.faults.isEmpty()) {
            System.err.println(libraries.isEmpty() ? args[0] + " names no library" : String.join("\n", notices.faults));
            System.exit(1);
        }
        System.out.write(notices.out.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    /** Adds a library: one jar, or several that differ by their classifiers. */
    private void add(List<Library> jars) throws IOException {
        Library library = jars.get(0);
        String name = library.name();
        out.append('\n').append(name).append('\n').append("=".repeat(name.length())).append('\n');
        List<String> names = licenceNames(library);
        names.forEach(licence -> out.append("Licence: ").append(licence).append('\n'));
        boolean hasLicence = names.stream().anyMatch(licence -> licence.toLowerCase().contains("apache"));
        for (Library jar : jars) {
            try (ZipFile zip = new ZipFile(jar.jar.toFile())) {
                for (ZipEntry entry : zip.stream()
                        .filter(each -> !each.isDirectory() && TEXT.matcher(each.getName()).matches())
                        .sorted((one, other) -> one.getName().compareTo(other.getName()))
                        .toList()) {
                    hasLicence |= LICENCE_TEXT.matcher(entry.getName()).matches();
                    print(name, entry.getName(), new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        }
        Path own = licences.resolve(library.artifact + ".txt");
        if (Files.exists(own)) {
            hasLicence = true;
            print(name, "licence", Files.readString(own));
        }
        if (!hasLicence) {
            faults.add(name + " (" + String.join(", ", names) + ") ships no licence; add its text as " + own);
        }
    }

    private void print(String library, String title, String text) {
        String place = title + " of " + library;
        String first = printed.putIfAbsent(text.replaceAll("\\s+", ""), place);
        if (first != null) {
            out.append("\n--- ").append(title).append(": as ").append(first).append(" ---\n");
        } else {
            out.append("\n--- ").append(title).append(" ---\n").append(text.replace("\r", "").stripTrailing()).append('\n');
        }
    }

    /** The names of the licences in the pom, or in the nearest parent that has some. */
    private static List<String> licenceNames(Library library) throws IOException {
        Path repository = library.jar;
        for (int i = library.group.split("\\.").length + 3; i > 0; i--) {
            repository = repository.getParent();
        }
        Path pom = library.jar.resolveSibling(library.artifact + "-" + library.version + ".pom");
        while (Files.exists(pom)) {
            Element project = parse(pom);
            List<String> names = new ArrayList<>();
            for (Element licence : children(child(project, "licenses"), "license")) {
                names.add(text(licence, "name"));
            }
            Element parent = child(project, "parent");
            if (!names.isEmpty() || parent == null) {
                return names;
            }
            String artifact = text(parent, "artifactId");
            String version = text(parent, "version");
            pom = repository
                    .resolve(text(parent, "groupId").replace('.', '/'))
                    .resolve(artifact)
                    .resolve(version)
                    .resolve(artifact + "-" + version + ".pom");
        }
        return List.of();
    }

    private static Element parse(Path pom) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
            return factory.newDocumentBuilder()
                    .parse(new ByteArrayInputStream(Files.readAllBytes(pom)))
                    .getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(pom + " cannot be parsed", e);
        }
    }

    private static Element child(Element parent, String name) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? null : found.get(0);
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent == null ? null : parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    private static String text(Element parent, String name) {
        Element found = child(parent, name);
        return found == null ? "" : found.getTextContent().strip();
    }
}
