//! Reads and writes DPR's retrieval results: a JSON array of questions, each with the passages that were retrieved for
//! it.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::Error;
use crate::json::{Answers, Id, JsonRecords, Score, Text};
use crate::write::Output;

/// A question with its retrieved passages, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RetrievalResult {
    /// Id of the question. `None` in files of DPR, which have no ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The question.
    pub question: String,
    /// Accepted answers.
    pub answers: Vec<String>,
    /// Retrieved passages.
    #[serde(rename = "ctxs")]
    pub passages: Vec<RetrievedPassage>,
}

/// A passage that was retrieved for a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RetrievedPassage {
    /// Passage id.
    pub id: String,
    /// Title; empty if there is none.
    pub title: String,
    /// Text.
    pub text: String,
    /// Retrieval score, which must be finite. It is written as a string, as in DPR.
    #[serde(serialize_with = "as_string")]
    pub score: f32,
    /// Whether the text contains an answer, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_answer: Option<bool>,
}

/// Iterator over retrieval results in a JSON array or in JSON lines, plain or gzip. Ends after the first error.
pub struct ResultReader {
    records: JsonRecords,
    has_ended: bool,
}

/// Opens a file of retrieval results.
///
/// # Errors
///
/// [`Error::Io`] or [`Error::Gzip`] if the file cannot be read.
pub fn open_results(path: impl AsRef<Path>) -> Result<ResultReader, Error> {
    Ok(ResultReader { records: JsonRecords::open(path.as_ref())?, has_ended: false })
}

/// The JSON object of a question.
#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    question: Text<'a>,
    answers: Option<Answers>,
    #[serde(borrow)]
    ctxs: Vec<Context<'a>>,
}

/// The JSON object of a retrieved passage, which DPR calls a context.
#[derive(Deserialize)]
struct Context<'a> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    docid: Option<Id<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    score: Score<f32>,
    has_answer: Option<bool>,
}

impl ResultReader {
    fn read(&mut self) -> Result<Option<RetrievalResult>, Error> {
        const EXPECTED: &str = "a JSON object with \"question\", \"answers\" and \"ctxs\"";
        if !self.records.advance()? {
            return Ok(None);
        }
        let object: Object = self.records.parse(EXPECTED)?;
        let passages = object.ctxs.into_iter().map(|context| {
            let id = context.id.or(context.docid).filter(|Id(id)| !id.is_empty());
            let Id(id) =
                id.ok_or_else(|| self.records.error("an id for each of \"ctxs\"", "none or an empty one"))?;
            let string = |text: Option<Text>| text.map(|Text(text)| text.into_owned()).unwrap_or_default();
            Ok(RetrievedPassage {
                id: id.into_owned(),
                title: string(context.title),
                text: string(context.text),
                score: context.score.0,
                has_answer: context.has_answer,
            })
        });
        Ok(Some(RetrievalResult {
            id: object.id.map(|Id(id)| id.into_owned()),
            question: object.question.0.into_owned(),
            answers: object.answers.unwrap_or_default().0,
            passages: passages.collect::<Result<_, Error>>()?,
        }))
    }
}

impl Iterator for ResultReader {
    type Item = Result<RetrievalResult, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let read = self.read();
        self.has_ended = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

/// Writes retrieval results as a JSON array, one object per line. [`finish`](Self::finish) replaces the target file; a
/// writer that is dropped unfinished leaves the old file unchanged. The path `-` means standard output.
#[derive(Debug)]
pub struct ResultWriter {
    output: Output,
    count: u64,
}

impl ResultWriter {
    /// Creates a writer whose file will replace `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if no file can be created in the folder of `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { output: Output::create(path.as_ref(), &Arc::default())?, count: 0 })
    }

    /// Appends the results of one question.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an empty passage id or a score that is not finite; [`Error::Io`] if writing fails.
    pub fn push(&mut self, result: &RetrievalResult) -> Result<(), Error> {
        for passage in &result.passages {
            if passage.id.is_empty() {
                return Err(Error::argument("passage id", "one or more characters", "none"));
            }
            if !passage.score.is_finite() {
                let got = format!("{} for {}", passage.score, passage.id);
                return Err(Error::argument("score", "a finite number", got));
            }
        }
        let start: &[u8] = if self.count == 0 { b"[\n" } else { b",\n" };
        let json = serde_json::to_vec(result).expect("all keys of a result are strings");
        self.output.push(start)?;
        self.output.push(&json)?;
        self.count += 1;
        Ok(())
    }

    /// Ends the array and replaces the target file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Storage`] if writing fails; the old file is then unchanged.
    pub fn finish(mut self) -> Result<(), Error> {
        let end: &[u8] = if self.count == 0 { b"[]\n" } else { b"\n]\n" };
        self.output.push(end)?;
        self.output.finish()
    }
}

fn as_string<S: Serializer>(score: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_they_were_written() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.json");
        let passage = |score, has_answer| RetrievedPassage {
            id: "wiki:1".into(),
            title: "A \"title\"".into(),
            text: "Té\nxt".into(),
            score,
            has_answer,
        };
        let results = [
            RetrievalResult {
                id: None,
                question: "who?".into(),
                answers: vec!["a".into()],
                // 0.1 has no exact binary representation, and -1e-40 is subnormal.
                passages: vec![passage(0.1, Some(true)), passage(-1e-40, None)],
            },
            RetrievalResult { id: Some("7".into()), question: "what?".into(), ..RetrievalResult::default() },
        ];
        for count in 0..=2 {
            let mut writer = ResultWriter::create(&path)?;
            results[..count].iter().try_for_each(|result| writer.push(result))?;
            writer.finish()?;
            let read_back: Vec<_> = open_results(&path)?.collect::<Result<_, _>>()?;
            assert_eq!(read_back, results[..count]);
            let parsed: serde_json::Value =
                serde_json::from_slice(&std::fs::read(&path).expect("present")).expect("JSON");
            assert_eq!(parsed.as_array().map(Vec::len), Some(count));
        }
        Ok(())
    }

    #[test]
    fn files_of_dpr_and_pyserini_are_read() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        // DPR writes `id` and scores as strings; Pyserini writes `docid` and scores as numbers.
        let content = r#"[{"question": "q", "answers": ["a"], "ctxs": [{"id": "1", "title": "t", "text": "x", "score": "81.5", "has_answer": false}]},
            {"question": "q", "answers": "a", "ctxs": [{"docid": 2, "score": 3.5, "text": "x"}]},
            {"question": "q", "ctxs": [{"id": "", "score": 1}]}]"#;
        std::fs::write(file.path(), content).expect("writable");
        let found: Vec<_> = open_results(file.path()).expect("readable").collect();
        let found: Vec<_> = found
            .into_iter()
            .map(|result| result.map(|result| (result.passages[0].id.clone(), result.passages[0].score)))
            .collect();
        assert_eq!(found[0].as_ref().ok(), Some(&("1".to_owned(), 81.5)));
        assert_eq!(found[1].as_ref().ok(), Some(&("2".to_owned(), 3.5)));
        assert!(
            found[2].as_ref().is_err_and(|error| error.to_string().contains(":3: expected an id for each"))
        );
    }
}
