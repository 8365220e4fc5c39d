import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.IndexService;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.PluginInfo;

/**
 * Starts one OpenSearch node for tests, with the settings given as {@code name=value} arguments. It starts the class
 * {@code Node} directly: without the bootstrap checks, the security manager and the refusal to run as root of a normal
 * installation. The node ends when its standard input is closed, so no node outlives the process that started it.
 */
public final class TestNode extends Node {
	/** The classes of the plugins. In version 3, the names of all but the last end in {@code ModulePlugin}. */
	private static final List<String> PLUGINS = List.of(
			"org.opensearch.transport.Netty4Plugin",
			"org.opensearch.analysis.common.CommonAnalysisPlugin",
			"org.opensearch.painless.PainlessPlugin",
			"org.opensearch.index.reindex.ReindexPlugin",
			"TestNode$IntervalsPlugin",
			"org.opensearch.knn.plugin.KNNPlugin");

	/**
	 * Lets indexes set how often their shards synchronize global checkpoints and retention leases. OpenSearch has these settings, but a normal
	 * installation refuses them.
	 */
	public static final class IntervalsPlugin extends Plugin {
		@Override
		public List<Setting<?>> getSettings() {
			return List.of(IndexService.GLOBAL_CHECKPOINT_SYNC_INTERVAL_SETTING, IndexService.RETENTION_LEASE_SYNC_INTERVAL_SETTING);
		}
	}

	/** The elements of {@code plugins} are classes in version 2, and descriptions of plugins in version 3. */
	@SuppressWarnings({"rawtypes", "unchecked"})
	private TestNode(Environment environment, Collection plugins) {
		super(environment, plugins, false);
	}

	public static void main(String[] arguments) throws Exception {
		// A thread that dies of an error, such as a missing native library, would leave requests without an answer.
		Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
			error.printStackTrace();
			if (error instanceof Error) {
				Runtime.getRuntime().halt(70);
			}
		});
		Map<String, String> settings = new HashMap<>();
		for (String argument : arguments) {
			int at = argument.indexOf('=');
			settings.put(argument.substring(0, at), argument.substring(at + 1));
		}
		Files.createDirectories(Path.of(settings.get("path.home"), "config"));
		List<Object> plugins = new ArrayList<>();
		for (String name : PLUGINS) {
			Class<?> plugin = pluginClass(name);
			plugins.add(Version.CURRENT.major == 2 ? plugin : describe(plugin.getName()));
		}
		Environment environment =
				InternalSettingsPreparer.prepareEnvironment(Settings.EMPTY, settings, null, () -> settings.get("node.name"));
		Node node = new TestNode(environment, plugins);
		node.start();
		System.out.println("started");
		endWithStandardInput();
		Runtime.getRuntime().halt(0);
	}

	private static Class<?> pluginClass(String name) throws ClassNotFoundException {
		try {
			return Class.forName(name);
		} catch (ClassNotFoundException e) {
			return Class.forName(name.replaceAll("Plugin$", "ModulePlugin"));
		}
	}

	/** A plugin that is in the class path. */
	private static PluginInfo describe(String name) {
		return new PluginInfo(name, "", "", Version.CURRENT, "1.8", name, null, List.of(), false);
	}

	private static void endWithStandardInput() throws IOException {
		while (System.in.read() >= 0) {
			// Nothing is read: only the end of the input matters.
		}
	}
}
