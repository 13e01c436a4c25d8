package dev.weir.cli;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.server.envoy.EnvoyImport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that writes the limits of another service as a configuration of Weir, on standard output. */
@Command(
        name = "import",
        description = "Write the limits of another service as a configuration of Weir.",
        footer = {
            "",
            "What Weir cannot express is noted on standard error and at the top of the configuration.",
            "Examples: weir import envoy config.yaml > weir.yaml",
            "          weir import envoy /data/ratelimit/config > weir.yaml",
            "Exit codes: 0 written; 1 the files have faults, and each is on standard error as"
                    + " FILE:LINE:COLUMN: message."
        },
        mixinStandardHelpOptions = true)
final class ImportCommand implements Callable<Integer> {
    /** The services whose limits can be imported. */
    enum Service {
        ENVOY
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            paramLabel = "SERVICE",
            description = "The service that the files are for: envoy, which is envoyproxy/ratelimit.")
    private Service service = Service.ENVOY;

    @Parameters(
            index = "1",
            paramLabel = "FILE",
            description = "A file, or a directory whose .yaml and .yml files are read.")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        try {
            EnvoyImport.Imported imported = switch (service) {
                case ENVOY -> EnvoyImport.of(file);
            };
            imported.notes().forEach(note -> err.println("weir: note: " + note));
            PrintWriter out = spec.commandLine().getOut();
            out.print(imported.yaml());
            out.flush();
            return CommandLine.ExitCode.OK;
        } catch (ConfigurationException e) {
            e.faults().forEach(err::println);
            return CommandLine.ExitCode.SOFTWARE;
        } finally {
            err.flush();
        }
    }
}
