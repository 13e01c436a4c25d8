package dev.weir.benchmarks.cluster;

import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The main class of one of the three JVMs. It executes the commands that {@link Nodes} writes to its standard input.
 */
final class NodeMain {
    private static final String[] HOT = {"hot"};
    private static final String[] MANY = Load.keys("user", 10_000);

    private NodeMain() {}

    /** Arguments: contestant, node index, the ports of all nodes, and a directory. */
    public static void main(String[] args) throws Exception {
        List<Integer> ports =
                Arrays.stream(args[2].split(",", -1)).map(Integer::valueOf).toList();
        Contestants.Node node = Contestants.make(args[0], Integer.parseInt(args[1]), ports, Path.of(args[3]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(node, line));
            System.out.flush();
        }
        // The parent process has ended, or has closed the stream to stop this one.
        Runtime.getRuntime().halt(0);
    }

    private static String answer(Contestants.Node node, String line) throws InterruptedException {
        try {
            return Nodes.ANSWER + obey(node, line.split(" ", -1));
        } catch (MeasurementFailedException e) {
            return Nodes.FAILURE + String.valueOf(e.getMessage()).replace('\n', ' ');
        }
    }

    private static String obey(Contestants.Node node, String[] words) throws InterruptedException {
        return switch (words[0]) {
            case "ready" -> "" + node.isReady().getAsBoolean();
            case "leads" -> "" + node.leads().getAsBoolean();
            case "load" ->
                new Load(
                                String.join(" ", words),
                                node.contestant(),
                                words[1].equals("hot") ? HOT : MANY,
                                Integer.parseInt(words[2]),
                                words[3].equals("callbacks"),
                                true)
                        .run(Long.parseLong(words[4]), Long.parseLong(words[5]))
                        .line();
            default -> throw new IllegalArgumentException(words[0]);
        };
    }
}
