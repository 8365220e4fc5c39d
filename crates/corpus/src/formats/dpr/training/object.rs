//! The JSON objects of a training example and its passages.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::{TrainingExample, TrainingPassage};
use crate::json::{Answers, Id, Text};

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

/// The object of a passage, which DPR calls a context. Other fields, such as `title_score`, are ignored.
#[derive(serde::Deserialize)]
struct PassageObject<'a> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    passage_id: Option<Id<'a>>,
    #[serde(borrow)]
    psg_id: Option<Id<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    text: Text<'a>,
    score: Option<Score>,
}

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
            objects.into_iter().take(max).map(PassageObject::into_passage).collect()
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

impl PassageObject<'_> {
    fn into_passage(self) -> TrainingPassage {
        let id = self.passage_id.or(self.psg_id).or(self.id).map(|Id(id)| id.into_owned());
        let title = self.title.map(|Text(title)| title.into_owned());
        TrainingPassage {
            id: id.filter(|id| !id.is_empty()),
            title: title.filter(|title| !title.is_empty()),
            text: self.text.0.into_owned(),
            score: self.score.map(|Score(score)| score),
        }
    }
}

/// A finite score with double precision: a number, or a string that contains one.
struct Score(f64);

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScoreVisitor)
    }
}

struct ScoreVisitor;

impl Visitor<'_> for ScoreVisitor {
    type Value = Score;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a finite number")
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Score, E> {
        Ok(Score(value))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Score, E> {
        Ok(Score(value as f64))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Score, E> {
        Ok(Score(value as f64))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Score, E> {
        let score = value.trim().parse().ok().filter(|score: &f64| score.is_finite());
        score.map(Score).ok_or_else(|| E::custom(format_args!("the score {value:?}")))
    }
}
