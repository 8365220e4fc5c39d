//! Selects negative passages for questions.

use std::sync::Arc;

use corpus::PassageTexts;
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;
use pipelines::{Candidates, MinedQuestion, NegativeSelection, QuestionNegatives, Sampling};

use super::context_matcher::matcher_of;
use crate::call::{Control, control_or_new, spawn};
use crate::corpus::NativeTexts;
use crate::runs::NativeRun;

/// How negatives are selected.
#[napi(object)]
pub struct NativeNegativeSelection {
    /// Maximum number of negatives per question.
    pub count: u32,
    /// First and last rank of a run, from 1.
    pub min_rank: u32,
    pub max_rank: u32,
    /// Limits on the scores of a run.
    pub min_score: Option<f64>,
    pub max_score: Option<f64>,
    /// Minimum difference to the score of the first positive, and the same as a fraction of that score.
    pub margin: Option<f64>,
    pub relative_margin: Option<f64>,
    /// Whether eligible hits of a run are selected at random, and not the best ones.
    pub is_random: bool,
    /// Maximum overlap with a positive.
    pub max_overlap: Option<f64>,
    /// Determines random choices.
    pub seed: u32,
}

impl NativeNegativeSelection {
    fn parse(&self) -> NegativeSelection {
        let float = |value: Option<f64>| value.map(|value| value as f32);
        NegativeSelection {
            count: self.count as usize,
            min_rank: self.min_rank as usize,
            max_rank: self.max_rank as usize,
            min_score: float(self.min_score),
            max_score: float(self.max_score),
            margin: float(self.margin),
            relative_margin: float(self.relative_margin),
            sampling: if self.is_random { Sampling::Random } else { Sampling::Top },
            max_overlap: float(self.max_overlap),
            seed: u64::from(self.seed),
        }
    }
}

/// The negatives of several questions, one question after another.
#[napi(object)]
pub struct SelectedNegatives {
    pub ids: Vec<String>,
    /// Scores of the run; NaN for passages that are not from a run.
    pub scores: Float32Array,
    /// Number of negatives of each question.
    pub counts: Uint32Array,
    /// Number of rejected candidates of all questions together, by reason: positives, score, margin, answer, duplicate.
    pub rejections: Uint32Array,
}

impl From<Vec<QuestionNegatives>> for SelectedNegatives {
    fn from(questions: Vec<QuestionNegatives>) -> Self {
        let counts: Vec<u32> = questions.iter().map(|question| question.negatives.len() as u32).collect();
        let mut rejections = [0; 5];
        let (mut ids, mut scores) = (Vec::new(), Vec::new());
        for QuestionNegatives { negatives, rejections: question_rejections } in questions {
            let reasons = [
                question_rejections.positives,
                question_rejections.by_score,
                question_rejections.by_margin,
                question_rejections.with_answer,
                question_rejections.duplicates,
            ];
            rejections.iter_mut().zip(reasons).for_each(|(sum, count)| *sum += count);
            for negative in negatives {
                ids.push(negative.id);
                scores.push(negative.score.unwrap_or(f32::NAN));
            }
        }
        Self { ids, scores: scores.into(), counts: counts.into(), rejections: rejections.to_vec().into() }
    }
}

/// Selects negatives for the questions that are added to it.
#[napi]
pub struct NegativeMiner {
    texts: PassageTexts,
    /// Whether answers are regular expressions.
    has_patterns: bool,
    /// Each question with its answers.
    questions: Vec<(MinedQuestion, Vec<String>)>,
}

#[napi]
impl NegativeMiner {
    #[napi(constructor, catch_unwind)]
    pub fn new(texts: &NativeTexts, patterns: bool) -> Self {
        Self { texts: texts.texts(), has_patterns: patterns, questions: Vec::new() }
    }

    /// Adds a question: its id in the run, its answers, the ids of its positives and of other passages that must not be
    /// selected, and the score of its first positive, if there is one.
    #[napi(catch_unwind)]
    pub fn add(
        &mut self,
        id: String,
        answers: Vec<String>,
        positives: Vec<String>,
        excluded: Vec<String>,
        positive_score: Option<f64>,
    ) {
        let positive_score = positive_score.map(|score| score as f32);
        let no_answers = matcher_of(&[], false);
        let question = MinedQuestion { id, answers: no_answers, positives, excluded, positive_score };
        self.questions.push((question, answers));
    }

    /// Selects from the hits of a run. Removes the questions from the miner.
    #[napi(ts_return_type = "Promise<SelectedNegatives>", catch_unwind)]
    pub fn select_hits<'env>(
        &mut self,
        env: &'env Env,
        run: &NativeRun,
        selection: NativeNegativeSelection,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (job, control, run) = (self.take_job(), control_or_new(control), run.retrieved());
        spawn(env, move || {
            let selection = selection.parse();
            let found = selection.select(Candidates::Run(&run), &job.questions(), &job.texts, &control)?;
            Ok(SelectedNegatives::from(found))
        })
    }

    /// Draws passages at random: among those with the given ids, or among all passages of the store. Removes the
    /// questions from the miner.
    #[napi(ts_return_type = "Promise<SelectedNegatives>", catch_unwind)]
    pub fn draw<'env>(
        &mut self,
        env: &'env Env,
        passages: Option<&PassageIds>,
        selection: NativeNegativeSelection,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (job, control) = (self.take_job(), control_or_new(control));
        let ids = passages.map(|passages| Arc::clone(&passages.ids));
        spawn(env, move || {
            let candidates = ids.as_deref().map_or(Candidates::Store, |ids| Candidates::Ids(ids));
            let found = selection.parse().select(candidates, &job.questions(), &job.texts, &control)?;
            Ok(SelectedNegatives::from(found))
        })
    }

    fn take_job(&mut self) -> Job {
        let questions = std::mem::take(&mut self.questions);
        Job { texts: self.texts.clone(), has_patterns: self.has_patterns, questions }
    }
}

/// The data that a call moves to another thread.
struct Job {
    texts: PassageTexts,
    has_patterns: bool,
    questions: Vec<(MinedQuestion, Vec<String>)>,
}

impl Job {
    fn questions(&self) -> Vec<MinedQuestion> {
        let questions = self.questions.iter();
        questions
            .map(|(question, answers)| {
                let answers = matcher_of(answers, self.has_patterns);
                MinedQuestion { answers, ..question.clone() }
            })
            .collect()
    }
}

/// Ids of passages from which negatives are drawn.
#[napi]
pub struct PassageIds {
    ids: Arc<Vec<String>>,
}

#[napi]
impl PassageIds {
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { ids: Arc::default() }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>) {
        Arc::make_mut(&mut self.ids).extend(ids);
    }
}
