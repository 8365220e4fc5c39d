//! Whether a question's best answer is an accepted one, for many numbers of passages at once: one walk over the passages,
//! in the order of retrieval, in place of ranking all answers for each number.

use crate::question::{QuestionReadings, Scoring};
use crate::softmax::softmax;
use crate::{Accepted, Evidence, Merge, SpanScoring};

/// A question's readings with its accepted answers, laid out for walks.
pub(crate) struct JudgedQuestion<'a> {
    readings: &'a QuestionReadings,
    spans: SpanScoring,
    merge: Merge,
    /// For each text of a span, whether it is accepted.
    right_texts: Vec<bool>,
    /// For each answer, whether it is accepted.
    right: Vec<bool>,
    /// Whether all texts that count as one answer are accepted, or none of them: always so unless regular expressions
    /// tell texts apart that normalization makes equal.
    agrees: bool,
    /// Whether any is.
    answerable: bool,
    passages: Vec<Passage>,
    /// Spans of all passages, blank ones left out: those of a passage with accepted answers first.
    answers: Vec<u32>,
    /// The part of its passage's share that belongs to each span: softmax(s_i)_j, or P_start · P_end.
    parts: Vec<f64>,
    /// Whether all parts are numbers.
    sound: bool,
}

struct Passage {
    /// Spans up to here are of accepted answers, up to `end` of others.
    middle: u32,
    end: u32,
    /// Whether its best span is of an accepted answer; none if it has no span.
    best: Option<bool>,
}

/// Sums closer than this, relative to the larger, may be in the other order when added up in another. A sum of n shares of
/// one sign is off by at most n · 2⁻⁵³, a share, whose exponent is 745 at most, by (745 + 8) · 2⁻⁵³; with two sums, each added
/// up in two ways, that is 4 · (2¹⁷ + 753) · 2⁻⁵³ = 5.9 · 10⁻¹¹ for answers of up to 2¹⁷ spans.
const CLOSE: f64 = 1e-10;
/// Below this, shares may have been lost where numbers end (about 10⁻³⁰⁸), and the sum with them.
const SMALL: f64 = 1e-250;

impl<'a> JudgedQuestion<'a> {
    pub fn new(
        readings: &'a QuestionReadings,
        accepted: Accepted<'_>,
        spans: SpanScoring,
        merge: Merge,
    ) -> Self {
        let right_texts = readings.matching_texts(accepted);
        let (right, agrees) = match merge {
            // Each text is an answer of its own.
            Merge::Text => (right_texts.clone(), true),
            Merge::Normalized => {
                let answers = readings.answers_of_texts(merge);
                let mut right = vec![false; readings.answers(merge)];
                for (&answer, &is_right) in answers.iter().zip(&right_texts) {
                    right[answer as usize] |= is_right;
                }
                let mut texts = answers.iter().zip(&right_texts);
                let agrees = texts.all(|(&answer, &is_right)| right[answer as usize] == is_right);
                (right, agrees)
            }
        };
        let answerable = right.contains(&true);
        let mut judged = Self {
            readings,
            spans,
            merge,
            right_texts,
            right,
            agrees,
            answerable,
            passages: Vec::new(),
            answers: Vec::new(),
            parts: Vec::new(),
            sound: true,
        };
        if answerable && agrees {
            judged.lay_out();
        }
        judged
    }

    /// Whether any answer is an accepted one.
    pub fn is_answerable(&self) -> bool {
        self.answerable
    }

    fn lay_out(&mut self) {
        for passage in 0..self.readings.len() {
            let candidates: Vec<_> = self.readings.candidates(passage, self.merge).collect();
            let parts: Vec<f64> = match self.spans {
                SpanScoring::Original => Vec::new(),
                SpanScoring::Normalized => {
                    softmax(&candidates.iter().map(|span| span.score()).collect::<Vec<_>>())
                }
                SpanScoring::Probability | SpanScoring::SummedProbability => {
                    candidates.iter().map(|span| self.readings.token_share(span)).collect()
                }
            };
            let is_right = |answer: u32| self.right[answer as usize];
            for wanted in [true, false] {
                for (span, part) in candidates.iter().zip(&parts) {
                    if let Some(answer) = span.answer.filter(|&answer| is_right(answer) == wanted) {
                        self.answers.push(answer);
                        self.parts.push(*part);
                    }
                }
                if wanted {
                    let (middle, end) = (self.answers.len() as u32, 0);
                    let best = candidates.iter().find_map(|span| span.answer).map(is_right);
                    self.passages.push(Passage { middle, end, best });
                }
            }
            let end = self.answers.len() as u32;
            self.passages.last_mut().expect("just added").end = end;
        }
        self.sound = self.parts.iter().all(|part| part.is_finite());
    }

