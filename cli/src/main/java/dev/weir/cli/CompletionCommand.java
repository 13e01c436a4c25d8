package dev.weir.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that prints the completion script of a shell. */
@Command(
        name = "completion",
        description = "Print the completion script of a shell.",
        footer = {
            "",
            "bash: weir completion bash > /usr/share/bash-completion/completions/weir",
            "zsh:  weir completion zsh > /usr/share/zsh/site-functions/_weir",
            "fish: weir completion fish > ~/.config/fish/completions/weir.fish"
        },
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
    /** The shells that have a script. */
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
    private Shell shell = Shell.BASH;

    @Override
    public Integer call() {
        CommandTexts texts = new CommandTexts(spec.root().commandLine());
        spec.commandLine()
                .getOut()
                .print(
                        switch (shell) {
                            case BASH -> texts.bash();
                            case ZSH -> texts.zsh();
                            case FISH -> texts.fish();
                        });
        spec.commandLine().getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
