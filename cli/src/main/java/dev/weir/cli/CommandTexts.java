package dev.weir.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Shell completions and the manual page, made from the same table of commands as the help, so that they never differ
 * from it.
 */
final class CommandTexts {
    private static final Pattern FILE_LABEL = Pattern.compile("FILE|DIR|ACCESS_LOG");

    private final CommandLine root;

    CommandTexts(CommandLine root) {
        this.root = root;
    }

    /** A command and its options as a shell needs them. */
    private record Entry(String name, String about, List<Choice> options, boolean takesFiles) {}

    /** An option: its name, whether a value follows, whether that is a file, and its description. */
    private record Choice(String name, boolean takesValue, boolean isFile, String about) {}

    private List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        root.getSubcommands().forEach((name, command) -> {
            CommandSpec spec = command.getCommandSpec();
            List<Choice> options = new ArrayList<>();
            for (OptionSpec option : spec.options()) {
                boolean takesValue = option.arity().max() > 0 && option.type() != boolean.class;
                options.add(new Choice(
                        option.longestName(),
                        takesValue,
                        takesValue && FILE_LABEL.matcher(option.paramLabel()).find(),
                        firstSentence(option.description())));
            }
            boolean takesFiles = spec.positionalParameters().stream()
                    .anyMatch(parameter ->
                            FILE_LABEL.matcher(parameter.paramLabel()).find());
            entries.add(new Entry(name, firstSentence(spec.usageMessage().description()), options, takesFiles));
        });
        return entries;
    }

    private static String firstSentence(String[] description) {
        String text = description.length == 0 ? "" : description[0];
        String plain = Ansi.OFF.string(text.replace("%%", "%")).replaceAll(" \\(default: .*?\\)", "");
        int end = plain.indexOf(". ");
        return (end < 0 ? plain : plain.substring(0, end)).replaceAll("[.;]$", "");
    }

    String bash() {
        StringBuilder text = new StringBuilder("""
                # Completion of weir for bash: source this file, or put it into /usr/share/bash-completion/completions/weir
                _weir() {
                  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]-} words=''
                  COMPREPLY=()
                  if [ "$COMP_CWORD" -eq 1 ]; then
                """);
        text.append("    words='");
        entries().forEach(entry -> text.append(entry.name).append(' '));
        text.append("--help --version'\n  else\n    case $command in\n");
        for (Entry entry : entries()) {
            text.append("      ").append(entry.name).append(") words='");
            entry.options.forEach(option -> text.append(option.name).append(' '));
            text.append("' ;;\n");
        }
        text.append("    esac\n    case $before in\n      ")
                .append(String.join(
                        "|",
                        entries().stream()
                                .flatMap(entry -> entry.options.stream())
                                .filter(Choice::isFile)
                                .map(Choice::name)
                                .distinct()
                                .toList()))
                .append("""
                ) words='' ;;
                    esac
                  fi
                  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
                  case $word in -*) ;; *) [ "$COMP_CWORD" -eq 1 ] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word") ;; esac
                }
                complete -o filenames -F _weir weir ./weir
                """);
        return text.toString();
    }

    String zsh() {
        StringBuilder text = new StringBuilder(
                "#compdef weir\n# Completion of weir for zsh: put it into a directory of $fpath as _weir\n_weir() {\n  local -a commands\n  commands=(\n");
        entries()
                .forEach(entry -> text.append("    '")
                        .append(entry.name)
                        .append(':')
                        .append(quoted(entry.about))
                        .append("'\n"));
        text.append(
                "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n");
        for (Entry entry : entries()) {
            text.append("    ").append(entry.name).append(")\n      _arguments -s");
            for (Choice option : entry.options) {
                text.append(" \\\n        '")
                        .append(option.name)
                        .append('[')
                        .append(quoted(option.about).replace("[", "\\[").replace("]", "\\]"))
                        .append(']');
                if (option.takesValue) {
                    text.append(option.isFile ? ":file:_files" : ":value: ");
                }
                text.append('\'');
            }
            text.append(entry.takesFiles ? " \\\n        '*:file:_files'" : "").append("\n      ;;\n");
        }
        return text.append(
                        "  esac\n}\nif [ \"$funcstack[1]\" = _weir ]; then _weir \"$@\"; else compdef _weir weir; fi\n")
                .toString();
    }

    String fish() {
        StringBuilder text =
                new StringBuilder("# Completion of weir for fish: put it into ~/.config/fish/completions/weir.fish\n");
        for (Entry entry : entries()) {
            text.append("complete -c weir -f -n __fish_use_subcommand -a ")
                    .append(entry.name)
                    .append(" -d '")
                    .append(fishQuoted(entry.about))
                    .append("'\n");
            for (Choice option : entry.options) {
                text.append("complete -c weir -n '__fish_seen_subcommand_from ")
                        .append(entry.name)
                        .append("' -l ")
                        .append(option.name.substring(2))
                        .append(option.takesValue ? " -r" : "")
                        .append(option.takesValue && !option.isFile ? " -f" : "")
                        .append(" -d '")
                        .append(fishQuoted(option.about))
                        .append("'\n");
            }
        }
        return text.toString();
    }

    private static String quoted(String text) {
        return text.replace("'", "'\\''").replace(":", "\\:");
    }

    private static String fishQuoted(String text) {
        return text.replace("\\", "\\\\").replace("'", "\\'");
    }

    /** The manual page in the format of man. */
    String manual(String version) {
        StringBuilder text = new StringBuilder(".TH WEIR 1 \"\" \"" + roff(version) + "\" \"User Commands\"\n");
        text.append(".SH NAME\nweir \\- rate limiting that is exact, fast, and the same everywhere\n");
        text.append(".SH SYNOPSIS\n.B weir\nCOMMAND [OPTIONS]\n.SH COMMANDS\n");
        root.getSubcommands().forEach((name, command) -> {
            CommandSpec spec = command.getCommandSpec();
            CommandLine.Help help = command.getHelp();
            text.append(".SS weir ").append(name).append('\n');
            paragraph(text, Ansi.OFF.string(String.join(" ", spec.usageMessage().description())));
            text.append(".PP\n.nf\n").append(roff(help.synopsis(0).strip())).append("\n.fi\n");
            for (OptionSpec option : spec.options()) {
                text.append(".TP\n.B ").append(roff(String.join(", ", option.names())));
                text.append(
                        option.arity().max() > 0 && option.type() != boolean.class
                                ? " \\fI" + roff(option.paramLabel()) + "\\fR\n"
                                : "\n");
                text.append(roff(Ansi.OFF.string(String.join(" ", option.description())
                                .replace("${DEFAULT-VALUE}", String.valueOf(option.defaultValueString()))
                                .replace("%%", "%"))))
                        .append('\n');
            }
            text.append(".PP\n");
            for (String line : spec.usageMessage().footer()) {
                text.append(line.isEmpty() ? "" : roff(line.replace("$$", "$").replace("%%", "%")) + "\n.br\n");
            }
        });
        text.append(
                ".SH EXIT STATUS\n0 success; 1 failure; 2 the store cannot be reached; 3 a check was denied, or the port is"
                        + " taken; 64 invalid usage.\n.SH ENVIRONMENT\nEvery option can be set as a variable:"
                        + " \\-\\-admin\\-token by WEIR_ADMIN_TOKEN. NO_COLOR turns colours off.\n.SH FILES\n.TP\n"
                        + ".I weir.yaml\nthe configuration of serve, if it exists\n.TP\n.I ~/.config/weir/client\n"
                        + "server=URL and token=TOKEN for the commands that call a server; only its owner may read it\n");
        return text.toString();
    }

    private static void paragraph(StringBuilder text, String content) {
        text.append(roff(content)).append('\n');
    }

    /** Escapes a text for man: backslashes, dashes, and a dot or quote at the begin of a line. */
    private static String roff(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.lines()
                .map(line -> line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line)
                .reduce((one, other) -> one + "\n" + other)
                .orElse("");
    }

    /** The help of a command as it is printed without a terminal; of the whole for an empty name. */
    String help(String name) {
        CommandLine command = name.isEmpty()
                ? root
                : Objects.requireNonNull(root.getSubcommands().get(name));
        return command.getUsageMessage(Ansi.OFF);
    }
}
