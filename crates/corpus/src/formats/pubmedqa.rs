//! PubMedQA (Jin et al., 2019): one JSON object that maps each PubMed id to a question, the paragraphs of an abstract
//! (`CONTEXTS`), and the answer (`final_decision`).

use serde::Deserialize;

use crate::Error;
use crate::formats::source::PassageSource;
use crate::formats::source::QuestionSource;
use crate::input::BufferedInput;
use crate::json::{JsonItems, Shape};
use crate::types::{Passage, Question};

/// The value of a PubMed id in the file.
#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "QUESTION")]
    question: String,
    #[serde(rename = "CONTEXTS")]
    contexts: Vec<String>,
    final_decision: Option<String>,
}

/// Reads each abstract as a passage: its paragraphs, separated by line breaks. The id is the PubMed id.
pub(crate) struct PubmedQaPassages(Entries);

/// Reads the questions, with their abstracts as contexts. The answer is the decision (`yes`, `no` or `maybe`).
pub(crate) struct PubmedQaQuestions(Entries);

/// Reads the entries of a file.
struct Entries(JsonItems);

impl Entries {
    /// Returns the abstract of the next entry as a passage, and the entry.
    fn next(&mut self) -> Result<Option<(Passage, Entry)>, Error> {
        if !self.0.advance()? {
            return Ok(None);
        }
        let entry: Entry = self.0.parse("an object with \"QUESTION\" and \"CONTEXTS\"")?;
        let id = self.0.key().unwrap_or_default().to_owned();
        if id.is_empty() {
            return Err(self.0.error("an id", "an empty one"));
        }
        Ok(Some((Passage { id, title: None, text: entry.contexts.join("\n") }, entry)))
    }
}

impl PubmedQaPassages {
    pub fn new(input: BufferedInput) -> Self {
        Self(Entries(JsonItems::new(input, Shape::Values)))
    }
}

impl PubmedQaQuestions {
    pub fn new(input: BufferedInput) -> Self {
        Self(Entries(JsonItems::new(input, Shape::Values)))
    }
}

impl PassageSource for PubmedQaPassages {
    fn error(&self, expected: String, got: String) -> Error {
        self.0.0.error(expected, got)
    }

    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        let Some((found, _)) = self.0.next()? else { return Ok(false) };
        *passage = found;
        Ok(true)
    }
}

impl QuestionSource for PubmedQaQuestions {
    fn read(&mut self) -> Result<Option<Question>, Error> {
        Ok(self.0.next()?.map(|(context, entry)| Question {
            id: context.id.clone(),
            text: entry.question,
            answers: entry.final_decision.into_iter().collect(),
            context: Some(context),
            positives: Vec::new(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_becomes_a_question_with_its_abstract() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let content = r#"{"12": {"QUESTION": "Does it?", "CONTEXTS": ["A.", "B."], "YEAR": "2000", "final_decision": "yes"}}"#;
        std::fs::write(file.path(), content).expect("writable");
        let mut source = PubmedQaQuestions::new(BufferedInput::open(file.path()).expect("readable").0);
        let question = source.read().expect("valid").expect("present");
        assert_eq!((question.id.as_str(), question.answers), ("12", vec!["yes".to_owned()]));
        assert_eq!(question.context.expect("contexts").text, "A.\nB.");
        assert_eq!(source.read().expect("the end"), None);
    }
}
