package dev.weir.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine of a measurement. */
public record Machine(int cores, String cpu, String system, String jdk) {

    public static Machine here() {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                cpuModel(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    }

    @Override
    public String toString() {
        return cores + " × " + cpu + ", " + system + ", " + jdk;
    }

    /** The heading of a page: machine, date and command. */
    public String heading(String date, String command) {
        return "- Machine: " + cores + " × " + cpu + ", " + system + "\n- JDK: " + jdk + "\n- Date: " + date
                + "\n- Command: `" + command + "`\n\n";
    }

    private static String cpuModel() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }
}
