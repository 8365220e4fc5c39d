//! The server that `benches/qps` (queries per second) measures: BM25 of this crate, or tantivy's own BM25 for
//! comparison.
//!
//! `qps_server passagekit|tantivy` answers one JSON request per line (see `protocol.rs`). `qps_server tokens RAW
//! TOKENS` analyzes a file of `id<TAB>text[<TAB>title]` lines and writes a file of `id<TAB>tokens` lines.

mod engine;
mod passagekit;
mod protocol;
mod queries;
mod tantivy_engine;
mod text_files;

use std::path::Path;

use engine::Outcome;
use passagekit::Passagekit;
use protocol::serve;
use tantivy_engine::Tantivy;
use text_files::write_tokens;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["passagekit"] => serve(Passagekit::default()),
        ["tantivy"] => serve(Tantivy::default()),
        ["tokens", raw, tokens] => write_tokens(Path::new(raw), Path::new(tokens)),
        _ => Err("expected passagekit, tantivy or tokens RAW TOKENS".into()),
    }
}
