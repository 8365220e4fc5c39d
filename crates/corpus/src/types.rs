//! What readers return and writers accept: passages and questions.

use serde::{Deserialize, Serialize};

/// A unit of text that can be retrieved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Unique in the corpus and not empty. Only the context of a question and the passages of a training example may
    /// have an empty id.
    pub id: String,
    /// Title of the document that the passage is from. Readers of files return `None` instead of an empty title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Text of the passage.
    pub text: String,
}

/// A question with its accepted answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Unique in the file. If the file has no ids, the position of the question in the file, counted from 0.
    pub id: String,
    /// Text of the question.
    #[serde(rename = "question")]
    pub text: String,
    /// Accepted answers in the order of the file; duplicates are removed from those of SQuAD. Empty if the file has no
    /// answers or the question is unanswerable.
    #[serde(default)]
    pub answers: Vec<String>,
    /// The passage that the question was asked about; for a training example of DPR, its first positive passage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Passage>,
    /// Ids of the gold passages, if they were asked for (see
    /// [`ReadOptions::gold_field`](crate::ReadOptions::gold_field)) and the file has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positives: Vec<String>,
}

impl Passage {
    /// Sets the title; an empty `title` becomes `None`. Reuses the memory of the previous title.
    pub(crate) fn set_title(&mut self, title: &str) {
        if title.is_empty() {
            self.title = None;
        } else {
            replace(self.title.get_or_insert_default(), title);
        }
    }
}

/// Replaces the content of `string` by `value` and reuses its memory.
pub(crate) fn replace(string: &mut String, value: &str) {
    string.clear();
    string.push_str(value);
}

/// Returns the strings without duplicates, in the order of their first occurrences.
pub(crate) fn distinct(strings: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    strings.into_iter().filter(|string| seen.insert(string.clone())).collect()
}
