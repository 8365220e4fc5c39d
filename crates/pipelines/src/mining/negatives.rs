//! Selects negative passages for questions: from the hits of a searcher, or at random.

use control::Control;
use corpus::PassageTexts;
use ranking::{AlignedRuns, Hit, RetrievedRun};
use rayon::prelude::*;

use super::draw::Shuffled;
use super::guard::{Guard, MinedQuestion, Rejections};
use crate::Error;

/// The passages from which negatives are selected.
#[derive(Debug, Clone, Copy)]
pub enum Candidates<'a> {
    /// The hits of a searcher, per question.
    Run(&'a RetrievedRun),
    /// These passages, by their ids, in random order.
    Ids(&'a [String]),
    /// All passages of the store, in random order.
    Store,
}

/// Which of the eligible hits of a run are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// The best ones.
    Top,
    /// Random ones.
    Random,
}

/// How negatives are selected. Ranks, scores, margins and `sampling` apply to a run only. The options are those of
/// `mine_hard_negatives` in Sentence Transformers.
#[derive(Debug, Clone, Copy)]
pub struct NegativeSelection {
    /// Maximum number of negatives per question.
    pub count: usize,
    /// First rank of the run, from 1, that is considered.
    pub min_rank: usize,
    /// Last rank of the run that is considered.
    pub max_rank: usize,
    /// Minimum score of a negative.
    pub min_score: Option<f32>,
    /// Maximum score of a negative.
    pub max_score: Option<f32>,
    /// Minimum difference between the scores of the first positive and a negative.
    pub margin: Option<f32>,
    /// Minimum difference between the scores of the first positive and a negative, as a fraction of the absolute value
    /// of the positive's score.
    pub relative_margin: Option<f32>,
    /// Which eligible hits are selected.
    pub sampling: Sampling,
    /// A passage whose [overlap](text::Shingles::overlap) with a positive is greater than this is rejected as a
    /// near-duplicate. `None` rejects only passages with exactly the text of a positive.
    pub max_overlap: Option<f32>,
    /// Determines random choices, together with the id of the question.
    pub seed: u64,
}

/// A selected passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Negative {
    /// Id of the passage.
    pub id: String,
    /// Its score in the run, if it is from a run.
    pub score: Option<f32>,
}

/// The negatives of one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionNegatives {
    /// The selected passages: in the order of the run, or of the draw.
    pub negatives: Vec<Negative>,
    /// What was rejected.
    pub rejections: Rejections,
}

impl NegativeSelection {
    /// Selects negatives for each question, in the order of the questions. Progress counts questions.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if a candidate or a positive is not a passage of the corpus, or for [`Candidates::Store`]
    /// with `texts` that are not in a store; other errors if texts or ids cannot be read; [`Error::Canceled`].
    pub fn select(
        &self,
        candidates: Candidates<'_>,
        questions: &[MinedQuestion],
        texts: &PassageTexts,
        control: &Control,
    ) -> Result<Vec<QuestionNegatives>, Error> {
        control.set_total(questions.len() as u64);
        match candidates {
            Candidates::Run(run) => {
                let runs = AlignedRuns::new(std::slice::from_ref(run), self.max_rank)?;
                let lists = runs.query_indexes(questions.iter().map(|question| question.id.as_str()));
                let selected = questions.par_iter().zip(lists).map(|(question, list)| {
                    control.check()?;
                    let hits = list.map_or(&[][..], |list| &runs.lists[0][list]);
                    let found = self.select_hits(hits, &runs, question, texts);
                    control.advance(1);
                    found
                });
                selected.collect()
            }
            Candidates::Ids(ids) => {
                self.draw(ids.len() as u32, questions, texts, control, |at| Ok(&ids[at as usize]))
            }
            Candidates::Store => {
                let store = texts.store().ok_or_else(|| {
                    let message = "passages: expected a passage store to draw from, got texts".to_owned();
                    Error::Argument { message }
                })?;
                self.draw(store.len(), questions, texts, control, |at| Ok(store.get(at)?.id))
            }
        }
    }

    fn select_hits(
        &self,
        hits: &[Hit],
        runs: &AlignedRuns,
        question: &MinedQuestion,
        texts: &PassageTexts,
    ) -> Result<QuestionNegatives, Error> {
        let first = self.min_rank.saturating_sub(1).min(hits.len());
        let hits = &hits[first..];
        let order: Box<dyn Iterator<Item = u32>> = match self.sampling {
            Sampling::Top => Box::new(0..hits.len() as u32),
            Sampling::Random => Box::new(Shuffled::new(hits.len() as u32, self.seed, &question.id)),
        };
        let mut guard = Guard::new(texts, question, self.max_overlap);
        let (mut selected, mut rejections) = (Vec::new(), Rejections::default());
        for at in order {
            if selected.len() == self.count {
                break;
            }
            let Hit { ord, score } = hits[at as usize];
            let id = runs.interner.get(ord);
            if !guard.accepts_id(id, &mut rejections) {
                continue;
            }
            if !self.allows_score(score) {
                rejections.by_score += 1;
            } else if !self.keeps_margin(score, question.positive_score) {
                rejections.by_margin += 1;
            } else if guard.accepts_text(id, &mut rejections)? {
                selected.push(at);
            }
        }
        selected.sort_unstable();
        let negative = |at: u32| {
            let Hit { ord, score } = hits[at as usize];
            Negative { id: runs.interner.get(ord).to_owned(), score: Some(score) }
        };
        Ok(QuestionNegatives { negatives: selected.into_iter().map(negative).collect(), rejections })
    }

    fn draw<'t>(
        &self,
        candidate_count: u32,
        questions: &[MinedQuestion],
        texts: &PassageTexts,
        control: &Control,
        id_at: impl Fn(u32) -> Result<&'t str, Error> + Sync,
    ) -> Result<Vec<QuestionNegatives>, Error> {
        let drawn = questions.par_iter().map(|question| {
            let mut guard = Guard::new(texts, question, self.max_overlap);
            let mut found = QuestionNegatives::default();
            for at in Shuffled::new(candidate_count, self.seed, &question.id) {
                if found.negatives.len() == self.count {
                    break;
                }
                // A large corpus may have to be searched completely if few of its passages are eligible.
                control.check()?;
                let id = id_at(at)?;
                if guard.accepts_id(id, &mut found.rejections)
                    && guard.accepts_text(id, &mut found.rejections)?
                {
                    found.negatives.push(Negative { id: id.to_owned(), score: None });
                }
            }
            control.advance(1);
            Ok(found)
        });
        drawn.collect()
    }

    fn allows_score(&self, score: f32) -> bool {
        self.min_score.is_none_or(|min| score >= min) && self.max_score.is_none_or(|max| score <= max)
    }

    fn keeps_margin(&self, score: f32, positive: Option<f32>) -> bool {
        if self.margin.is_none() && self.relative_margin.is_none() {
            return true;
        }
        positive.is_some_and(|positive| {
            self.margin.is_none_or(|margin| score <= positive - margin)
                && self.relative_margin.is_none_or(|fraction| score <= positive - fraction * positive.abs())
        })
    }
}

#[cfg(test)]
mod tests;
