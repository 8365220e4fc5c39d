//! Reads collections of passages and queries, and the tokens and rankings that Lucene produced from them.
#![allow(dead_code, reason = "each test uses a part of this file")]

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

/// The collections whose texts may not be published. Some machines have them in a folder: the value of
/// `PASSAGEKIT_SHARED`, or `shared` beside the repository.
const UNPUBLISHED: [&str; 5] =
    ["squad", "scifact", "nfcorpus-preprocessed", "vaswani-npl", "agentset-dbpedia"];

/// Returns the encyclopedia in `examples/`, which every checkout has, and the unpublished collections if this machine
/// has them.
pub fn collections() -> Vec<Collection> {
    let mut collections = vec![Collection::encyclopedia()];
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("PASSAGEKIT_SHARED").map_or_else(default, PathBuf::from);
    if shared.join("reference/lucene").is_dir() {
        collections.extend(UNPUBLISHED.map(|name| Collection::unpublished(&shared, name)));
    } else {
        eprintln!("skipped: the collections of {} are absent", shared.display());
    }
    collections
}

/// A test collection, and where Lucene's outputs for it are. Passages and queries are pairs of id and text, in the
/// order of the collection's files.
pub struct Collection {
    pub name: &'static str,
    pub passages: Vec<(String, String)>,
    pub queries: Vec<(String, String)>,
    /// The common start of the paths of Lucene's outputs, such as `…/lucene` for `…/lucene.tokens.tsv.gz`.
    outputs: PathBuf,
    /// Maximum number of hits per query in Lucene's run.
    pub depth: usize,
    /// True if Lucene ran all queries, so that a query that is not in Lucene's run has no hits. If false, Lucene ran a
    /// sample of the queries.
    pub has_all_queries: bool,
}

impl Collection {
    /// Reads the paragraphs of the encyclopedia and its questions (`test/golden/README.md`).
    fn encyclopedia() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/golden");
        let columns = |file: &str| -> Vec<(String, String)> {
            let first_two = |line: &str| {
                let mut columns = line.split('\t').map(str::to_owned);
                (columns.next().expect("an id"), columns.next().expect("a text"))
            };
            unpack(&folder.join(file)).lines().map(first_two).collect()
        };
        Self {
            name: "encyclopedia",
            passages: columns("passages.tsv.gz"),
            queries: columns("questions.tsv.gz"),
            outputs: folder.join("lucene"),
            depth: 50,
            has_all_queries: true,
        }
    }

    /// Reads one of the [`UNPUBLISHED`] collections in the folder `shared`.
    fn unpublished(shared: &Path, name: &'static str) -> Self {
        let outputs = shared.join("reference/lucene").join(name);
        if name == "squad" {
            let (passages, queries) = (squad_passages(shared), squad_queries(shared));
            return Self { name, passages, queries, outputs, depth: 1000, has_all_queries: false };
        }
        let records = |file: &str| -> Vec<(String, String)> {
            unpack(&shared.join("data/ir").join(name).join(file))
                .lines()
                .map(|line| {
                    let record: serde_json::Value = serde_json::from_str(line).expect("a JSON record");
                    let field = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
                    let text = format!("{} {}", field("title"), field("text"));
                    // Lucene indexed these texts with consecutive whitespace replaced by a single space.
                    (field("_id"), text.split_whitespace().collect::<Vec<_>>().join(" "))
                })
                .collect()
        };
        let (passages, queries) = (records("corpus.jsonl.gz"), records("queries.jsonl.gz"));
        Self { name, passages, queries, outputs, depth: 1000, has_all_queries: true }
    }

    /// Returns the id of each passage and its tokens by Lucene's analyzer, separated by spaces, in the order of
    /// `passages`.
    pub fn passage_tokens(&self) -> Vec<(String, String)> {
        self.tokens("tokens")
    }

    /// Returns the id of each query that Lucene ran and its tokens by Lucene's analyzer, separated by spaces, in the
    /// order of `queries`.
    pub fn query_tokens(&self) -> Vec<(String, String)> {
        self.tokens("query-tokens")
    }

    /// Returns Lucene's hits for each query that has hits: passage ids and scores, best first.
    pub fn run(&self) -> HashMap<String, Vec<(String, f32)>> {
        let mut run: HashMap<String, Vec<(String, f32)>> = HashMap::new();
        for line in unpack(&self.output("bm25.trec")).lines() {
            let [query, _, passage, _, score, _] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("six columns, got {line}");
            };
            run.entry(query.into()).or_default().push((passage.into(), score.parse().expect("a score")));
        }
        run
    }

    fn tokens(&self, name: &str) -> Vec<(String, String)> {
        let lines = unpack(&self.output(&format!("{name}.tsv")));
        let columns = lines.lines().filter_map(|line| line.split_once('\t'));
        columns.map(|(id, tokens)| (id.into(), tokens.into())).collect()
    }

    fn output(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("{}.{name}.gz", self.outputs.display()))
    }
}

/// Reads SQuAD's passages from a TSV file in the format of DPR: id, text (in quotes if necessary), title.
fn squad_passages(shared: &Path) -> Vec<(String, String)> {
    unpack(&shared.join("data/squad/psgs_w100.squad-dev.tsv.gz"))
        .lines()
        .skip(1)
        .map(|line| {
            let [id, text, title] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("three columns, got {line}");
            };
            let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            let text = quoted.map_or_else(|| text.to_owned(), |text| text.replace("\"\"", "\""));
            (id.to_owned(), format!("{title} {text}"))
        })
        .collect()
}

fn squad_queries(shared: &Path) -> Vec<(String, String)> {
    questions(&unpack(&shared.join("data/squad/squad-dev.qas.jsonl.gz")))
}

/// Returns the ids and texts of questions, given one JSON record per line.
fn questions(lines: &str) -> Vec<(String, String)> {
    lines
        .lines()
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).expect("a JSON record");
            let field = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
            (field("id"), field("question"))
        })
        .collect()
}

/// Returns the decompressed text of a gzip file.
fn unpack(path: &Path) -> String {
    let mut text = String::new();
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    MultiGzDecoder::new(file).read_to_string(&mut text).expect("UTF-8 in gzip");
    text
}
