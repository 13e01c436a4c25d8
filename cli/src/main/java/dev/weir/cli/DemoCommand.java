package dev.weir.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A demonstration in the terminal, until there is a server to show. */
@Command(name = "demo", description = "See Weir at work.", mixinStandardHelpOptions = true)
final class DemoCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        spec.commandLine().getOut().println("The demonstration is not written yet.");
    }
}
