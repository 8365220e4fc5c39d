import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Writes Lucene's results for a collection: the tokens of its English analyzer, and the top hits of BM25 (k1 = 0.9,
 * b = 0.4).
 *
 * Arguments: a file of passages, a file of queries (in both, a line is an id, a tab and a text), and the folder for the
 * three output files. A query is a disjunction (SHOULD clauses) of its terms; the boost of a term is its frequency in the
 * query. The index has one segment, and all matching passages are scored. Passages with equal scores are in the order of
 * their lines.
 */
public final class Lucene {
	private static final EnglishAnalyzer ANALYZER = new EnglishAnalyzer();
	private static final int MAX_HITS = 50;

	public static void main(String[] arguments) throws IOException {
		List<String[]> passages = read(arguments[0]), queries = read(arguments[1]);
		Path folder = Path.of(arguments[2]);
		writeTokens(passages, folder.resolve("lucene.tokens.tsv"));
		writeTokens(queries, folder.resolve("lucene.query-tokens.tsv"));
		try (var directory = new ByteBuffersDirectory()) {
			index(passages, directory);
			try (var reader = DirectoryReader.open(directory); var out = writer(folder.resolve("lucene.bm25.trec"))) {
				var searcher = new IndexSearcher(reader);
				searcher.setSimilarity(new BM25Similarity(0.9f, 0.4f));
				for (String[] query : queries) {
					// With this hit-count threshold, Lucene scores all matches and skips none.
					var hits = searcher.search(parse(query[1]), new TopScoreDocCollectorManager(MAX_HITS, null, Integer.MAX_VALUE)).scoreDocs;
					for (int rank = 0; rank < hits.length; rank++) {
						out.printf("%s Q0 %s %d %s Lucene%n", query[0], passages.get(hits[rank].doc)[0], rank + 1, hits[rank].score);
					}
				}
			}
		}
	}

	private static void index(List<String[]> passages, ByteBuffersDirectory directory) throws IOException {
		var config = new IndexWriterConfig(ANALYZER).setSimilarity(new BM25Similarity(0.9f, 0.4f)).setMergePolicy(new LogByteSizeMergePolicy());
		try (var writer = new IndexWriter(directory, config)) {
			for (String[] passage : passages) {
				var document = new Document();
				document.add(new TextField("text", passage[1], Field.Store.NO));
				writer.addDocument(document);
			}
			writer.forceMerge(1);
		}
	}

	private static Query parse(String text) throws IOException {
		var counts = new LinkedHashMap<String, Integer>();
		for (String token : tokens(text)) {
			counts.merge(token, 1, Integer::sum);
		}
		var query = new BooleanQuery.Builder();
		counts.forEach((token, count) -> {
			var clause = new TermQuery(new Term("text", token));
			query.add(count == 1 ? clause : new BoostQuery(clause, count), BooleanClause.Occur.SHOULD);
		});
		return query.build();
	}

	private static List<String> tokens(String text) throws IOException {
		var tokens = new ArrayList<String>();
		try (var stream = ANALYZER.tokenStream("text", text)) {
			var term = stream.addAttribute(CharTermAttribute.class);
			stream.reset();
			while (stream.incrementToken()) {
				tokens.add(term.toString());
			}
			stream.end();
		}
		return tokens;
	}

	private static void writeTokens(List<String[]> texts, Path path) throws IOException {
		try (var out = writer(path)) {
			for (String[] text : texts) {
				out.println(text[0] + "\t" + String.join(" ", tokens(text[1])));
			}
		}
	}

	private static PrintWriter writer(Path path) throws IOException {
		return new PrintWriter(Files.newBufferedWriter(path, StandardCharsets.UTF_8));
	}

	private static List<String[]> read(String path) throws IOException {
		return Files.readAllLines(Path.of(path), StandardCharsets.UTF_8).stream().map(line -> line.split("\t", 2)).toList();
	}
}
