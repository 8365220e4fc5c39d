use serde::{Deserialize, Serialize};

/// A unit of text that can be retrieved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Unique in its corpus, not empty.
    pub id: String,
    /// Title of the document it comes from; an empty one counts as none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text, as it stands in the file.
    pub text: String,
}

/// A question, with the answers that count as right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Unique in its file; its row number from 0 where the file gives none.
    pub id: String,
    /// The question.
    #[serde(rename = "question")]
    pub text: String,
    /// Accepted answers in the file's order (SQuAD's each once); none if the file has none or the question is
    /// unanswerable.
    #[serde(default)]
    pub answers: Vec<String>,
    /// The passage that the question was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Passage>,
}

impl Passage {
    /// Sets the title, an empty one to none, and keeps the memory of the one before.
    pub(crate) fn set_title(&mut self, title: &str) {
        if title.is_empty() {
            self.title = None;
        } else {
            replace(self.title.get_or_insert_default(), title);
        }
    }
}

/// Sets a string and keeps its memory.
pub(crate) fn replace(string: &mut String, value: &str) {
    string.clear();
    string.push_str(value);
}

/// The strings without their later repetitions.
pub(crate) fn distinct(strings: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    strings.into_iter().filter(|string| seen.insert(string.clone())).collect()
}
