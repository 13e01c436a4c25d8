package dev.weir.cli;

import dev.weir.cli.operate.ServerClient;
import dev.weir.cli.operate.ServerClient.CallFailedException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that calls a running server. */
abstract class ServerCommand implements Callable<Integer> {
    static final String EXIT_CODES = "Exit codes: 0 done; 1 no response, or an error response; 64 invalid usage.";

    @Spec
    CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerAddress address = new ServerAddress();

    @Option(names = "--json", description = "Print the server's response unchanged.")
    boolean json;

    @Override
    public final Integer call() {
        try {
            int code = run(address.client(spec), out());
            out().flush();
            return code;
        } catch (CallFailedException e) {
            spec.commandLine().getErr().println("weir: " + e.getMessage());
            spec.commandLine().getErr().flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    /** Calls the server and prints the result; returns the exit code. */
    abstract int run(ServerClient client, PrintWriter out) throws CallFailedException;

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** {@code key=value} arguments; duplicate and empty ones are misuse. */
    Map<String, String> attributes(List<String> pairs) {
        return AttributeArguments.parse(pairs, spec.commandLine());
    }

    /** The one {@code key=value} argument that names a subject. */
    Map.Entry<String, String> subject(String pair) {
        return attributes(List.of(pair)).entrySet().iterator().next();
    }

    ParameterException misuse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
