package dev.weir.cli;

import dev.weir.cli.terminal.Terminal;
import dev.weir.spi.Nearest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code weir} command.
 *
 * <p>Exit codes: 0 success, 1 failure, 64 invalid usage; a command's own help lists any others.
 */
@Command(
        name = "weir",
        description = "Rate limiting that is exact, fast, and the same everywhere.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "'weir COMMAND --help' or 'weir help COMMAND' explains a command.",
            "Examples: weir demo",
            "          weir serve --preset agent-hub",
            "          weir check agent=a1 action=ping",
            "Exit codes: 0 success; 1 failure; 2 the store cannot be reached; 64 invalid usage."
        },
        subcommands = {
            DemoCommand.class,
            ServeCommand.class,
            CheckCommand.class,
            ClusterMembersCommand.class,
            ValidateCommand.class,
            ImportCommand.class,
            SimulateCommand.class,
            TopCommand.class,
            TailCommand.class,
            WhoCommand.class,
            ExplainCommand.class,
            SetCommand.class,
            ExemptCommand.class,
            ResetCommand.class,
            AuditCommand.class,
            CompletionCommand.class,
            ManualCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Main implements Runnable {
    /** The exit code of invalid usage, as in sysexits.h; 2 is a store that cannot be reached. */
    static final int USAGE = 64;

    private static final Logger LOG = System.getLogger(Main.class.getName());

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Terminal terminal;

    private Main(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Ends the process in any case: remaining threads must not keep a broken process alive. */
    public static void main(String[] args) {
        int code = CommandLine.ExitCode.SOFTWARE;
        try {
            code = commandLine(Terminal.detect()).execute(args);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "weir ends because of a fatal error", e);
        } finally {
            System.exit(code);
        }
    }

    static CommandLine commandLine() {
        return commandLine(Terminal.NONE);
    }

    static CommandLine commandLine(Terminal terminal) {
        return new CommandLine(new Main(terminal))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Main::explain);
    }

    /** The terminal of this run. */
    static Terminal terminal(CommandSpec spec) {
        return spec.root().userObject() instanceof Main main ? main.terminal : Terminal.NONE;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    @Command(
            description = "Run the benchmarks and compare with other libraries.",
            footer = {
                "",
                "Examples: ./weir bench --check --only redis",
                "          benchmarks/http/run and benchmarks/simulate/run measure the server and simulate."
            },
            mixinStandardHelpOptions = true)
    int bench() {
        return runByTheLauncher("bench");
    }

    @Command(
            description = "Run one of the applications in examples/.",
            customSynopsis = "weir example NAME [ARGUMENTS]",
            footer = {"", "Names: agent-hub, ai-saas, chat, device-ingest", "Example: ./weir example agent-hub"},
            mixinStandardHelpOptions = true)
    int example() {
        return runByTheLauncher("example");
    }

    @Command(
            description = "Stage a release with --dry-run: build, compare, check; publishes nothing.",
            customSynopsis = "weir release --dry-run [VERSION]",
            footer = {
                "",
                "Builds the committed sources twice, compares, checks them as Maven Central does and",
                "leaves a bundle in target/release/. CONTRIBUTING.md explains how a maintainer uploads it."
            },
            mixinStandardHelpOptions = true)
    int release() {
        return runByTheLauncher("release");
    }

    @Command(
            description = "Install the libraries into the local Maven repository, for your own projects.",
            footer = {"", "WEIR_MAVEN_ARGS is passed on to Maven, such as -Dmaven.repo.local=DIRECTORY."},
            mixinStandardHelpOptions = true)
    int install() {
        return runByTheLauncher("install");
    }

    @Command(
            description = "Build the documentation as a site with search, in target/site/html/.",
            footer = {
                "",
                "Needs the repository, Maven, Node.js 18 or newer and npm. A link that leads nowhere fails the build.",
                "Example: ./weir docs --serve"
            },
            mixinStandardHelpOptions = true)
    int docs(
            @Option(names = "--serve", description = "Show the site at http://localhost:4173/docs/ until Ctrl-C.")
                    boolean serve,
            @Option(names = "--port", description = "The port, instead of 4173; implies --serve.") int port) {
        return runByTheLauncher("docs");
    }

    @Command(
            description = "Make the archives and the Debian package of the command line, in target/dist/.",
            footer = {"", "Needs the repository, Maven, GNU tar, zip and, for the package, dpkg-deb."},
            mixinStandardHelpOptions = true)
    int dist() {
        return runByTheLauncher("dist");
    }

    @Command(
            description = "Run the evidence: the stores' contracts, random histories, linearizability and faults.",
            footer = {
                "",
                "Starts real servers and processes, kills and stops them, and ends with a table. Needs the repository.",
                "Example: ./weir prove --full"
            },
            mixinStandardHelpOptions = true)
    int prove(
            @Option(names = "--quick", description = "The short form, with fewer histories; it is the default.")
                    boolean quick,
            @Option(
                            names = "--full",
                            description = "Many more histories, with a new seed, and every fault; it takes long.")
                    boolean full) {
        return runByTheLauncher("prove");
    }

    @Command(
            description = "Build everything and run every test.",
            footer = {
                "",
                "Uses the current JDK. The library's tests also run on the newest other JDK installed.",
                "WEIR_MAVEN_ARGS is passed on to Maven."
            },
            mixinStandardHelpOptions = true)
    int test(
            @Option(
                            names = "--fast",
                            description = "Run only the unit tests of all modules: about a minute, with nothing"
                                    + " installed but a JDK and Maven. Lists the skipped tests at the end.")
                    boolean fast) {
        return runByTheLauncher("test");
    }

    /** Reports that these commands need the sources. They are declared so that help and suggestions list them. */
    private int runByTheLauncher(String command) {
        spec.commandLine().getErr().printf("weir: '%s' needs the repository; run ./weir %<s there%n", command);
        return USAGE;
    }

    /** Prints the error, then the most similar valid name. */
    private static int explain(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        String message = e instanceof UnmatchedArgumentException unmatched
                ? unknown(unmatched.getUnmatched().get(0), command.getCommandSpec())
                : e.getMessage();
        command.getErr().println(command.getColorScheme().errorText("weir: " + message));
        command.getErr()
                .printf(
                        "'%s --help' lists the options.%n",
                        command.getCommandSpec().qualifiedName());
        return USAGE;
    }

    private static String unknown(String argument, CommandSpec command) {
        if (argument.startsWith("-")) {
            String name = argument.replaceFirst("=.*", "");
            return "unknown option '" + name + "'"
                    + didYouMean(name, command.optionsMap().keySet());
        }
        return command.subcommands().isEmpty()
                ? "'" + argument + "' is one argument too many"
                : "unknown command '" + argument + "'"
                        + didYouMean(argument, command.subcommands().keySet());
    }

    private static String didYouMean(String typed, Collection<String> known) {
        return Nearest.to(typed, known)
                .map(name -> "; did you mean '" + name + "'?")
                .orElse("");
    }

    /** Returns the version of Weir, from the jar's manifest, and that of Java. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String weir = Main.class.getPackage().getImplementationVersion();
            return new String[] {
                "weir " + (weir == null ? "(unpackaged)" : weir), "Java " + System.getProperty("java.version")
            };
        }
    }
}
