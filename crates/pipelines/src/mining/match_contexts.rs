//! Finds the passages of a corpus that correspond to contexts of another one.
//!
//! The passages of question-answering data sets were often split or preprocessed differently than those of the corpus.
//! Karpukhin et al. (2020, §4.2) replace each gold passage by the corresponding passage of the corpus, and discard
//! questions for which that fails.

use control::Control;
use corpus::PassageTexts;
use ranking::{AlignedRuns, RetrievedRun};
use rayon::prelude::*;
use text::{AnswerMatcher, PreparedText, Shingles};

use super::guard::text_of;
use crate::Error;

/// The context that a question was written for.
#[derive(Debug, Clone)]
pub struct Context {
    /// Id of the query of the run that searched for the context.
    pub query: String,
    /// Text of the context.
    pub text: String,
    /// Finds the accepted answers; `None` if the question has no answers, so that every passage may match.
    pub answers: Option<AnswerMatcher>,
}

/// Which passages match.
#[derive(Debug, Clone, Copy)]
pub struct ContextMatching {
    /// Number of hits per context that are compared with it.
    pub depth: usize,
    /// Minimum [overlap](text::Shingles::overlap) of a context and its passage. In addition, they must share at least
    /// eight shingles, or 80 % of the shingles if the shorter text has fewer than ten: a few words in common say
    /// little.
    pub min_overlap: f32,
}

impl ContextMatching {
    /// Returns the number of shared shingles if there are enough.
    fn shared(&self, context: &Shingles, passage: &Shingles) -> Option<usize> {
        let shorter = context.len().min(passage.len());
        let shared = context.shared(passage);
        let is_enough = shared > 0
            && shared as f32 >= self.min_overlap * shorter as f32
            && shared * 5 >= shorter.min(10) * 4;
        is_enough.then_some(shared)
    }
}

/// The passage of the corpus that matches a context, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextMatch {
    /// Id of the passage.
    Passage(String),
    /// No hit has enough in common with the context.
    NoOverlap,
    /// There are hits that have enough in common with the context, but none contains an answer.
    NoAnswer,
}

/// Returns for each context the passage, among the first hits of its query, that contains an answer and has the most
/// shingles in common with the context. The better hit wins a tie. Progress counts contexts.
///
/// # Errors
///
/// [`Error::Argument`] if a hit is not a passage of the corpus; other errors if texts or ids cannot be read;
/// [`Error::Canceled`].
pub fn match_contexts(
    run: &RetrievedRun,
    contexts: &[Context],
    texts: &PassageTexts,
    matching: ContextMatching,
    control: &Control,
) -> Result<Vec<ContextMatch>, Error> {
    control.set_total(contexts.len() as u64);
    let runs = AlignedRuns::new(std::slice::from_ref(run), matching.depth)?;
    let lists = runs.query_indexes(contexts.iter().map(|context| context.query.as_str()));
    let matched = contexts.par_iter().zip(lists).map(|(context, list)| {
        control.check()?;
        let hits = list.map_or(&[][..], |list| &runs.lists[0][list]);
        let shingles = Shingles::new(&PreparedText::new(context.text.as_str()));
        let mut best: Option<(usize, &str)> = None;
        let mut lacks_answer = false;
        for hit in hits {
            let id = runs.interner.get(hit.ord);
            let passage = PreparedText::new(text_of(texts, id)?);
            let Some(shared) = matching.shared(&shingles, &Shingles::new(&passage)) else { continue };
            if context.answers.as_ref().is_some_and(|answers| !answers.matches_prepared(&passage)) {
                lacks_answer = true;
                continue;
            }
            if best.is_none_or(|(best, _)| shared > best) {
                best = Some((shared, id));
            }
        }
        control.advance(1);
        Ok(match best {
            Some((_, id)) => ContextMatch::Passage(id.to_owned()),
            None if lacks_answer => ContextMatch::NoAnswer,
            None => ContextMatch::NoOverlap,
        })
    });
    matched.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use corpus::Passage;
    use ranking::{Run, ScoredId};

    /// Matches one context with the texts of passages, which have their positions as ids and are hits in this order.
    fn matched(context: &str, answer: Option<&str>, passages: &[&str], min_overlap: f32) -> ContextMatch {
        let mut run = Run::new();
        let hits = (0..passages.len()).map(|id| ScoredId { id: id.to_string(), score: 1.0 });
        run.insert("c", hits.collect());
        let mut texts = PassageTexts::default();
        texts.extend(passages.iter().enumerate().map(|(id, text)| Passage {
            id: id.to_string(),
            title: None,
            text: (*text).to_owned(),
        }));
        let answers = answer.map(|answer| AnswerMatcher::tokens([answer]));
        let context = Context { query: "c".to_owned(), text: context.to_owned(), answers };
        let matching = ContextMatching { depth: 10, min_overlap };
        let found = match_contexts(&run.into(), &[context], &texts, matching, &Control::new());
        found.expect("every hit is a passage").remove(0)
    }

    fn passage(id: &str) -> ContextMatch {
        ContextMatch::Passage(id.to_owned())
    }

    // The context has the seven shingles "a b" to "g h".
    const CONTEXT: &str = "a b c d e f g h";

    #[test]
    fn the_passage_with_the_answer_and_the_most_shared_shingles_matches() {
        // The passages share three, five and four shingles. The second one lacks the answer.
        let passages = ["a b c d", "c d e f g h", "y a b c d e"];
        assert_eq!(matched(CONTEXT, None, &passages, 0.5), passage("1"));
        assert_eq!(matched(CONTEXT, Some("b"), &passages, 0.5), passage("2"));
    }

    #[test]
    fn the_better_hit_wins_a_tie() {
        assert_eq!(matched(CONTEXT, Some("b"), &["a b c d e z", "z a b c d e"], 0.5), passage("0"));
    }

    #[test]
    fn the_overlap_must_reach_the_minimum() {
        // Both texts have 20 shingles. They share the ten in "w0 … w10".
        let words = |prefix: &str, count: usize| {
            (0..count).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(" ")
        };
        let (context, half) = (words("w", 21), format!("{} {}", words("w", 11), words("x", 10)));
        assert_eq!(matched(&context, Some("w3"), &[&half], 0.5), passage("0"));
        assert_eq!(matched(&context, Some("w3"), &[&half], 0.51), ContextMatch::NoOverlap);
        assert_eq!(matched(&context, Some("w3"), &[], 0.0), ContextMatch::NoOverlap);
        assert_eq!(matched("", None, &[""], 0.0), ContextMatch::NoOverlap);
    }

    #[test]
    fn short_texts_must_share_eight_shingles_or_most_of_them() {
        // Five shingles, of which four and three are shared.
        assert_eq!(matched(CONTEXT, None, &["a b c d e z"], 0.1), passage("0"));
        assert_eq!(matched(CONTEXT, None, &["a b c d y z"], 0.1), ContextMatch::NoOverlap);
        // Fifteen shingles, of which eight and seven are shared.
        let context = "a b c d e f g h i j k l m n o p q r s t";
        assert_eq!(matched(context, None, &["a b c d e f g h i 1 2 3 4 5 6 7"], 0.1), passage("0"));
        assert_eq!(
            matched(context, None, &["a b c d e f g h 0 1 2 3 4 5 6 7"], 0.1),
            ContextMatch::NoOverlap
        );
    }

    #[test]
    fn a_context_fails_if_only_passages_without_an_answer_overlap() {
        assert_eq!(matched(CONTEXT, Some("x"), &["a b c d", "x y z"], 0.5), ContextMatch::NoAnswer);
    }
}
