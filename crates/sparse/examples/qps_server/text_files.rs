//! Reads files that have one passage or query per line, in tab-separated parts, and implements the `tokens` command,
//! which analyzes passages.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use sparse::Analyzer;

use crate::engine::Outcome;

/// Analyzes the passages of the file `raw` with the English analyzer, and writes their ids and tokens to the file
/// `tokens`.
pub fn write_tokens(raw: &Path, tokens: &Path) -> Outcome<()> {
    let mut file = BufWriter::new(File::create(tokens)?);
    for_each_line(raw, |line| {
        let (id, text) = split_id(line);
        let (text, title) = text.split_once('\t').unwrap_or((text, ""));
        write!(file, "{id}\t")?;
        let mut separator = "";
        let mut outcome = Ok(());
        let mut write = |token: &str| {
            outcome =
                std::mem::replace(&mut outcome, Ok(())).and_then(|()| write!(file, "{separator}{token}"));
            separator = " ";
        };
        Analyzer::ENGLISH.for_each_token(&format!("{title} {text}"), &mut write);
        outcome?;
        Ok(writeln!(file)?)
    })?;
    Ok(file.flush()?)
}

/// Calls `visit` with each line of a file, without the line feed.
pub fn for_each_line(path: &Path, mut visit: impl FnMut(&str) -> Outcome<()>) -> Outcome<()> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut line = String::new();
    while file.read_line(&mut line)? > 0 {
        visit(line.trim_end_matches('\n'))?;
        line.clear();
    }
    Ok(())
}

/// Splits a line into the id and the rest.
pub fn split_id(line: &str) -> (&str, &str) {
    line.split_once('\t').unwrap_or((line, ""))
}
