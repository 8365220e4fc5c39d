//! Reads and writes TREC runs: the hits of many queries.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use control::Control;
use ranking::{Run, ScoredId};

use super::columns::{column, is_comment, query_column, write_error};
use crate::Error;
use crate::error::quoted;
use crate::input::{BufferedInput, InputOptions, Lines, SharedControl};
use crate::write::write_whole;

/// Reads a TREC run: lines of `query Q0 passage rank score tag`, plain or gzip. Text after the tag is ignored.
///
/// Queries keep the order of their first lines. The hits of a query are sorted by descending score, then by rank, then
/// by their order in the file. A line is a comment if it is `#`, alone or followed by white space.
///
/// # Errors
///
/// [`Error::Line`] for an invalid line, a score that is not finite as an `f32`, or a passage that occurs twice for a
/// query; [`Error::Io`] or [`Error::Gzip`] if the file cannot be read.
pub fn read_run(path: impl AsRef<Path>) -> Result<Run, Error> {
    read_run_cancelable(path, Arc::default())
}

/// Like [`read_run`], but can be canceled, even while it waits for the writer of a FIFO.
///
/// # Errors
///
/// The errors of [`read_run`]; [`Error::Canceled`].
pub fn read_run_cancelable(path: impl AsRef<Path>, control: Arc<Control>) -> Result<Run, Error> {
    const EXPECTED: &str = "query, Q0, passage, rank, score and tag";
    let input_options = InputOptions { control: SharedControl::new(control), ..InputOptions::default() };
    let mut lines = Lines::new(BufferedInput::open_with(path.as_ref(), &input_options)?.0);
    let mut queries: Vec<Hits> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    // Position in `queries` of the query of the previous line. Consecutive lines usually have the same query, which
    // then does not have to be looked up.
    let mut current = 0;
    while lines.advance_to_text()? {
        let line = lines.text()?;
        if is_comment(line) {
            continue;
        }
        let mut columns = line.split_ascii_whitespace();
        let mut next = || columns.next();
        let (Some(query), Some(_), Some(passage), Some(rank), Some(score), Some(_)) =
            (next(), next(), next(), next(), next(), next())
        else {
            return Err(lines.error(EXPECTED, quoted(line)));
        };
        let rank: i64 = rank.parse().map_err(|_| lines.error("an integer as rank", quoted(rank)))?;
        let finite = score.parse().ok().filter(|score: &f32| score.is_finite());
        let score = finite.ok_or_else(|| lines.error("a finite number as score", quoted(score)))?;
        if queries.get(current).is_none_or(|hits| hits.query != query) {
            current = *positions.entry(query.to_owned()).or_insert_with(|| {
                queries.push(Hits { query: query.to_owned(), ..Hits::default() });
                queries.len() - 1
            });
        }
        let hits = &mut queries[current];
        if !hits.seen.insert(passage.to_owned()) {
            let expected = format!("each passage once for query {query}");
            return Err(lines.error(expected, format!("{passage} again")));
        }
        hits.found.push((rank, ScoredId { id: passage.to_owned(), score }));
    }
    let mut run = Run::new();
    for Hits { query, mut found, .. } in queries {
        found.sort_by(|(rank_a, a), (rank_b, b)| b.score.total_cmp(&a.score).then(rank_a.cmp(rank_b)));
        run.insert(query, found.into_iter().map(|(_, hit)| hit).collect());
    }
    Ok(run)
}

/// The hits of one query, with their ranks.
#[derive(Default)]
struct Hits {
    query: String,
    /// Rank and hit, in the order of the file.
    found: Vec<(i64, ScoredId)>,
    /// The ids of the passages in `found`.
    seen: HashSet<String>,
}

/// Writes a TREC run. A file is replaced atomically; a FIFO or device is written to directly; the path `-` stands for
/// standard output.
///
/// # Errors
///
/// The errors of [`write_run_to`]; [`Error::Storage`] if the file cannot be replaced; [`Error::Canceled`].
pub fn write_run(path: impl AsRef<Path>, run: &Run, tag: &str, control: &Arc<Control>) -> Result<(), Error> {
    write_whole(path.as_ref(), control, |output| write_run_to(output, run, tag))
}

