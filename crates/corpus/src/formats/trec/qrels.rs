//! Reads and writes relevance judgments (qrels), in the formats of TREC and of BEIR.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use control::Control;
use ranking::Qrels;

use super::columns::{column, is_comment, query_column, write_error};
use crate::Error;
use crate::error::quoted;
use crate::input::{BufferedInput, InputOptions, Lines, SharedControl};
use crate::write::write_whole;

/// Reads relevance judgments, plain or gzip: TREC's lines of `query iteration passage grade`, or BEIR's tab-separated
/// table with the header `query-id`, `corpus-id`, `score`.
///
/// A line is a comment if it is `#`, alone or followed by white space. A repeated judgment must have the same
/// grade. Queries and passages keep the order of the file.
///
/// # Errors
///
/// [`Error::Line`] for an invalid line, or for a judgment that contradicts an earlier one; [`Error::Io`] or
/// [`Error::Gzip`] if the file cannot be read.
pub fn read_qrels(path: impl AsRef<Path>) -> Result<Qrels, Error> {
    read_qrels_cancelable(path, Arc::default())
}

/// Like [`read_qrels`], but can be canceled, even while it waits for the writer of a FIFO.
///
/// # Errors
///
/// The errors of [`read_qrels`]; [`Error::Canceled`].
pub fn read_qrels_cancelable(path: impl AsRef<Path>, control: Arc<Control>) -> Result<Qrels, Error> {
    let input_options = InputOptions { control: SharedControl::new(control), ..InputOptions::default() };
    let mut lines = Lines::new(BufferedInput::open_with(path.as_ref(), &input_options)?.0);
    let mut qrels = Qrels::new();
    let mut is_beir = false;
    let mut is_first = true;
    while lines.advance_to_text()? {
        let line = lines.text()?;
        if is_comment(line) {
            continue;
        }
        if std::mem::take(&mut is_first)
            && line.split_ascii_whitespace().eq(["query-id", "corpus-id", "score"])
        {
            is_beir = true;
            continue;
        }
        let (query, passage, grade) = if is_beir { beir_columns(line) } else { trec_columns(line) }
            .ok_or_else(|| {
                let columns = if is_beir {
                    "query-id, corpus-id and score, tab-separated"
                } else {
                    "query, iteration, passage and grade"
                };
                lines.error(columns, quoted(line))
            })?;
        let grade: i32 = grade.parse().map_err(|_| lines.error("an integer as grade", quoted(grade)))?;
        if let Some(&before) = qrels.get(query).and_then(|grades| grades.get(passage))
            && before != grade
        {
            let expected = format!("one grade of passage {passage} for query {query}");
            return Err(lines.error(expected, format!("{before} and {grade}")));
        }
        qrels.insert(query, passage, grade);
    }
    Ok(qrels)
}

/// Returns query, passage and grade of a line in the format of TREC.
fn trec_columns(line: &str) -> Option<(&str, &str, &str)> {
    let mut columns = line.split_ascii_whitespace();
    let found = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
    columns.next().is_none().then_some((found.0, found.2, found.3))
}

/// Returns query, passage and grade of a line in the format of BEIR.
fn beir_columns(line: &str) -> Option<(&str, &str, &str)> {
    let mut columns = line.split('\t').map(str::trim);
    let found = (columns.next()?, columns.next()?, columns.next()?);
    let is_complete = columns.next().is_none() && !found.0.is_empty() && !found.1.is_empty();
    is_complete.then_some(found)
}

/// Writes relevance judgments in the format of TREC. A file is replaced atomically; a FIFO or device is written to
/// directly; the path `-` stands for standard output.
///
/// # Errors
///
/// The errors of [`write_qrels_to`]; [`Error::Storage`] if the file cannot be replaced; [`Error::Canceled`].
pub fn write_qrels(path: impl AsRef<Path>, qrels: &Qrels, control: &Arc<Control>) -> Result<(), Error> {
    write_whole(path.as_ref(), control, |output| write_qrels_to(output, qrels))
}

/// Writes lines of `query 0 passage grade`, in the order of the queries and their passages.
///
/// # Errors
///
/// [`Error::Argument`] for an id that is empty or has white space or control characters, and for a query id that would
/// begin a comment or that begins with a byte order mark; [`Error::Io`] if writing fails.
pub fn write_qrels_to(output: &mut (impl Write + ?Sized), qrels: &Qrels) -> Result<(), Error> {
    for (query, grades) in qrels.iter() {
        query_column(query)?;
        for (passage, grade) in grades {
            writeln!(output, "{query} 0 {} {grade}", column("passage id", passage)?).map_err(write_error)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads a temporary file with this content.
    fn read(content: &[u8]) -> Result<Qrels, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        read_qrels(file.path())
    }

    /// Returns the judgments as they are written to a file.
    fn written(qrels: &Qrels) -> String {
        let mut output = Vec::new();
        write_qrels_to(&mut output, qrels).expect("writable");
        String::from_utf8(output).expect("UTF-8")
    }

    #[test]
    fn the_formats_of_trec_and_beir_are_read() -> Result<(), Error> {
        let trec = read(b"# comment here\n1 0 b 2\n1\t0\ta\t-1\r\n#2 0 a 0\n")?;
        assert_eq!(written(&trec), "1 0 b 2\n1 0 a -1\n#2 0 a 0\n");
        let beir = read(b"query-id\tcorpus-id\tscore\n1\ta b\t1\n1\tc\t0\n")?;
        assert_eq!(beir.get("1").and_then(|grades| grades.get("a b")), Some(&1));
        Ok(())
    }

    #[test]
    fn invalid_lines_are_refused_with_their_line_numbers() {
        let error = |content: &[u8]| read(content).expect_err("invalid").to_string();
        assert!(
            error(b"1 0 a\n").ends_with(":1: expected query, iteration, passage and grade, got \"1 0 a\"")
        );
        assert!(error(b"1 0 a 1.5\n").ends_with(":1: expected an integer as grade, got \"1.5\""));
        assert!(
            error(b"1 0 a 1\n1 0 a 0\n")
                .ends_with(":2: expected one grade of passage a for query 1, got 1 and 0")
        );
        assert!(
            error(b"query-id\tcorpus-id\tscore\n1 0 a 1\n")
                .contains(":2: expected query-id, corpus-id and score")
        );
    }

    proptest! {
        #[test]
        fn all_judgments_are_read_back(grades in prop::collection::vec((0u8..5, 0u8..9, any::<i32>()), 0..30)) {
            let mut qrels = Qrels::new();
            for (query, passage, grade) in grades {
                qrels.insert(format!("q{query}"), format!("d{passage}"), grade);
            }
            prop_assert_eq!(read(written(&qrels).as_bytes()).expect("readable"), qrels);
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(content in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = read(&content);
        }
    }
}
