//! The JSON objects of a training example and its passages.

use super::{TrainingExample, TrainingPassage};
use crate::json::{Answers, Context, Score, Text};
use crate::types::Passage;

/// The object of a training example.
#[derive(serde::Deserialize)]
pub(super) struct ExampleObject<'a> {
    #[serde(borrow)]
    dataset: Option<Text<'a>>,
    #[serde(borrow)]
    question: Text<'a>,
    answers: Option<Answers>,
    #[serde(borrow)]
    positive_ctxs: Vec<PassageObject<'a>>,
    #[serde(borrow, default)]
    hard_negative_ctxs: Vec<PassageObject<'a>>,
    #[serde(borrow, default)]
    negative_ctxs: Vec<PassageObject<'a>>,
}

/// The object of a passage, which DPR calls a context.
type PassageObject<'a> = Context<'a, Score<f64>>;

/// Maximum number of passages of each kind that are kept per example.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaxPassages {
    pub positives: usize,
    pub hard_negatives: usize,
    pub negatives: usize,
}

impl ExampleObject<'_> {
    pub fn into_example(self, max: MaxPassages) -> TrainingExample {
        let passages = |objects: Vec<PassageObject>, max: usize| {
            objects.into_iter().take(max).map(into_passage).collect()
        };
        TrainingExample {
            question: self.question.0.into_owned(),
            answers: self.answers.unwrap_or_default().0,
            positives: passages(self.positive_ctxs, max.positives),
            hard_negatives: passages(self.hard_negative_ctxs, max.hard_negatives),
            negatives: passages(self.negative_ctxs, max.negatives),
            dataset: self.dataset.map(|Text(name)| name.into_owned()),
        }
    }
}

fn into_passage(object: PassageObject<'_>) -> TrainingPassage {
    let score = object.score.map(|Score(score)| score);
    let Passage { id, title, text } = object.into_passage();
    TrainingPassage { id: Some(id).filter(|id| !id.is_empty()), title, text, score }
}