/// Writes a TREC run: lines of `query Q0 passage rank score tag`, in the order of the run, with ranks from 1.
///
/// A score is written as the shortest decimal number that is parsed to the same `f32`. [`read_run`] sorts hits by
/// score, so it returns the same run only if the scores of each query are in descending order.
///
/// # Errors
///
/// [`Error::Argument`] for an id or a tag that is empty or has white space or control characters, for a query id that
/// would begin a comment or that begins with a byte order mark, and for a score that is not finite; [`Error::Io`] if
/// writing fails.
pub fn write_run_to(output: &mut (impl Write + ?Sized), run: &Run, tag: &str) -> Result<(), Error> {
    column("tag", tag)?;
    for (query, hits) in run.iter() {
        query_column(query)?;
        for (rank, ScoredId { id, score }) in (1u64..).zip(hits) {
            column("passage id", id)?;
            if !score.is_finite() {
                return Err(Error::argument(
                    "score",
                    "a finite number",
                    format!("{score} for {id} of {query}"),
                ));
            }
            writeln!(output, "{query} Q0 {id} {rank} {score} {tag}").map_err(write_error)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads a temporary file with this content.
    fn read(content: &[u8]) -> Result<Run, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        read_run(file.path())
    }

    /// Returns the run as it is written to a file, with the tag `tag`.
    fn written(run: &Run) -> Result<String, Error> {
        let mut output = Vec::new();
        write_run_to(&mut output, run, "tag")?;
        Ok(String::from_utf8(output).expect("UTF-8"))
    }

    #[test]
    fn hits_are_ordered_by_score_then_rank() -> Result<(), Error> {
        let run = read(b"# a comment\n2 Q0 a 3 1.5 x\n1 Q0 a 1 2 x more junk\n2\tQ0\tb\t2\t1.5\tx\r\n 2 Q0 c 1 0.5 x\n2 Q0 d 9 7e0 x\n")?;
        let ids: Vec<_> = run.get("2").expect("present").iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids, ["d", "b", "a", "c"]);
        assert_eq!(run.iter().map(|(query, _)| query).collect::<Vec<_>>(), ["2", "1"]);
        Ok(())
    }

    #[test]
    fn invalid_lines_are_refused_with_their_line_numbers() {
        let error = |content: &[u8]| read(content).expect_err("invalid").to_string();
        assert!(
            error(b"1 Q0 a 1 2\n")
                .ends_with(":1: expected query, Q0, passage, rank, score and tag, got \"1 Q0 a 1 2\"")
        );
        assert!(error(b"\n1 Q0 a 1 nan x").ends_with(":2: expected a finite number as score, got \"nan\""));
        assert!(error(b"1 Q0 a 1 1e39 x").ends_with("got \"1e39\""));
        assert!(error(b"1 Q0 a x 1 x").ends_with("expected an integer as rank, got \"x\""));
        assert!(
            error(b"1 Q0 a 1 1 x\n1 Q0 a 2 1 x")
                .ends_with(":2: expected each passage once for query 1, got a again")
        );
    }

    #[test]
    fn values_that_could_not_be_read_back_are_not_written() {
        for (query, id, score) in
            [("a b", "x", 1.0), ("", "x", 1.0), ("#", "x", 1.0), ("q", "x\u{a0}y", 1.0), ("q", "x", f32::NAN)]
        {
            let mut run = Run::new();
            run.push(query, ScoredId { id: id.to_owned(), score });
            assert!(matches!(written(&run), Err(Error::Argument { .. })), "{query} {id} {score}");
        }
        assert!(write_run_to(&mut Vec::new(), &Run::new(), "my tag").is_err());
    }

    #[test]
    fn if_a_run_cannot_be_written_the_old_file_stays_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.txt");
        let mut run = Run::new();
        run.push("1", ScoredId { id: "a".into(), score: 0.1 });
        write_run(&path, &run, "t", &Arc::default()).expect("writable");
        run.push("1", ScoredId { id: "b c".into(), score: 0.0 });
        assert!(write_run(&path, &run, "t", &Arc::default()).is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("present"), "1 Q0 a 1 0.1 t\n");
    }

    proptest! {
        #[test]
        fn every_run_sorted_by_score_is_read_back(
            hits in prop::collection::vec((0u8..4, any::<f32>().prop_filter("finite", |score| score.is_finite())), 0..40),
        ) {
            let mut run = Run::new();
            for (at, (query, score)) in hits.iter().enumerate() {
                run.push(format!("q{query}"), ScoredId { id: format!("<é:{at}>"), score: *score });
            }
            let queries: Vec<String> = run.iter().map(|(query, _)| query.to_owned()).collect();
            for query in queries {
                let mut hits = run.get(&query).expect("present").to_vec();
                hits.sort_by(|a, b| b.score.total_cmp(&a.score));
                run.insert(query, hits);
            }
            let text = written(&run).expect("writable");
            let back = read(text.as_bytes()).expect("readable");
            prop_assert_eq!(written(&back).expect("writable"), text);
            prop_assert_eq!(back, run);
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(content in prop::collection::vec(prop::sample::select(b"1 Q0 a\t.e-\n#\xff".to_vec()), 0..60)) {
            let _ = read(&content);
        }
    }
}
