package dev.weir.server;

import java.nio.file.Path;

/**
 * Where the limits of Envoy's rate limit service come from, if not from Weir's own configuration.
 *
 * @param configuration a file, or a directory of files, in the format of Envoy's own service
 * @param strict whether requests are counted exactly as Envoy's own service counts them: each descriptor by itself
 */
public record EnvoyOptions(Path configuration, boolean strict) {}
