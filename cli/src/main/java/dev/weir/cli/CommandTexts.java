package dev.weir.cli;

import dev.weir.engine.config.Presets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
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

    /** A command and its options as a shell needs them; {@code words} are the values of its argument, if they are known. */
    private record Entry(String name, String about, List<Choice> options, List<String> words, boolean takesFiles) {}

    /** An option: its name, whether a value follows, whether that is a file, the values if they are known. */
    private record Choice(String name, boolean takesValue, boolean isFile, List<String> values, String about) {}

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
                        takesValue ? values(option) : List.of(),
                        firstSentence(option.description())));
            }
            List<String> words = new ArrayList<>(command.getSubcommands().keySet());
            spec.positionalParameters().forEach(parameter -> words.addAll(values(parameter)));
            boolean takesFiles = spec.positionalParameters().stream()
                    .anyMatch(parameter ->
                            FILE_LABEL.matcher(parameter.paramLabel()).find());
            entries.add(new Entry(name, firstSentence(spec.usageMessage().description()), options, words, takesFiles));
        });
        return entries;
    }

    /** The values of an option or argument, if they are known: {@code text|json}, presets, commands. */
    private List<String> values(ArgSpec argument) {
        if (argument instanceof OptionSpec option && option.longestName().equals("--preset")) {
            return Presets.names();
        }
        String label = argument.paramLabel();
        if (label.equals("COMMAND")) {
            return List.copyOf(root.getSubcommands().keySet());
        }
        return label.contains("|") ? List.of(label.split("\\|", -1)) : List.of();
    }

    private static String firstSentence(String[] description) {
        String text = description.length == 0 ? "" : description[0];
        String plain = Ansi.OFF.string(text.replace("%%", "%")).replaceAll(" \\(default: .*?\\)", "");
        int end = plain.indexOf(". ");
        return (end < 0 ? plain : plain.substring(0, end)).replaceAll("[.;]$", "");
    }

    /** Without anything that bash 3.2, which macOS has, does not know. */
    String bash() {
        StringBuilder text = new StringBuilder("""
                # Completion of weir for bash: source this file, or put it into /usr/share/bash-completion/completions/weir
                _weir() {
                  local IFS=$' \\n' word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words='' files=''
                  if [ "$COMP_CWORD" -eq 1 ]; then
                """);
        text.append("    words='").append(names()).append(" --help --version'\n");
        text.append("  else\n    case ${COMP_WORDS[1]-} in\n");
        for (Entry entry : entries()) {
            text.append("      ").append(entry.name).append(") words='").append(String.join(" ", entry.words));
            entry.options.forEach(option -> text.append(' ').append(option.name));
            text.append('\'').append(entry.takesFiles ? " files=1" : "").append(" ;;\n");
        }
        text.append("    esac\n    case ${COMP_WORDS[1]-}$before in\n");
        for (Entry entry : entries()) {
            for (Choice option : entry.options) {
                if (option.takesValue) {
                    text.append("      ")
                            .append(entry.name)
                            .append(option.name)
                            .append(") words='")
                            .append(String.join(" ", option.values))
                            .append(option.isFile ? "' files=1 ;;\n" : "' files='' ;;\n");
                }
            }
        }
        return text.append("""
                    esac
                  fi
                  COMPREPLY=($(compgen -W "$words" -- "$word"))
                  case $files$word in
                    1-*) ;;
                    1*)
                      IFS=$'\\n'
                      compopt -o filenames 2>/dev/null
                      COMPREPLY=(${COMPREPLY[@]+"${COMPREPLY[@]}"} $(compgen -f -- "$word"))
                      ;;
                  esac
                }
                complete -F _weir weir ./weir
                """).toString();
    }

    private String names() {
        return String.join(" ", root.getSubcommands().keySet());
    }

    String zsh() {
        StringBuilder text = new StringBuilder("""
                #compdef weir
                # Completion of weir for zsh: put it into a directory of $fpath as _weir
                _weir() {
                  local -a commands
                  commands=(
                """);
        for (Entry entry : entries()) {
            text.append("    '")
                    .append(entry.name)
                    .append(':')
                    .append(quoted(entry.about))
                    .append("'\n");
        }
        text.append("""
                  )
                  if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                  fi
                  # _arguments takes the first word for the command.
                  shift words
                  (( CURRENT-- ))
                  case $words[1] in
                """);
        for (Entry entry : entries()) {
            text.append("    ").append(entry.name).append(")\n      _arguments -s");
            for (Choice option : entry.options) {
                text.append(" \\\n        '")
                        .append(option.name)
                        .append('[')
                        .append(quoted(option.about).replace("[", "\\[").replace("]", "\\]"))
                        .append(']');
                if (option.takesValue) {
                    text.append(option.isFile ? ":file:_files" : ":value:" + zshValues(option.values));
                }
                text.append('\'');
            }
            if (entry.takesFiles) {
                text.append(" \\\n        '*:file:_files'");
            } else if (!entry.words.isEmpty()) {
                text.append(" \\\n        '1:value:")
                        .append(zshValues(entry.words))
                        .append('\'');
            }
            text.append("\n      ;;\n");
        }
        return text.append("""
                  esac
                }
                if [ "$funcstack[1]" = _weir ]; then _weir "$@"; else compdef _weir weir; fi
                """).toString();
    }

    private static String zshValues(List<String> values) {
        return values.isEmpty() ? " " : "(" + String.join(" ", values) + ")";
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
            String within = "complete -c weir -n '__fish_seen_subcommand_from " + entry.name + "'";
            if (!entry.takesFiles) {
                text.append(within)
                        .append(" -f -a '")
                        .append(String.join(" ", entry.words))
                        .append("'\n");
            }
            for (Choice option : entry.options) {
                text.append(within)
                        .append(" -l ")
                        .append(option.name.substring(2))
                        .append(option.takesValue ? " -r" : "")
                        .append(option.takesValue && !option.isFile ? " -f" : "")
                        .append(option.isFile ? " -F" : "")
                        .append(option.values.isEmpty() ? "" : " -a '" + String.join(" ", option.values) + "'")
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
        // Neither hyphens in the middle of names nor wide gaps.
        text.append(".nh\n.ad l\n");
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
            footer(text, List.of(spec.usageMessage().footer()));
        });
        text.append(
                ".SH EXIT STATUS\n0 success; 1 failure; 2 the store cannot be reached; 3 a check was denied, or the port is"
                        + " taken; 64 invalid usage.\n.SH ENVIRONMENT\nEvery option can be set as a variable:"
                        + " \\-\\-admin\\-token by WEIR_ADMIN_TOKEN. NO_COLOR turns colours off.\n.SH FILES\n.TP\n"
                        + ".I weir.yaml\nthe configuration of serve, if it exists\n.TP\n.I ~/.config/weir/client\n"
                        + "server=URL and token=TOKEN for the commands that call a server; only its owner may read it\n");
        return text.toString();
    }

    /** Text is filled; examples keep their lines, which begin with the name of the example or with spaces. */
    private static void footer(StringBuilder text, List<String> lines) {
        boolean isVerbatim = false;
        for (String line : lines) {
            boolean isExample = line.startsWith(" ") || line.matches("(Examples?|bash|zsh|fish): .*");
            if (isExample != isVerbatim) {
                text.append(isExample ? ".PP\n.nf\n" : ".fi\n");
            }
            isVerbatim = isExample;
            if (!line.isEmpty()) {
                text.append(isExample ? "" : ".PP\n")
                        .append(roff(line.replace("$$", "$").replace("%%", "%")))
                        .append('\n');
            }
        }
        text.append(isVerbatim ? ".fi\n" : "");
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