    /// Whether the best answer of the first so many passages is an accepted one, for each of `passages`, which ascend. The
    /// best answer is the one that [`QuestionReadings::best`] gives. `scratch` is memory to work in.
    pub fn right(
        &self,
        evidence: Evidence,
        passages: &[usize],
        scratch: &mut Scratch,
        mut say: impl FnMut(usize, bool),
    ) {
        if !self.answerable {
            return (0..passages.len()).for_each(|at| say(at, false));
        }
        if !self.agrees {
            return (0..passages.len()).for_each(|at| say(at, self.slowly(evidence, passages[at])));
        }
        let Scratch { relevance, sums } = scratch;
        relevance.clear();
        let read = self.readings.passages();
        let read = &read[..passages.last().map_or(0, |&last| last.min(read.len()))];
        relevance.extend(read.iter().map(|passage| evidence.fuse(passage.relevance, passage.retrieval)));
        match self.spans {
            SpanScoring::Original => self.most_relevant(relevance, passages, say),
            SpanScoring::Normalized | SpanScoring::Probability | SpanScoring::SummedProbability => {
                sums.clear();
                sums.resize(self.right.len(), 0.0);
                self.largest_score(relevance, passages, sums, |at, answer| {
                    let right = answer.unwrap_or_else(|| self.slowly(evidence, passages[at]));
                    say(at, right);
                });
            }
        }
    }

    /// The passage of the highest relevance, of equal ones the first, among those with an answer.
    fn most_relevant(&self, relevance: &[f64], passages: &[usize], mut say: impl FnMut(usize, bool)) {
        let (mut highest, mut right) = (None::<f64>, false);
        let mut next = 0;
        for (at, &count) in passages.iter().enumerate() {
            let until = count.min(relevance.len());
            for (relevance, passage) in relevance[next..until].iter().zip(&self.passages[next..until]) {
                let Some(is_right) = passage.best else { continue };
                if highest.is_none_or(|highest| relevance.total_cmp(&highest).is_gt()) {
                    (highest, right) = (Some(*relevance), is_right);
                }
            }
            next = until;
            say(at, right);
        }
    }

    /// exp(relevance) times their part, added up over the spans of each answer, or that of its best span alone. The first
    /// softmax has one denominator for all answers, which therefore changes nothing; and scores only grow with more
    /// passages, so the largest so far is the largest there is. Says nothing certain where two of them are closer than
    /// rounding, or too small.
    fn largest_score(
        &self,
        relevance: &[f64],
        passages: &[usize],
        sums: &mut [f64],
        mut say: impl FnMut(usize, Option<bool>),
    ) {
        if !self.sound || relevance.iter().any(|relevance| !relevance.is_finite()) {
            return (0..passages.len()).for_each(|at| say(at, None));
        }
        let most = relevance.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut right, mut wrong) = (0.0_f64, 0.0_f64);
        let (mut next, mut first) = (0, 0);
        for (at, &count) in passages.iter().enumerate() {
            let until = count.min(relevance.len());
            for (relevance, passage) in relevance[next..until].iter().zip(&self.passages[next..until]) {
                let share = (relevance - most).exp();
                let (middle, end) = (passage.middle as usize, passage.end as usize);
                right = self.add(first..middle, share, sums, right);
                wrong = self.add(middle..end, share, sums, wrong);
                first = end;
            }
            next = until;
            let least = right.max(wrong) * (1.0 - CLOSE);
            let answer = match (right < least, wrong < least) {
                _ if first == 0 => Some(false),
                _ if least < SMALL => None,
                (false, true) => Some(true),
                (true, false) => Some(false),
                _ => None,
            };
            say(at, answer);
        }
    }

    /// Adds shares of spans to their answers' sums, if they add up; returns the largest score of these and `largest`.
    fn add(&self, spans: std::ops::Range<usize>, share: f64, sums: &mut [f64], mut largest: f64) -> f64 {
        if !self.spans.adds_up() {
            return self.parts[spans].iter().map(|part| share * part).fold(largest, f64::max);
        }
        for (&answer, part) in self.answers[spans.clone()].iter().zip(&self.parts[spans]) {
            let sum = &mut sums[answer as usize];
            *sum += share * part;
            largest = if *sum > largest { *sum } else { largest };
        }
        largest
    }

    /// By ranking all answers.
    fn slowly(&self, evidence: Evidence, passages: usize) -> bool {
        let scoring = Scoring { spans: self.spans, evidence, merge: self.merge };
        self.readings.best_of(scoring, passages).is_some_and(|best| self.right_texts[best.text_number()])
    }
}

/// Memory that walks work in.
#[derive(Default)]
pub(crate) struct Scratch {
    relevance: Vec<f64>,
    sums: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::QuestionBuilder;
    use crate::testing::{Read, kept, ways, windowed};
    use crate::{SpanLimits, keep};
    use proptest::prelude::*;

    fn walked(judged: &JudgedQuestion<'_>, evidence: Evidence, passages: &[usize]) -> Vec<bool> {
        let mut said = Vec::new();
        judged.right(evidence, passages, &mut Scratch::default(), |at, right| {
            assert_eq!(at, said.len());
            said.push(right);
        });
        said
    }

