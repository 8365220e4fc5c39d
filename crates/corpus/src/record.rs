//! Passages and questions.

use serde::{Deserialize, Serialize};

/// A unit of text that can be retrieved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Unique in the corpus, not empty.
    pub id: String,
    /// Title of its document. An empty title counts as none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text, unchanged.
    pub text: String,
}

/// A question with its accepted answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Unique in its file. The row number from 0 if the file has no ids.
    pub id: String,
    /// The question.
    #[serde(rename = "question")]
    pub text: String,
    /// Accepted answers in the order of the file, without duplicates for SQuAD. Empty if the file has none or the question
    /// is unanswerable.
    #[serde(default)]
    pub answers: Vec<String>,
    /// The passage that the question was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Passage>,
}

impl Passage {
    /// Sets the title, or none if it is empty. Reuses the memory of the previous title.
    pub(crate) fn set_title(&mut self, title: &str) {
        if title.is_empty() {
            self.title = None;
        } else {
            replace(self.title.get_or_insert_default(), title);
        }
    }
}

/// Replaces the content of a string and reuses its memory.
pub(crate) fn replace(string: &mut String, value: &str) {
    string.clear();
    string.push_str(value);
}

/// Removes duplicates and keeps the first occurrences.
pub(crate) fn distinct(strings: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    strings.into_iter().filter(|string| seen.insert(string.clone())).collect()
}
