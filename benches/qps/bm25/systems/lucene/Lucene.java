import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.Version;

/** Lucene as a server of benches/qps/bm25: one line of JSON per request, one per reply. The README of that folder lists the requests. */
public final class Lucene {
	private static final ObjectMapper JSON = new ObjectMapper();
	private static final BM25Similarity BM25 = new BM25Similarity(0.9f, 0.4f);
	private static final String ID = "id", CONTENTS = "contents";

	/** The folder of the open index. */
	private static String opened;
	private static IndexSearcher searcher;

	public static void main(String[] arguments) throws IOException {
		var replies = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
		try (var requests = new BufferedReader(new InputStreamReader(System.in))) {
			for (String line; (line = requests.readLine()) != null; ) {
				ObjectNode reply;
				try {
					reply = answer(JSON.readTree(line));
				} catch (Exception error) {
					reply = JSON.createObjectNode().put("error", error.toString());
				}
				replies.println(reply);
			}
		}
	}

	private static ObjectNode answer(JsonNode request) throws Exception {
		var reply = JSON.createObjectNode();
		switch (request.get("verb").asText()) {
			case "describe" -> {
				reply.put("version", Version.LATEST + ", Java " + Runtime.version());
				reply.putArray("threads").add("query");
			}
			case "build" -> {
				long began = System.nanoTime();
				boolean english = request.get("analysis").asText().equals("english");
				build(path(request, "passages"), path(request, "folder"), english ? new EnglishAnalyzer() : new WhitespaceAnalyzer());
				reply.put("seconds", (System.nanoTime() - began) / 1e9);
			}
			case "query" -> query(request, reply);
			default -> throw new IllegalArgumentException("expected describe, build or query");
		}
		return reply;
	}

	/** Builds an index of one segment on one thread, which also does the merges. */
	private static void build(Path passages, Path folder, Analyzer analyzer) throws IOException {
		var config = new IndexWriterConfig(analyzer)
			.setSimilarity(BM25)
			.setRAMBufferSizeMB(256)
			.setMergeScheduler(new SerialMergeScheduler())
			// This policy merges only adjacent segments, so documents keep the order in which they were added. Ties are broken by that order.
			.setMergePolicy(new LogByteSizeMergePolicy())
			.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
		var frequencies = new FieldType();
		frequencies.setTokenized(true);
		frequencies.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
		frequencies.freeze();
		try (var directory = new MMapDirectory(folder); var writer = new IndexWriter(directory, config);
				var lines = Files.newBufferedReader(passages)) {
			for (String line; (line = lines.readLine()) != null; ) {
				String[] fields = line.split("\t", -1);
				var document = new Document();
				document.add(new StringField(ID, fields[0], Field.Store.YES));
				String contents = fields.length > 2 && !fields[2].isEmpty() ? fields[2] + " " + fields[1] : fields[1];
				document.add(new Field(CONTENTS, contents, frequencies));
				writer.addDocument(document);
			}
			writer.forceMerge(1);
			writer.commit();
		}
	}

	private static void query(JsonNode request, ObjectNode reply) throws Exception {
		if (request.get("batch").asBoolean()) {
			throw new IllegalArgumentException("expected one query at a time: Lucene has no batches");
		}
		open(request.get("folder").asText());
		List<String[]> queries = Files.readAllLines(path(request, "queries")).stream().map(line -> line.split("\t", 2)).toList();
		int k = request.get("k").asInt();
		int threads = request.path("threads").asInt(1);
		// With one thread, the CPU time of this thread; with more, that of the process.
		LongSupplier cpuNanos = threads == 1
			? ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime
			: ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())::getProcessCpuTime;
		var found = new TopDocs[queries.size()];
		var rounds = reply.putArray("rounds");
		for (int round = 0; round < request.get("rounds").asInt(); round++) {
			var queryNanos = new long[found.length];
			long cpu = cpuNanos.getAsLong(), began = System.nanoTime();
			var next = new AtomicInteger();
			Callable<Void> work = () -> {
				for (int i; (i = next.getAndIncrement()) < found.length; ) {
					long start = System.nanoTime();
					found[i] = search(queries.get(i)[1], k);
					queryNanos[i] = System.nanoTime() - start;
				}
				return null;
			};
			runOnThreads(work, threads);
			long wall = System.nanoTime() - began;
			var measured = rounds.addObject().put("wallNanos", wall).put("cpuNanos", cpuNanos.getAsLong() - cpu);
			var list = measured.putArray("queryNanos");
			Arrays.stream(queryNanos).forEach(list::add);
		}
		if (request.hasNonNull("hits")) {
			try (var file = new PrintWriter(Files.newBufferedWriter(path(request, "hits")))) {
				var stored = searcher.storedFields();
				for (int i = 0; i < found.length; i++) {
					for (ScoreDoc hit : found[i].scoreDocs) {
						file.println(queries.get(i)[0] + "\t" + stored.document(hit.doc).get(ID) + "\t" + hit.score);
					}
				}
			}
		}
	}

	/**
	 * Does the same work on several threads, one of which is the calling thread. The others are started in each round, which takes a few
	 * microseconds.
	 */
	private static void runOnThreads(Callable<Void> work, int threads) throws Exception {
		try (var others = threads == 1 ? null : Executors.newFixedThreadPool(threads - 1)) {
			var running = new ArrayList<Future<Void>>();
			for (int i = 1; i < threads; i++) {
				running.add(others.submit(work));
			}
			work.call();
			for (var other : running) {
				other.get();
			}
		}
	}

	private static void open(String folder) throws IOException {
		if (folder.equals(opened)) {
			return;
		}
		if (searcher != null) {
			searcher.getIndexReader().close();
		}
		searcher = new IndexSearcher(DirectoryReader.open(new MMapDirectory(Path.of(folder))));
		searcher.setSimilarity(BM25);
		searcher.setQueryCache(null);
		opened = folder;
	}

	/** Searches with one SHOULD clause per distinct term, boosted by its count, as Anserini does. Dynamic pruning is on. */
	private static TopDocs search(String tokens, int k) throws IOException {
		var counts = new LinkedHashMap<String, Integer>();
		for (String token : tokens.split(" ")) {
			counts.merge(token, 1, Integer::sum);
		}
		var query = new BooleanQuery.Builder();
		counts.forEach((term, count) -> {
			Query clause = new TermQuery(new Term(CONTENTS, term));
			query.add(count == 1 ? clause : new BoostQuery(clause, count), BooleanClause.Occur.SHOULD);
		});
		return searcher.search(query.build(), new TopScoreDocCollectorManager(k, null, k));
	}

	private static Path path(JsonNode request, String field) {
		return Path.of(request.get(field).asText());
	}
}
