package dev.weir.outside;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A user's application, as a Maven project generated from a template.
 *
 * @param boot the version of Spring's parent; empty if the template has none
 * @param dependencies {@code GROUP:ARTIFACT:VERSION:WITHOUT}. The version may be empty if Spring's parent or Weir's BOM
 *     manages it. The last part, which may be empty, is excluded from the modules of Weir that it brings
 */
record Project(String template, String name, String boot, List<String> dependencies) {
    /** The text of a template's file, with the placeholders replaced. */
    String fill(String text) {
        return text.replace("@name@", name)
                .replace("@boot@", boot)
                .replace("@cloud@", Workspace.cloud(boot))
                .replace("@weir@", Workspace.WEIR_VERSION)
                .replace(
                        "@dependencies@",
                        dependencies.stream().map(Project::xml).collect(Collectors.joining()));
    }

    private static String xml(String dependency) {
        String[] parts = dependency.split(":");
        String version = parts.length < 3 || parts[2].isEmpty() ? "" : "<version>" + parts[2] + "</version>";
        String without = parts.length < 4
                ? ""
                : "<exclusions><exclusion><groupId>dev.weir</groupId><artifactId>" + parts[3]
                        + "</artifactId></exclusion></exclusions>";
        return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId>%s%s</dependency>"
                .formatted(parts[0], parts[1], version, without);
    }
}
