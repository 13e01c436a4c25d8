import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;

/** Reads a preset with the engine as a named module; ModulePathIT runs it as a source file. */
class OnModulePath {
    public static void main(String[] args) {
        System.out.println(Weir.class.getModule().getName());
        ConfigurationReader.Result result = new ConfigurationReader().preset("agent-hub");
        System.out.println(result.getClass().getSimpleName());
    }
}
