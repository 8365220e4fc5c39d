use std::sync::OnceLock;

use control::{Cancelled, Control};
use rayon::prelude::*;
use text::{AnswerMatcher, PreparedText};

/// Texts that are kept prepared, which takes about their own size each.
const MOST_PREPARED: usize = 1 << 18;

/// A question, and passages that may have an answer to it.
#[derive(Debug, Clone)]
pub struct Candidates {
    /// Its answers.
    pub matcher: AnswerMatcher,
    /// Numbers from 0 on, the lower the better: those of up to 262,143 are prepared once for all questions.
    pub passages: Vec<u32>,
}

/// Of each question's passages those that have an answer, in ascending order, each once. `text` gives the text of a
/// passage. Counts questions as progress.
///
/// # Errors
///
/// Those of `text`; [`Cancelled`].
pub fn with_answers<'t, E: From<Cancelled> + Send>(
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

/// The rank, from 1, of the first of each question's passages that has an answer; 0 for none. Those behind it are not
/// looked at. Counts questions as progress.
///
/// # Errors
///
/// As [`with_answers`].
pub fn first_with_answer<'t, E: From<Cancelled> + Send>(
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

/// Texts, of which many are looked at by many questions.
struct Texts<'t, F> {
    text: F,
    prepared: Vec<OnceLock<PreparedText<'t>>>,
}

impl<'t, E, F: Fn(u32) -> Result<&'t str, E>> Texts<'t, F> {
    fn new(questions: &[Candidates], text: F) -> Self {
        let most = questions.iter().flat_map(|question| &question.passages).max();
        let count = most.map_or(0, |&most| MOST_PREPARED.min(most as usize + 1));
        Self { text, prepared: (0..count).map(|_| OnceLock::new()).collect() }
    }

    fn has_answer(&self, matcher: &AnswerMatcher, passage: u32) -> Result<bool, E> {
        let Some(kept) = self.prepared.get(passage as usize) else {
            return Ok(matcher.matches_prepared(&PreparedText::new((self.text)(passage)?)));
        };
        if let Some(kept) = kept.get() {
            return Ok(matcher.matches_prepared(kept));
        }
        let new = PreparedText::new((self.text)(passage)?);
        Ok(matcher.matches_prepared(kept.get_or_init(|| new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_are_found_by_their_texts_and_each_once() {
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
        let text = |at: u32| Ok::<&str, Cancelled>(texts[at as usize]);
        let found = with_answers(&questions, text, &Control::new()).expect("all have texts");
        assert_eq!(found, [vec![0, 2], vec![1], vec![]]);
        let ranks = first_with_answer(&questions, text, &Control::new());
        assert_eq!(ranks, Ok(vec![1, 2, 0]));
        let control = Control::new();
        control.cancel();
        assert_eq!(with_answers(&questions, text, &control), Err(Cancelled));
    }
}
