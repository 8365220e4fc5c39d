//! Best answers and exact matches of many questions, on all threads.

use control::{Cancelled, Control};
use rayon::prelude::*;

use super::answered_question::AnsweredQuestion;
use super::exact_match::{ExactMatchEvaluator, Scratch, check_passage_counts};
use super::readings::{BestAnswer, QuestionReadings};
use super::scoring::Scoring;
use crate::Error;

/// Returns the best answer of each question among its first `passage_count` passages, as [`QuestionReadings::best`] does.
///
/// # Errors
///
/// [`Error::Argument`] if a weight is not finite; [`Error::Cancelled`].
pub fn best_answers<'a>(
    questions: &'a [QuestionReadings],
    scoring: Scoring,
    passage_count: usize,
    control: &Control,
) -> Result<Vec<Option<BestAnswer<'a>>>, Error> {
    scoring.evidence.check()?;
    control.set_total(questions.len() as u64);
    let best = questions.par_iter().map(|question| {
        control.check()?;
        let best = question.best_unchecked(scoring, passage_count);
        control.advance(1);
        Ok(best)
    });
    best.collect::<Result<Vec<_>, Cancelled>>().map_err(Error::from)
}

/// Returns whether the best answer of each question is an accepted one, for each number of passages:
/// `[passage_counts][questions]`. The best answer is the one that [`QuestionReadings::best`] returns.
///
/// # Errors
///
/// [`Error::Argument`] if a weight is not finite, or if `passage_counts` is not in strictly ascending order;
/// [`Error::Cancelled`].
pub fn exact_matches(
    questions: &[AnsweredQuestion<'_>],
    scoring: Scoring,
    passage_counts: &[usize],
    control: &Control,
) -> Result<Vec<Vec<bool>>, Error> {
    scoring.evidence.check()?;
    check_passage_counts(passage_counts)?;
    control.set_total(questions.len() as u64);
    let by_question = questions.par_iter().map_init(Scratch::default, |scratch, question| {
        control.check()?;
        let mut matches = vec![false; passage_counts.len()];
        if let Some(readings) = question.readings {
            let evaluator =
                ExactMatchEvaluator::new(readings, question.accepted, scoring.spans, scoring.merge);
            evaluator
                .evaluate(scoring.evidence, passage_counts, scratch, |at, is_match| matches[at] = is_match);
        }
        control.advance(1);
        Ok(matches)
    });
    let by_question = by_question.collect::<Result<Vec<Vec<bool>>, Cancelled>>()?;
    let matches_of = |at: usize| by_question.iter().map(|matches| matches[at]).collect();
    Ok((0..passage_counts.len()).map(matches_of).collect())
}
