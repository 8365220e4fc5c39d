//! Reference outputs of Lucene and the collections from which they were made.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

pub const COLLECTIONS: [&str; 5] =
    ["squad", "scifact", "nfcorpus-preprocessed", "vaswani-npl", "agentset-dbpedia"];

/// The folder with the reference data; `None` if it is not on this machine.
pub fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("PASSAGEKIT_SHARED").map_or_else(beside, PathBuf::from);
    if path.join("reference/lucene").is_dir() {
        return Some(path);
    }
    eprintln!("skipped: shared data is absent");
    None
}

/// Ids and texts, in the order of the file.
pub struct Collection {
    pub passages: Vec<(String, String)>,
    pub queries: Vec<(String, String)>,
}

impl Collection {
    pub fn read(shared: &Path, name: &str) -> Self {
        if name == "squad" {
            return Self { passages: squad_passages(shared), queries: squad_queries(shared) };
        }
        let records = |file: &str| -> Vec<(String, String)> {
            unpack(&shared.join("data/ir").join(name).join(file))
                .lines()
                .map(|line| {
                    let record: serde_json::Value = serde_json::from_str(line).expect("a JSON record");
                    let field = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
                    let text = format!("{} {}", field("title"), field("text"));
                    // White space was folded before Lucene saw the texts.
                    (field("_id"), text.split_whitespace().collect::<Vec<_>>().join(" "))
                })
                .collect()
        };
        Self { passages: records("corpus.jsonl.gz"), queries: records("queries.jsonl.gz") }
    }

    /// The queries with a reference output, in its order.
    pub fn queries_of(&self, expected: &[(String, String)]) -> Vec<(String, String)> {
        let texts: HashMap<&str, &str> = self.queries.iter().map(|(id, text)| (&**id, &**text)).collect();
        expected
            .iter()
            .filter_map(|(id, _)| texts.get(&**id).map(|&text| (id.clone(), text.to_owned())))
            .collect()
    }
}

/// Ids and tokens, one line per text.
pub fn tokens(shared: &Path, file: &str) -> Vec<(String, String)> {
    let lines = unpack(&shared.join("reference/lucene").join(file));
    lines
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(id, tokens)| (id.into(), tokens.into()))
        .collect()
}

/// Passage ids and scores of each query, best first.
pub fn run(shared: &Path, name: &str) -> HashMap<String, Vec<(String, f32)>> {
    let mut run: HashMap<String, Vec<(String, f32)>> = HashMap::new();
    for line in unpack(&shared.join("reference/lucene").join(format!("{name}.bm25.trec.gz"))).lines() {
        let [query, _, passage, _, score, _] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("six columns, got {line}");
        };
        run.entry(query.into()).or_default().push((passage.into(), score.parse().expect("a score")));
    }
    run
}

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
    unpack(&shared.join("data/squad/squad-dev.qas.jsonl.gz"))
        .lines()
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).expect("a JSON record");
            let field = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
            (field("id"), field("question"))
        })
        .collect()
}

fn unpack(path: &Path) -> String {
    let mut text = String::new();
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    MultiGzDecoder::new(file).read_to_string(&mut text).expect("UTF-8 in gzip");
    text
}
