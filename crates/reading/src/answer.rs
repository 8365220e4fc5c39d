use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use crate::spans::{Span, SpanLimits, best_spans};
use crate::{Error, Evidence, normalized, original, probability};

/// What a reader said of one passage; the last four have one entry a token of the text.
#[derive(Debug, Clone, Copy)]
pub struct PassageReading<'a> {
    /// The passage's text.
    pub text: &'a str,
    /// The reader's relevance logit.
    pub relevance: f32,
    /// The score with which it was retrieved, for evidence fusion.
    pub retrieval: f32,
    /// Start logits.
    pub start: &'a [f32],
    /// End logits.
    pub end: &'a [f32],
    /// Bytes of the text that each token stands for.
    pub offsets: &'a [Range<u32>],
    /// Number of the word of each token.
    pub words: &'a [u32],
}

/// How a span's score is made of what the reader said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpanScoring {
    /// The best span of the passage with the highest relevance.
    Original,
    /// Softmax over passages × softmax over the spans of each; equal answers add up.
    #[default]
    Normalized,
    /// DPR's P_start · P_end · P_selected; equal answers add up.
    Probability,
}

/// Which answers are one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merge {
    /// Those of the same text, letter for letter.
    #[default]
    Exact,
    /// Those that SQuAD's normalisation makes equal: case, punctuation, articles, white space.
    Normalised,
}

/// How passages are read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadOptions {
    /// How spans are scored.
    pub scoring: SpanScoring,
    /// Spans kept of a passage, and their length.
    pub limits: SpanLimits,
    /// What the retrieval score adds to the relevance.
    pub evidence: Evidence,
    /// Which answers are one.
    pub merge: Merge,
}

/// An answer, where its best span stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The span's text.
    pub text: String,
    /// Position of its passage in the list read.
    pub passage: usize,
    /// Bytes of the passage's text.
    pub bytes: Range<usize>,
    /// A probability under `Normalized` and `Probability`; start + end logits under `Original`.
    pub score: f64,
}

/// A span of one of the passages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub passage: usize,
    pub span: Span,
}

/// A candidate by its position, with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub candidate: usize,
    pub score: f64,
}

/// The higher score first; of equal ones the earlier candidate.
pub(crate) fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate))
}

