package dev.weir.cli;

import dev.weir.cli.operate.ServerClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The options that name a server and a token: given as options, in the environment, or in a file of their owner. */
final class ServerAddress {
    private static final String USUAL = "http://127.0.0.1:8080";
    private static final Set<String> NAMES = Set.of("server", "token");
    private static final Set<PosixFilePermission> OWNER =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    @Option(names = "--server", paramLabel = "URL", description = "The URL of the server (default: " + USUAL + ").")
    private @Nullable URI server;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description =
                    "The token, if the server requires one. Shows in the list of processes: better --token-file or"
                            + " WEIR_TOKEN.")
    private @Nullable String token;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file whose first line is the token; only its owner may read it.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--client-file",
            paramLabel = "FILE",
            description = "A file with lines server=URL and token=TOKEN, which only its owner may read (default:"
                    + " ~/.config/weir/client, if it exists).")
    private @Nullable Path clientFile;

    /** A client of the server that the options name. */
    ServerClient client(CommandSpec spec) {
        Properties file = file(spec);
        URI address = server != null ? server : uri(file.getProperty("server", USUAL), spec);
        String scheme = address.getScheme();
        if (address.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--server is '" + address + "'; it must be an address such as http://127.0.0.1:8080");
        }
        String owner = file.getProperty("server");
        boolean isFilesServer = owner == null || uri(owner, spec).equals(address);
        return new ServerClient(address, token(spec, isFilesServer ? file.getProperty("token") : null));
    }

    /**
     * The token; a typed option takes precedence over the environment.
     *
     * @param ofFile the token of the client file, if that is for this server: no other server may get it
     */
    private @Nullable String token(CommandSpec spec, @Nullable String ofFile) {
        ParseResult typed = spec.commandLine().getParseResult();
        boolean isFileTyped = typed.hasMatchedOption("--token-file");
        if (isFileTyped && typed.hasMatchedOption("--token")) {
            throw new ParameterException(spec.commandLine(), "--token and --token-file exclude each other; give one");
        }
        if (tokenFile != null && (isFileTyped || token == null)) {
            List<String> lines = ownLines(tokenFile, "--token-file", spec);
            String first = lines.isEmpty() ? "" : lines.get(0).strip();
            if (first.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--token-file " + tokenFile + " is empty; its first line must be the token");
            }
            return first;
        }
        return token != null ? token : ofFile;
    }

    private Properties file(CommandSpec spec) {
        Properties found = new Properties();
        Path usual = usualFile();
        Path path = clientFile != null ? clientFile : usual;
        if (clientFile != null || Files.exists(usual)) {
            List<String> lines = ownLines(path, "--client-file", spec);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).strip();
                if (!line.isEmpty() && !line.startsWith("#")) {
                    put(found, line, path + ":" + (i + 1), spec);
                }
            }
        }
        return found;
    }

    /** Adds a line of the client file. The message must not contain its value, which may be the token. */
    private static void put(Properties found, String line, String place, CommandSpec spec) {
        int equals = line.indexOf('=');
        String name = line.substring(0, Math.max(0, equals)).strip();
        if (!NAMES.contains(name)) {
            throw new ParameterException(
                    spec.commandLine(), place + ": the line is neither server=URL nor token=TOKEN");
        }
        found.setProperty(name, line.substring(equals + 1).strip());
    }

    /** Where the environment says; Java's own home directory is that of the list of users, whatever HOME is. */
    private static Path usualFile() {
        String configuration = System.getenv("XDG_CONFIG_HOME");
        String home = System.getenv("HOME");
        Path parent = configuration != null && !configuration.isEmpty()
                ? Path.of(configuration)
                : Path.of(home == null || home.isEmpty() ? System.getProperty("user.home", ".") : home, ".config");
        return parent.resolve("weir").resolve("client");
    }

    /** The lines of a file that only its owner may read. */
    private static List<String> ownLines(Path file, String option, CommandSpec spec) {
        try {
            boolean isPosix = Files.getFileStore(file).supportsFileAttributeView("posix");
            if (isPosix && !OWNER.containsAll(Files.getPosixFilePermissions(file))) {
                throw new ParameterException(
                        spec.commandLine(),
                        option + " " + file + " may be read by others than its owner; run chmod 600 " + file);
            }
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), option + " " + file + " cannot be read (" + e + ")", e);
        }
    }

    private static URI uri(String text, CommandSpec spec) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "server is '" + text + "', which is no URL", e);
        }
    }
}
