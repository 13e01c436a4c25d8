package dev.weir.benchmarks.cluster;

import dev.weir.benchmarks.MeasurementFailedException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** One of the three JVMs: obeys what {@link Nodes} writes to its standard input. */
final class NodeMain {
    private static final String[] HOT = {"hot"};
    private static final String[] MANY =
            IntStream.range(0, 10_000).mapToObj(i -> "user" + i).toArray(String[]::new);

    private NodeMain() {}

    /** Who, which node, the ports of all, a directory. */
    public static void main(String[] args) throws Exception {
        List<Integer> ports =
                Arrays.stream(args[2].split(",", -1)).map(Integer::valueOf).toList();
        Contestant contestant = Contestants.make(args[0], Integer.parseInt(args[1]), ports, Path.of(args[3]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(contestant, line));
            System.out.flush();
        }
        // Whoever started this is gone, or wants it to go.
        Runtime.getRuntime().halt(0);
    }

    private static String answer(Contestant contestant, String line) throws InterruptedException {
        try {
            return Nodes.ANSWER + obey(contestant, line.split(" ", -1));
        } catch (MeasurementFailedException e) {
            return Nodes.FAILURE + String.valueOf(e.getMessage()).replace('\n', ' ');
        }
    }

    private static String obey(Contestant contestant, String[] words) throws InterruptedException {
        return switch (words[0]) {
            case "ready" -> "" + contestant.isReady();
            case "leads" -> "" + contestant.leads();
            case "load" ->
                new Load(
                                String.join(" ", words),
                                contestant,
                                words[1].equals("hot") ? HOT : MANY,
                                Integer.parseInt(words[2]),
                                words[3].equals("callbacks"))
                        .run(Long.parseLong(words[4]), Long.parseLong(words[5]))
                        .line();
            default -> throw new IllegalArgumentException(words[0]);
        };
    }
}
