//! Finds the best answer to each of many questions, and checks whether it is correct, on all threads of the current
//! rayon pool.

use control::{Canceled, Control};
use rayon::prelude::*;

use super::answered_question::AnsweredQuestion;
use super::exact_match::{ExactMatchEvaluator, Scratch, check_passage_counts};
use super::readings::{BestAnswer, QuestionReadings};
use super::scoring::Scoring;
use crate::Error;

/// Returns, for each question, the best answer in its first `passage_count` passages, as [`QuestionReadings::best`]
/// does. Progress counts questions.
///
/// # Errors
///
/// [`Error::Argument`] if a weight in `scoring.evidence` is not finite; [`Error::Canceled`].
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
    best.collect::<Result<Vec<_>, Canceled>>().map_err(Error::from)
}

/// Returns one list for each n in `passage_counts`, with one value per question: whether the best answer in the
/// question's first n passages is an accepted one. The best answer is the one that [`QuestionReadings::best`] returns.
/// Progress counts questions.
///
/// # Errors
///
/// [`Error::Argument`] if a weight in `scoring.evidence` is not finite, or if `passage_counts` is not in strictly
/// ascending order; [`Error::Canceled`].
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
            evaluator.evaluate(scoring.evidence, passage_counts, scratch, |index, is_match| {
                matches[index] = is_match;
            });
        }
        control.advance(1);
        Ok(matches)
    });
    let by_question = by_question.collect::<Result<Vec<Vec<bool>>, Canceled>>()?;
    let by_count = |index: usize| by_question.iter().map(|matches| matches[index]).collect();
    Ok((0..passage_counts.len()).map(by_count).collect())
}
