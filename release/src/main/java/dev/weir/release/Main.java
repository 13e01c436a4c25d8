package dev.weir.release;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Checks a staged bundle. The exit code is 0, or 1 with every fault on standard error. */
final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        List<String> faults = new Bundle(Path.of(args[0])).faults();
        faults.forEach(System.err::println);
        System.exit(faults.isEmpty() ? 0 : 1);
    }
}