/// The answers that passages give, best first, each text once. Of equal scores the one of the earlier passage comes
/// first. Passages of no tokens give none.
///
/// # Errors
///
/// [`Error::Argument`] for weights that are not finite; [`Error::Shape`] for arrays that do not belong together.
pub fn answers(passages: &[PassageReading<'_>], options: &ReadOptions) -> Result<Vec<Answer>, Error> {
    options.evidence.check()?;
    for (passage, reading) in passages.iter().enumerate() {
        let expected = reading.words.len();
        for got in [reading.start.len(), reading.end.len(), reading.offsets.len()] {
            if got != expected {
                return Err(Error::Shape { passage, expected, got });
            }
        }
    }
    let relevance: Vec<f64> =
        passages.iter().map(|passage| options.evidence.fuse(passage.relevance, passage.retrieval)).collect();
    let candidates: Vec<Candidate> = passages
        .iter()
        .enumerate()
        .flat_map(|(passage, reading)| {
            let spans = best_spans(reading.start, reading.end, reading.words, options.limits);
            spans.into_iter().map(move |span| Candidate { passage, span })
        })
        .collect();
    let scored = match options.scoring {
        SpanScoring::Original => original::score(&candidates, &relevance),
        SpanScoring::Normalized => normalized::score(&candidates, &relevance),
        SpanScoring::Probability => probability::score(passages, &candidates, &relevance),
    };
    Ok(merged(passages, &candidates, &scored, options))
}

fn merged(
    passages: &[PassageReading<'_>],
    candidates: &[Candidate],
    scored: &[Scored],
    options: &ReadOptions,
) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::with_capacity(scored.len());
    let mut seen: HashMap<String, usize> = HashMap::with_capacity(scored.len());
    for scored in scored {
        let Candidate { passage, span } = &candidates[scored.candidate];
        let PassageReading { text, offsets, .. } = passages[*passage];
        let bytes = offsets[span.tokens.start].start as usize..offsets[span.tokens.end - 1].end as usize;
        let Some(answer) = text.get(bytes.clone()).filter(|answer| !answer.trim().is_empty()) else {
            continue;
        };
        let key = match options.merge {
            Merge::Exact => answer.to_owned(),
            Merge::Normalised => text::normalise_answer(answer),
        };
        match seen.get(&key) {
            // Under `Original` scores of different passages cannot be added: the first, its best, stands.
            Some(_) if options.scoring == SpanScoring::Original => {}
            Some(&at) => answers[at].score += scored.score,
            None => {
                seen.insert(key, answers.len());
                answers.push(Answer {
                    text: answer.to_owned(),
                    passage: *passage,
                    bytes,
                    score: scored.score,
                });
            }
        }
    }
    if options.scoring != SpanScoring::Original {
        // Stable: of equal sums the one whose best span ranked first.
        answers.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFSETS: [Range<u32>; 2] = [0..1, 2..3];

    /// Two one-letter words, with spans of one token only.
    fn passage<'a>(text: &'a str, relevance: f32, retrieval: f32, start: &'a [f32; 2]) -> PassageReading<'a> {
        PassageReading {
            text,
            relevance,
            retrieval,
            start,
            end: &[0.0, 0.0],
            offsets: &OFFSETS,
            words: &[0, 1],
        }
    }

    fn read(passages: &[PassageReading<'_>], options: ReadOptions) -> Vec<(String, usize, f64)> {
        let limits = SpanLimits { spans: 2, tokens: 1 };
        let answers = answers(passages, &ReadOptions { limits, ..options }).expect("reads");
        answers.into_iter().map(|answer| (answer.text, answer.passage, answer.score)).collect()
    }

    #[test]
    fn original_takes_the_most_relevant_passage_whatever_its_spans_score() {
        let passages = [passage("x y", 1.0, 9.0, &[8.0, 7.0]), passage("u v", 2.0, 1.0, &[3.0, 4.0])];
        let options = ReadOptions { scoring: SpanScoring::Original, ..ReadOptions::default() };
        assert_eq!(read(&passages, options)[0], ("v".into(), 1, 4.0));
        // Evidence: 1 + 0.5 · 9 > 2 + 0.5 · 1.
        let evidence = Evidence { beta: 1.0, gamma: 0.5 };
        assert_eq!(read(&passages, ReadOptions { evidence, ..options })[0], ("x".into(), 0, 8.0));
    }

    #[test]
    fn normalized_adds_up_equal_answers() {
        // softmax(0, ln 3) = (1/4, 3/4); spans: softmax(0, 0) = (1/2, 1/2) and softmax(ln 2, 0) = (2/3, 1/3).
        let (ln2, ln3) = (2f32.ln(), 3f32.ln());
        let start = [ln2, 0.0];
        let passages = [passage("a b", 0.0, 0.0, &[0.0, 0.0]), passage("c b", ln3, 0.0, &start)];
        let answers = read(&passages, ReadOptions::default());
        // c: 3/4 · 2/3 = 1/2; b: 3/4 · 1/3 + 1/4 · 1/2 = 3/8, in the passage where its span is best; a: 1/8.
        let expected = [("c", 1, 0.5), ("b", 1, 0.375), ("a", 0, 0.125)];
        for ((text, passage, score), (e_text, e_passage, e_score)) in answers.iter().zip(expected) {
            assert!(text == e_text && *passage == e_passage && (score - e_score).abs() < 1e-7, "{answers:?}");
        }
        assert_eq!(answers.len(), 3);
    }

    #[test]
    fn probabilities_are_over_all_tokens() {
        // P_start = P_end = 1/2 each over two tokens, P_selected = 1.
        let passages = [passage("a b", 0.0, 0.0, &[0.0, 0.0])];
        let options = ReadOptions { scoring: SpanScoring::Probability, ..ReadOptions::default() };
        assert_eq!(read(&passages, options), [("a".into(), 0, 0.25), ("b".into(), 0, 0.25)]);
    }

    #[test]
    fn merging_can_ignore_case() {
        let passages = [passage("A x", 0.0, 0.0, &[9.0, -9.0]), passage("x X", 0.0, 0.0, &[0.0, 0.0])];
        let exact = read(&passages, ReadOptions::default());
        assert_eq!(exact.iter().map(|answer| answer.0.as_str()).collect::<Vec<_>>(), ["A", "x", "X"]);
        let merged = read(&passages, ReadOptions { merge: Merge::Normalised, ..ReadOptions::default() });
        assert_eq!(merged.len(), 2, "{merged:?}");
    }

    #[test]
    fn arrays_of_other_lengths_are_refused() {
        let mut broken = passage("a b", 0.0, 0.0, &[0.0, 0.0]);
        broken.end = &[0.0];
        let error = answers(&[broken], &ReadOptions::default()).expect_err("refused");
        assert_eq!(error.to_string(), "passage 0: expected 2 tokens in every array, got 1");
    }

    #[test]
    fn nothing_to_read_gives_no_answer() {
        assert_eq!(answers(&[], &ReadOptions::default()), Ok(vec![]));
    }
}
