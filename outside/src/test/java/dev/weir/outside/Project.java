package dev.weir.outside;

import java.util.List;
import java.util.stream.Collectors;

/**
 * An application of a user, as a Maven project made of a template.
 *
 * @param boot the version of Spring's parent; empty where the template has none
 * @param dependencies groups and artifacts, without a version, as managed by Spring's parent or Weir's BOM
 */
record Project(String template, String name, String boot, List<String> dependencies) {
    /** The text of a file of the template, filled in. */
    String fill(String text) {
        return text.replace("@name@", name)
                .replace("@boot@", boot)
                .replace("@weir@", Workspace.WEIR_VERSION)
                .replace(
                        "@dependencies@",
                        dependencies.stream().map(Project::xml).collect(Collectors.joining()));
    }

    private static String xml(String dependency) {
        String[] parts = dependency.split(":");
        return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId></dependency>"
                .formatted(parts[0], parts[1]);
    }
}
