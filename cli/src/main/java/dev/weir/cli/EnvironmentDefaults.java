package dev.weir.cli;

import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Takes options that are not given from the environment: {@code --admin-token} from {@code WEIR_ADMIN_TOKEN}. */
final class EnvironmentDefaults implements IDefaultValueProvider {
    private final Function<String, @Nullable String> environment;

    EnvironmentDefaults() {
        this(System::getenv);
    }

    EnvironmentDefaults(Function<String, @Nullable String> environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
            return null;
        }
        String value = environment.apply(variable(option.longestName()));
        return value == null || value.isEmpty() ? null : value;
    }

    static String variable(String option) {
        return "WEIR_" + option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
