package dev.weir.cli;

import dev.weir.cli.ValidateCommand.Checked;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Fault;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.json.Json;
import java.util.ArrayList;
import java.util.List;

/** The results of {@code validate} for programs. */
final class ValidationFormats {
    private ValidationFormats() {}

    /** One document: a member of {@code files} for each file. */
    static String json(List<Checked> files) {
        Json json = Json.newObject(1_024).field("valid", files.stream().allMatch(Checked::isUsable));
        json.name("files").open('[');
        for (Checked file : files) {
            json.open('{').field("file", file.file()).field("valid", file.isUsable());
            json.name("limits").open('[');
            if (file.result() instanceof Result.Accepted accepted) {
                accepted.configuration().limits().stream().map(LimitRule::name).forEach(json::value);
            }
            json.close(']');
            write(json, "faults", file.faults());
            write(json, "warnings", file.result().warnings());
            json.close('}');
        }
        return json.close(']').close('}').toString();
    }

    private static void write(Json json, String name, List<Fault> faults) {
        json.name(name).open('[');
        faults.forEach(fault -> json.open('{')
                .field("line", fault.line())
                .field("column", fault.column())
                .field("message", fault.message())
                .close('}'));
        json.close(']');
    }

    /** A workflow command of GitHub Actions for each fault and warning, which annotates the line of the file. */
    static List<String> github(List<Checked> files, boolean strict) {
        List<String> lines = new ArrayList<>();
        for (Checked file : files) {
            file.faults().forEach(fault -> lines.add(annotation("error", fault)));
            file.result().warnings().forEach(fault -> lines.add(annotation(strict ? "error" : "warning", fault)));
        }
        return lines;
    }

    private static String annotation(String kind, Fault fault) {
        return "::" + kind + " file=" + escape(fault.file()).replace(":", "%3A").replace(",", "%2C") + ",line="
                + fault.line() + ",col=" + fault.column() + "::" + escape(fault.message());
    }

    private static String escape(String text) {
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A");
    }

    /** A line of a file without characters that a terminal would interpret; a tab takes one column. */
    static String printable(String line) {
        return line.replace('\t', ' ').replaceAll("\\p{Cntrl}|\\p{Cf}", "?");
    }
}
