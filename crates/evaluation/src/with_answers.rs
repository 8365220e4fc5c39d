//! Finds which of several passages have an answer to a question, for many questions in parallel.

use std::sync::OnceLock;

use control::{Canceled, Control};
use rayon::prelude::*;
use text::{AnswerMatcher, PreparedText};

/// Maximum number of prepared texts that are kept in memory. A [`PreparedText`] can be used by any number of matchers;
/// it takes about as much memory as the text itself.
const MAX_PREPARED_TEXTS: usize = 1 << 18;

/// A question, and the passages in which its answers are searched for.
#[derive(Debug, Clone)]
pub struct Candidates {
    /// Finds the accepted answers in a text.
    pub matcher: AnswerMatcher,
    /// Numbers of passages, from 0. The text of a passage with a number up to 262,143 is prepared once for all
    /// questions; other texts are prepared again for each question.
    pub passages: Vec<u32>,
}

/// Returns for each question the numbers of the passages that have an answer, in ascending order and without
/// duplicates. `text` returns the text of a passage by its number. Progress counts questions.
///
/// # Errors
///
/// Those of `text`; [`Canceled`].
pub fn with_answers<'t, E: From<Canceled> + Send>(
    questions: &[Candidates],
    text: impl Fn(u32) -> Result<&'t str, E> + Sync,
    control: &Control,
) -> Result<Vec<Vec<u32>>, E> {
    let texts = Texts::new(questions, text);
    let found = questions.par_iter().map(|Candidates { matcher, passages }| {
        control.check()?;
        let mut found = Vec::new();
        for &passage in passages {
            if texts.has_answer(matcher, passage)? {
                found.push(passage);
            }
        }
        found.sort_unstable();
        found.dedup();
        control.advance(1);
        Ok(found)
    });
    found.collect()
}

/// Returns for each question the rank, from 1, of its first passage that has an answer, or 0 if none has one. Passages
/// after that one are not read. `text` returns the text of a passage by its number. Progress counts questions.
///
/// # Errors
///
/// Those of `text`; [`Canceled`].
pub fn first_with_answer<'t, E: From<Canceled> + Send>(
    questions: &[Candidates],
    text: impl Fn(u32) -> Result<&'t str, E> + Sync,
    control: &Control,
) -> Result<Vec<u32>, E> {
    let texts = Texts::new(questions, text);
    let ranks = questions.par_iter().map(|Candidates { matcher, passages }| {
        control.check()?;
        control.advance(1);
        for (rank, &passage) in (1..).zip(passages) {
            if texts.has_answer(matcher, passage)? {
                return Ok(rank);
            }
        }
        Ok(0)
    });
    ranks.collect()
}

/// Looks up texts. Prepared texts are shared by all questions.
struct Texts<'t, F> {
    /// Returns the text of a passage by its number.
    text: F,
    /// The texts of the passages with the lowest numbers, each prepared when it is first needed.
    prepared: Vec<OnceLock<PreparedText<'t>>>,
}

impl<'t, E, F: Fn(u32) -> Result<&'t str, E>> Texts<'t, F> {
    fn new(questions: &[Candidates], text: F) -> Self {
        let max = questions.iter().flat_map(|question| &question.passages).max();
        let count = max.map_or(0, |&max| MAX_PREPARED_TEXTS.min(max as usize + 1));
        Self { text, prepared: (0..count).map(|_| OnceLock::new()).collect() }
    }

    fn has_answer(&self, matcher: &AnswerMatcher, passage: u32) -> Result<bool, E> {
        let Some(slot) = self.prepared.get(passage as usize) else {
            return Ok(matcher.matches_prepared(&PreparedText::new((self.text)(passage)?)));
        };
        if let Some(prepared) = slot.get() {
            return Ok(matcher.matches_prepared(prepared));
        }
        let new = PreparedText::new((self.text)(passage)?);
        Ok(matcher.matches_prepared(slot.get_or_init(|| new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_passage_with_an_answer_is_found_once() {
        let texts = ["Bern is a city.", "Zürich is larger.", "bern, again", ""];
        let question = |answers: &[&str], passages: &[u32]| Candidates {
            matcher: AnswerMatcher::tokens(answers),
            passages: passages.to_vec(),
        };
        let questions = [
            question(&["Bern"], &[2, 0, 1, 0]),
            question(&["zu\u{308}rich", "Basel"], &[3, 1]),
            question(&[], &[0, 1, 2]),
        ];
        let text = |passage: u32| Ok::<&str, Canceled>(texts[passage as usize]);
        let found = with_answers(&questions, text, &Control::new()).expect("all passages have texts");
        assert_eq!(found, [vec![0, 2], vec![1], vec![]]);
        let ranks = first_with_answer(&questions, text, &Control::new());
        assert_eq!(ranks, Ok(vec![1, 2, 0]));
        let control = Control::new();
        control.cancel();
        assert_eq!(with_answers(&questions, text, &control), Err(Canceled));
    }
}
