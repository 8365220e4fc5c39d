//! DPR's training files: questions with positive and negative passages.

mod object;
mod reader;

pub use reader::{TrainingReadOptions, TrainingReader, open_training};

/// A question with its training passages, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainingExample {
    /// The question.
    pub question: String,
    /// Accepted answers.
    pub answers: Vec<String>,
    /// Passages that answer the question.
    pub positives: Vec<TrainingPassage>,
    /// Passages that do not answer the question although a retriever ranked them highly.
    pub hard_negatives: Vec<TrainingPassage>,
    /// Other passages that do not answer the question.
    pub negatives: Vec<TrainingPassage>,
    /// The name of the data set that the question is from.
    pub dataset: Option<String>,
}

/// A passage of a training example.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainingPassage {
    /// Id in the corpus, if the file has it.
    pub id: Option<String>,
    /// Title; `None` instead of an empty one.
    pub title: Option<String>,
    /// Text.
    pub text: String,
    /// Score of the retriever that found the passage, if the file has it. Finite.
    pub score: Option<f64>,
}

impl TrainingExample {
    /// Number of bytes of all strings of the example.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let passages = [&self.positives, &self.hard_negatives, &self.negatives].into_iter().flatten();
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.question.len()
            + self.answers.iter().map(String::len).sum::<usize>()
            + optional(&self.dataset)
            + passages
                .map(|passage| passage.text.len() + optional(&passage.id) + optional(&passage.title))
                .sum::<usize>()
    }
}
