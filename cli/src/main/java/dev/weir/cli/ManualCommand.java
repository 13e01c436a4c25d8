package dev.weir.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command that prints the manual page. */
@Command(
        name = "man",
        description = "Print the manual page in the format of man.",
        footer = {"", "Example: weir man | man -l -"},
        mixinStandardHelpOptions = true)
final class ManualCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        String version = new Main.Version().getVersion()[0];
        spec.commandLine().getOut().print(new CommandTexts(spec.root().commandLine()).manual(version));
        spec.commandLine().getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
