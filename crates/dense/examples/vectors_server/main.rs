//! Serves the indexes of this crate to the benchmark in `benches/qps/vectors`, whose README describes the protocol, and
//! prepares data for it.
//!
//! - `vectors_server serve` answers JSON requests, one per line (`serve.rs`).
//! - `vectors_server truth REQUEST` writes the ground truth: the exact best rows for each query (`truth.rs`).
//! - `vectors_server synthesize REQUEST` writes synthetic vectors that resemble text embeddings (`synthetic.rs`).
//!
//! `REQUEST` is a JSON object, whose keys are the fields of the struct `Request` in the named file. The other modules
//! are `matrix` (files of rows), `filter` (files of allowed rows), `concurrent` (queries on several threads) and
//! `progress`.

mod concurrent;
mod filter;
mod matrix;
mod progress;
mod serve;
mod synthetic;
mod truth;

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let reply = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => return answer_lines(),
        ["truth", request] => truth::write(serde_json::from_str(request)?)?,
        ["synthesize", request] => synthetic::write(serde_json::from_str(request)?)?,
        _ => return Err("expected serve, truth REQUEST or synthesize REQUEST".into()),
    };
    println!("{reply}");
    Ok(())
}

/// Answers each line of stdin with a line on stdout.
fn answer_lines() -> Outcome<()> {
    let mut server = serve::Server::default();
    for line in stdin().lock().lines() {
        let reply: Value = serde_json::from_str(&line?)
            .map_err(Into::into)
            .and_then(|request| server.answer(request))
            .unwrap_or_else(|error| json!({"error": error.to_string()}));
        println!("{reply}");
        stdout().flush()?;
    }
    Ok(())
}