    #[test]
    fn an_answer_gains_with_each_passage_that_has_it() {
        // One span each: b of relevance ln 3, then x three times with 0, 0, ln 3: sums 3; 3 and 1; 3 and 2; 3 and 5.
        let mut builder = QuestionBuilder::new();
        for (text, relevance) in [("b", 3f32.ln()), ("x", 0.0), ("x", 0.0), ("x", 3f32.ln())] {
            builder.push(text, 0.0, &kept(relevance, &[(0..1, 7.0)])).expect("adds");
        }
        let question = builder.finish();
        let judged = JudgedQuestion::new(
            &question,
            Accepted::Texts(&["The X!".to_owned()]),
            SpanScoring::Normalized,
            Merge::Text,
        );
        assert_eq!(
            walked(&judged, Evidence::default(), &[0, 1, 2, 3, 4, 9]),
            [false, false, false, false, true, true]
        );
        // Without evidence of the reader all weigh the same: 1; 1 and 1, the first stays; 1 and 2.
        let none = Evidence { beta: 0.0, gamma: 0.0 };
        assert_eq!(walked(&judged, none, &[1, 2, 3]), [false, false, true]);
    }

    #[test]
    fn relevance_a_thousand_apart_neither_overflows_nor_vanishes() {
        // The last has all of the softmax; before it, the first two are e^-1000 and twice that, and still differ.
        let mut builder = QuestionBuilder::new();
        for (text, relevance) in [("x", 0.0), ("y", 2f32.ln()), ("z", 1000.0)] {
            builder.push(text, 0.0, &kept(relevance, &[(0..1, 7.0)])).expect("adds");
        }
        let question = builder.finish();
        let judged = JudgedQuestion::new(
            &question,
            Accepted::Texts(&["y".to_owned()]),
            SpanScoring::Normalized,
            Merge::Text,
        );
        assert_eq!(walked(&judged, Evidence::default(), &[1, 2, 3]), [false, true, false]);
    }

    #[test]
    fn patterns_may_accept_one_of_two_texts_that_normalization_makes_equal() {
        // "U" has 1 + 2 of 4 spans' shares, "U." has the best span of the two; W has 1.
        let mut builder = QuestionBuilder::new();
        for (text, relevance) in [("U", 0.0), ("U.", 2f32.ln()), ("W", 0.0)] {
            builder.push(text, 0.0, &kept(relevance, &[(0..text.len() as u32, 7.0)])).expect("adds");
        }
        let question = builder.finish();
        let judge = |pattern: &str, merge| {
            let accepted = [pattern.to_owned()];
            let judged =
                JudgedQuestion::new(&question, Accepted::Patterns(&accepted), SpanScoring::Normalized, merge);
            walked(&judged, Evidence::default(), &[1, 2, 3])
        };
        // Merged, the answer is called as its best span is: "U" with one passage, "U." with more.
        assert_eq!(judge("U$", Merge::Normalized), [true, false, false]);
        assert_eq!(judge(r"U\.", Merge::Normalized), [false, true, true]);
        assert_eq!(judge("u", Merge::Normalized), [true, true, true]);
        assert_eq!(judge("U$", Merge::Text), [true, false, false]);
    }

    /// Accepted answers, as texts or as regular expressions.
    fn accepted() -> impl Strategy<Value = (Vec<String>, bool)> {
        let texts = prop::sample::select(vec!["x", "X y", "é", "a", "🚁"]);
        let patterns = prop::sample::select(vec!["x", "x$", "[ax]$", "x .", "(", "é|y"]);
        let owned = |answers: Vec<&str>| answers.into_iter().map(str::to_owned).collect::<Vec<_>>();
        prop_oneof![
            prop::collection::vec(texts, 0..3).prop_map(move |answers| (owned(answers), false)),
            prop::collection::vec(patterns, 0..3).prop_map(move |answers| (owned(answers), true)),
        ]
    }

    proptest! {
        #[test]
        fn a_walk_accepts_what_ranking_all_answers_accepts(
            reads in prop::collection::vec(any::<Read>(), 0..20),
            (beta, gamma) in (prop::sample::select(vec![0.0, 0.01, 0.3, 1.0, 400.0]), prop::sample::select(vec![-0.5, 0.0, 0.07, 1.0, 300.0])),
            (accepted, patterns) in accepted(),
            (spans, merge) in ways(),
        ) {
            let mut builder = QuestionBuilder::new();
            for (at, read) in reads.iter().enumerate() {
                let reading = windowed(read);
                let kept = keep(at, &reading.windows, SpanLimits { spans: 4, tokens: 2 }).expect("keeps");
                builder.push(reading.text, reading.retrieval, &kept).expect("adds");
            }
            let question = builder.finish();
            let evidence = Evidence { beta, gamma };
            let as_accepted = if patterns { Accepted::Patterns(&accepted) } else { Accepted::Texts(&accepted) };
            let judged = JudgedQuestion::new(&question, as_accepted, spans, merge);
            let passages = [0, 1, 2, 5, 11, 100];
            let expected = passages.map(|passages| {
                let best = question.best(Scoring { spans, evidence, merge }, passages).expect("finite");
                let matches = if patterns { evaluation::pattern_match } else { evaluation::exact_match };
                best.is_some_and(|best| matches(best.text, &accepted))
            });
            prop_assert_eq!(walked(&judged, evidence, &passages), expected);
        }
    }
}
