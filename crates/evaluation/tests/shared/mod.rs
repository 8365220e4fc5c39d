//! Reads the test data that cannot be published. It is in the folder that the environment variable `PASSAGEKIT_SHARED`
//! names, or else in the folder `shared` next to the checkout. Tests that need it are skipped if it is absent.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use ranking::{Qrels, Run, ScoredId};

/// Returns the lines of a gzip-compressed shared file, or `None` if the shared data is absent.
pub fn lines(path: &str) -> Option<Vec<String>> {
    let shared = std::env::var_os("PASSAGEKIT_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let Ok(file) = File::open(shared.join(path)) else {
        eprintln!("skipped: shared data is absent");
        return None;
    };
    Some(BufReader::new(MultiGzDecoder::new(file)).lines().map(|line| line.expect("readable")).collect())
}

/// Reads judgments in TREC's format.
#[allow(dead_code, reason = "each test file compiles this module, but some do not call every function")]
pub fn qrels(path: &str) -> Option<Qrels> {
    let mut qrels = Qrels::new();
    for line in lines(path)? {
        let columns: Vec<&str> = line.split_whitespace().collect();
        qrels.insert(columns[0], columns[2], columns[3].parse().expect("a grade"));
    }
    Some(qrels)
}

/// Reads a run in TREC's format.
#[allow(dead_code, reason = "each test file compiles this module, but some do not call every function")]
pub fn run(path: &str) -> Option<Run> {
    let mut run = Run::new();
    for line in lines(path)? {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let score = columns[4].parse().expect("a score");
        run.push(columns[0], ScoredId { id: columns[2].to_owned(), score });
    }
    Some(run)
}
