//! Best answers and exact matches of all questions of a run, on all threads.

use control::{Cancelled, Control};
use rayon::prelude::*;

use crate::Error;
use crate::judged::{JudgedQuestion, Scratch};
use crate::question::{BestAnswer, QuestionReadings, Scoring};

/// The accepted answers of a question. Without any, no answer is right.
#[derive(Debug, Clone, Copy)]
pub enum Accepted<'a> {
    /// Texts. An answer is right if it equals one of them after SQuAD's normalization (Rajpurkar et al., 2016).
    Texts(&'a [String]),
    /// Python regular expressions, as CuratedTREC's are. An answer is right if it matches one of them, as
    /// [`text::PredictionMatcher::patterns_lossy`] describes it.
    Patterns(&'a [String]),
}

/// A question with its accepted answers, and what was read for it.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredQuestion<'a> {
    /// None read: no answer, which is wrong.
    pub readings: Option<&'a QuestionReadings>,
    /// Accepted answers.
    pub accepted: Accepted<'a>,
}

/// The best answer of the first so many passages of each question, as [`QuestionReadings::best`] gives it.
///
/// # Errors
///
/// [`Error::Argument`] for weights that are not finite; [`Error::Cancelled`].
pub fn best_answers<'a>(
    questions: &'a [QuestionReadings],
    scoring: Scoring,
    passages: usize,
    control: &Control,
) -> Result<Vec<Option<BestAnswer<'a>>>, Error> {
    scoring.evidence.check()?;
    control.set_total(questions.len() as u64);
    let best = questions.par_iter().map(|question| {
        control.check()?;
        let best = question.best_of(scoring, passages);
        control.advance(1);
        Ok(best)
    });
    best.collect::<Result<Vec<_>, Cancelled>>().map_err(Error::from)
}

/// For each number of passages, which ascend, and each question, whether its best answer is an accepted one: the best answer
/// that [`QuestionReadings::best`] gives.
///
/// # Errors
///
/// [`Error::Argument`] for weights that are not finite, and numbers of passages that do not ascend; [`Error::Cancelled`].
pub fn exact_matches(
    questions: &[AnsweredQuestion<'_>],
    scoring: Scoring,
    passages: &[usize],
    control: &Control,
) -> Result<Vec<Vec<bool>>, Error> {
    scoring.evidence.check()?;
    check_passages(passages)?;
    control.set_total(questions.len() as u64);
    let of_questions = questions.par_iter().map_init(Scratch::default, |scratch, question| {
        control.check()?;
        let mut right = vec![false; passages.len()];
        if let Some(readings) = question.readings {
            let judged = JudgedQuestion::new(readings, question.accepted, scoring.spans, scoring.merge);
            judged.right(scoring.evidence, passages, scratch, |at, is_right| right[at] = is_right);
        }
        control.advance(1);
        Ok(right)
    });
    let of_questions = of_questions.collect::<Result<Vec<Vec<bool>>, Cancelled>>()?;
    Ok((0..passages.len()).map(|at| of_questions.iter().map(|right| right[at]).collect()).collect())
}

pub(crate) fn check_passages(passages: &[usize]) -> Result<(), Error> {
    if passages.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let got = format!("{passages:?}");
    Err(Error::Argument { what: "passages", expected: "numbers in ascending order, each once", got })
}
