//! The protocol: one JSON request per line on stdin, one JSON reply per line on stdout. `benches/qps/bm25/README.md`
//! describes the requests and the replies.

use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::{Analysis, Engine, Outcome};
use crate::queries::{QueryRequest, run_queries};

#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
enum Request {
    Describe,
    Build { passages: PathBuf, folder: PathBuf, analysis: Analysis },
    Query(QueryRequest),
}

/// Answers requests until the input ends.
pub fn serve(mut engine: impl Engine) -> Outcome<()> {
    let mut opened = None;
    for line in stdin().lock().lines() {
        let reply = serde_json::from_str(&line?)
            .map_err(Into::into)
            .and_then(|request| answer(&mut engine, &mut opened, request))
            .unwrap_or_else(|error| json!({"error": error.to_string()}));
        println!("{reply}");
        stdout().flush()?;
    }
    Ok(())
}

/// Returns the reply to a request. `opened` is the folder of the open index.
fn answer(engine: &mut impl Engine, opened: &mut Option<PathBuf>, request: Request) -> Outcome<Value> {
    match request {
        Request::Describe => Ok(describe(engine)),
        Request::Build { passages, folder, analysis } => {
            let began = Instant::now();
            engine.build(&passages, &folder, analysis)?;
            Ok(json!({"seconds": began.elapsed().as_secs_f64()}))
        }
        Request::Query(request) => {
            if opened.as_ref() != Some(&request.folder) {
                engine.open(&request.folder)?;
                *opened = Some(request.folder.clone());
            }
            run_queries(engine, &request)
        }
    }
}

fn describe<E: Engine>(engine: &E) -> Value {
    json!({"version": engine.version(), "threads": E::THREADS})
}
