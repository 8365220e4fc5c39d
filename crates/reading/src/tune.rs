//! The search for the weights of evidence fusion, and for the number of passages (Ma et al., 2021, §3, "Hyperparameters"):
//! arithmetic over what was read.

use std::cmp::Ordering;
use std::collections::HashSet;

use control::{Cancelled, Control};
use rayon::prelude::*;

use crate::grid::{Hundredths, value};
use crate::judged::{JudgedQuestion, Scratch};
use crate::whole_run::check_passages;
use crate::{AnsweredQuestion, Error, Evidence, GridRange, Merge, SpanScoring};

/// Where weights and numbers of passages are looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceSearch {
    /// How spans are scored.
    pub spans: SpanScoring,
    /// Which answers are one.
    pub merge: Merge,
    /// Numbers of passages, in ascending order.
    pub passages: Vec<usize>,
    /// Range of β; above 0. Not used under `Original`, where β = 1.
    pub beta: GridRange,
    /// Range of γ under `Original`, else of δ = γ / β.
    pub weight: GridRange,
    /// Threads; 0 is one for each CPU. The result does not depend on it.
    pub threads: usize,
}

/// One pair of weights with one number of passages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvidenceTrial {
    /// The weights.
    pub evidence: Evidence,
    /// Passages of each question.
    pub passages: usize,
    /// Questions whose best answer is an accepted one.
    pub right: usize,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedEvidence {
    /// The most questions right; of equal ones the fewest passages, then the least γ, then the β nearest to 1, then the
    /// least β.
    pub best: EvidenceTrial,
    /// All that was tried, in order; each once.
    pub trials: Vec<EvidenceTrial>,
}

/// Steps of β and δ, or of γ, in hundredths: each pass looks between the values next to the best of the one before.
const ORIGINAL: [Hundredths; 2] = [5, 1];
const NORMALIZED: [Hundredths; 3] = [20, 5, 1];

/// Looks for the weights and the number of passages with the most exact matches. `Original`: β = 1; γ by 0.05, then by 0.01
/// up to 0.04 around the best. Else β and δ = γ / β by 0.2, then by 0.05 up to 0.15, then by 0.01 up to 0.04 around the best
/// pair. Each with each number of passages. Counts a pair of weights for a question as a unit of progress.
///
/// # Errors
///
/// [`Error::Argument`] for ranges without a value to try, numbers of passages that do not ascend, and none;
/// [`Error::Threads`]; [`Error::Cancelled`].
pub fn tune_evidence(
    questions: &[AnsweredQuestion<'_>],
    search: &EvidenceSearch,
    control: &Control,
) -> Result<TunedEvidence, Error> {
    search.check()?;
    let threads = rayon::ThreadPoolBuilder::new().num_threads(search.threads).build();
    let threads =
        threads.map_err(|error| Error::Threads { expected: search.threads, got: error.to_string() })?;
    threads.install(|| {
        let judged = judge(questions, search, control)?;
        let steps: &[Hundredths] =
            if search.spans == SpanScoring::Original { &ORIGINAL } else { &NORMALIZED };
        let mut tried = HashSet::new();
        let mut trials: Vec<EvidenceTrial> = Vec::new();
        let mut best: Option<(EvidenceTrial, Pair)> = None;
        for (pass, &step) in steps.iter().enumerate() {
            let around = pass.checked_sub(1).map(|before| (best.expect("tried").1, steps[before]));
            let pairs = search.pairs(step, around);
            let pairs: Vec<Pair> = pairs.into_iter().filter(|&pair| tried.insert(pair)).collect();
            control.set_total(control.done() + (pairs.len() * judged.len()) as u64);
            let counts = count(&judged, &pairs, search, control)?;
            for (&pair, counts) in pairs.iter().zip(&counts) {
                for (&passages, &right) in search.passages.iter().zip(counts) {
                    let trial = EvidenceTrial { evidence: pair.evidence(), passages, right };
                    trials.push(trial);
                    if best.is_none_or(|(best, _)| better(&trial, &best).is_lt()) {
                        best = Some((trial, pair));
                    }
                }
            }
        }
        Ok(TunedEvidence { best: best.expect("a search has a value to try").0, trials })
    })
}

/// β, and γ under `Original`, else δ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    beta: Hundredths,
    weight: Hundredths,
    ratio: bool,
}

impl Pair {
    fn evidence(self) -> Evidence {
        let (beta, weight) = (value(self.beta), value(self.weight));
        Evidence { beta, gamma: if self.ratio { beta * weight } else { weight } }
    }
}

impl EvidenceSearch {
    fn check(&self) -> Result<(), Error> {
        self.weight.check("weight")?;
        self.beta.check("beta")?;
        check_passages(&self.passages)?;
        let step = if self.spans == SpanScoring::Original { ORIGINAL[0] } else { NORMALIZED[0] };
        if self.passages.is_empty() || self.pairs(step, None).is_empty() {
            let expected = "a number of passages, and ranges with a value to try: a multiple of the first step, β above 0";
            return Err(Error::Argument { what: "search", expected, got: "nothing to try".to_owned() });
        }
        Ok(())
    }

    /// All of a pass with this step, around the best pair of the pass before with its step.
    fn pairs(&self, step: Hundredths, around: Option<(Pair, Hundredths)>) -> Vec<Pair> {
        let values = |range: GridRange, around: Option<(Hundredths, Hundredths)>| match around {
            Some((around, coarser)) => range.fine(around, step, coarser),
            None => range.coarse(step),
        };
        let ratio = self.spans != SpanScoring::Original;
        let betas = if ratio {
            values(self.beta, around.map(|(pair, coarser)| (pair.beta, coarser)))
        } else {
            vec![100]
        };
        let weights = values(self.weight, around.map(|(pair, coarser)| (pair.weight, coarser)));
        let pair = |beta| weights.iter().map(move |&weight| Pair { beta, weight, ratio });
        betas.into_iter().filter(|&beta| beta > 0).flat_map(pair).collect()
    }
}

/// Questions of which nothing was read, or no accepted answer, are left out: they are never right.
fn judge<'a>(
    questions: &[AnsweredQuestion<'a>],
    search: &EvidenceSearch,
    control: &Control,
) -> Result<Vec<JudgedQuestion<'a>>, Error> {
    let judged = questions.par_iter().map(|question| {
        control.check()?;
        let judge = |readings| JudgedQuestion::new(readings, question.accepted, search.spans, search.merge);
        Ok(question.readings.map(judge).filter(JudgedQuestion::is_answerable))
    });
    Ok(judged.collect::<Result<Vec<Option<_>>, Cancelled>>()?.into_iter().flatten().collect())
}

/// `[pairs][passages]`: questions that are right.
fn count(
    judged: &[JudgedQuestion<'_>],
    pairs: &[Pair],
    search: &EvidenceSearch,
    control: &Control,
) -> Result<Vec<Vec<usize>>, Error> {
    let none = || vec![vec![0_usize; search.passages.len()]; pairs.len()];
    // Whole numbers add up to the same in any order.
    let counts = judged
        .par_iter()
        .try_fold(
            || (none(), Scratch::default()),
            |(mut counts, mut scratch), question| {
                for (pair, counts) in pairs.iter().zip(&mut counts) {
                    control.check()?;
                    question.right(pair.evidence(), &search.passages, &mut scratch, |at, right| {
                        counts[at] += usize::from(right);
                    });
                    control.advance(1);
                }
                Ok((counts, scratch))
            },
        )
        .map(|folded| folded.map(|(counts, _)| counts))
        .try_reduce(none, |mut all, counts| {
            all.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(all, count)| *all += count);
            Ok(all)
        });
    counts.map_err(|Cancelled| Cancelled.into())
}

/// Less is better.
fn better(a: &EvidenceTrial, b: &EvidenceTrial) -> Ordering {
    let from_one = |trial: &EvidenceTrial| (trial.evidence.beta - 1.0).abs();
    (b.right.cmp(&a.right))
        .then(a.passages.cmp(&b.passages))
        .then(a.evidence.gamma.total_cmp(&b.evidence.gamma))
        .then(from_one(a).total_cmp(&from_one(b)))
        .then(a.evidence.beta.total_cmp(&b.evidence.beta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{QuestionBuilder, QuestionReadings, Scoring};
    use crate::testing::{Read, kept, ways, windowed};
    use crate::{Accepted, SpanLimits, exact_matches, keep};
    use proptest::prelude::*;

    const RANGE: GridRange = GridRange { from: 0.0, to: 2.0 };

    fn search(spans: SpanScoring, passages: &[usize]) -> EvidenceSearch {
        let merge = Merge::Text;
        EvidenceSearch { spans, merge, passages: passages.to_vec(), beta: RANGE, weight: RANGE, threads: 1 }
    }

    /// Passages of one word each: text, relevance, retrieval score.
    fn question(passages: &[(&str, f32, f32)]) -> QuestionReadings {
        let mut builder = QuestionBuilder::new();
        for &(text, relevance, retrieval) in passages {
            builder.push(text, retrieval, &kept(relevance, &[(0..1, 0.0)])).expect("adds");
        }
        builder.finish()
    }

    fn tuned(questions: &[(QuestionReadings, &str)], search: &EvidenceSearch) -> TunedEvidence {
        let accepted: Vec<Vec<String>> =
            questions.iter().map(|(_, answer)| vec![(*answer).to_owned()]).collect();
        let answered: Vec<AnsweredQuestion<'_>> = questions
            .iter()
            .zip(&accepted)
            .map(|((readings, _), accepted)| AnsweredQuestion {
                readings: Some(readings),
                accepted: Accepted::Texts(accepted),
            })
            .collect();
        tune_evidence(&answered, search, &Control::new()).expect("tunes")
    }

    #[test]
    fn gamma_is_found_to_the_hundredth() {
        // x wins from γ = 0.37 on: 0 + 10 γ > 3.65; at 0.365 they were equal. z wins from 0.393 on: 10 γ > 3.925.
        let right_from = question(&[("y", 3.65, 0.0), ("x", 0.0, 10.0)]);
        let right_until = question(&[("y", 3.925, 0.0), ("z", 0.0, 10.0)]);
        let found = tuned(&[(right_from, "x"), (right_until, "y")], &search(SpanScoring::Original, &[2]));
        // Of 0.37, 0.38 and 0.39 the least; by steps of 0.05 none has both, and 0 is the first with one.
        assert_eq!(found.best.right, 1, "the finer pass looks around the best coarse one, 0");
        let narrow = EvidenceSearch {
            weight: GridRange { from: 0.35, to: 2.0 },
            ..search(SpanScoring::Original, &[2])
        };
        let right_from = question(&[("y", 3.65, 0.0), ("x", 0.0, 10.0)]);
        let right_until = question(&[("y", 3.925, 0.0), ("z", 0.0, 10.0)]);
        let found = tuned(&[(right_from, "x"), (right_until, "y")], &narrow);
        assert_eq!(
            found.best,
            EvidenceTrial { evidence: Evidence { beta: 1.0, gamma: 0.37 }, passages: 2, right: 2 }
        );
    }

    #[test]
    fn beta_and_delta_are_tried_from_coarse_to_fine() {
        let readings = question(&[("x", 0.0, 1.0), ("y", 1.0, 0.0)]);
        let found = tuned(&[(readings, "x")], &search(SpanScoring::Normalized, &[1, 2]));
        // One passage is enough, whatever the weights; of these the least γ, then the β nearest to 1.
        assert_eq!(
            found.best,
            EvidenceTrial { evidence: Evidence { beta: 1.0, gamma: 0.0 }, passages: 1, right: 1 }
        );
        // 10 × 11 pairs by 0.2; ±0.15 by 0.05 of β and 0 to 0.15 of δ; ±0.04 by 0.01 and 0 to 0.04; two centres were there.
        assert_eq!(found.trials.len(), 2 * (10 * 11 + (7 * 4 - 1) + (9 * 5 - 1)));
        let betas: Vec<f64> = found.trials.iter().map(|trial| trial.evidence.beta).collect();
        assert_eq!((betas[0], betas[2 * 109]), (0.2, 2.0));
        // x has 1 · δ against 1 of y.
        assert!(found.trials.iter().filter(|trial| trial.passages == 2).all(|trial| {
            let delta = trial.evidence.gamma / trial.evidence.beta;
            (trial.right == 1) == (delta >= 1.0)
        }));
    }

    #[test]
    fn what_cannot_be_searched_is_refused() {
        let refused = |search: EvidenceSearch| {
            tune_evidence(&[], &search, &Control::new()).expect_err("refused").to_string()
        };
        let original = || search(SpanScoring::Original, &[20]);
        assert!(refused(EvidenceSearch { passages: vec![], ..original() }).starts_with("search: expected"));
        assert_eq!(
            refused(EvidenceSearch { passages: vec![40, 20], ..original() }),
            "passages: expected numbers in ascending order, each once, got [40, 20]"
        );
        let range = GridRange { from: 0.0, to: f64::INFINITY };
        assert!(refused(EvidenceSearch { weight: range, ..original() }).ends_with("got 0 to inf"));
        let range = GridRange { from: 0.0, to: 0.1 };
        let search = EvidenceSearch { beta: range, ..search(SpanScoring::Normalized, &[20]) };
        assert!(refused(search).ends_with("β above 0, got nothing to try"));
    }

    #[test]
    fn a_search_can_be_cancelled() {
        let control = Control::new();
        control.cancel();
        let readings = question(&[("x", 0.0, 1.0)]);
        let accepted = ["x".to_owned()];
        let questions =
            [AnsweredQuestion { readings: Some(&readings), accepted: Accepted::Texts(&accepted) }];
        let error = tune_evidence(&questions, &search(SpanScoring::Original, &[1]), &control);
        assert!(matches!(error, Err(Error::Cancelled(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn every_trial_counts_what_the_best_answers_of_all_questions_count(
            reads in prop::collection::vec(prop::collection::vec(any::<Read>(), 0..9), 0..5),
            accepted in prop::sample::select(vec!["x", "é", "X y"]),
            (spans, merge) in ways(),
        ) {
            let accepted = vec![accepted.to_owned()];
            let readings: Vec<QuestionReadings> = reads.iter().map(|reads| {
                let mut builder = QuestionBuilder::new();
                for (at, read) in reads.iter().enumerate() {
                    let reading = windowed(read);
                    let kept = keep(at, &reading.windows, SpanLimits { spans: 4, tokens: 2 }).expect("keeps");
                    builder.push(reading.text, reading.retrieval, &kept).expect("adds");
                }
                builder.finish()
            }).collect();
            let mut questions: Vec<AnsweredQuestion<'_>> =
                readings.iter().map(|readings| AnsweredQuestion { readings: Some(readings), accepted: Accepted::Texts(&accepted) }).collect();
            questions.push(AnsweredQuestion { readings: None, accepted: Accepted::Texts(&accepted) });
            let wanted = EvidenceSearch { merge, ..search(spans, &[1, 2, 4, 20]) };
            let found = tune_evidence(&questions, &wanted, &Control::new()).expect("tunes");
            for threads in [2, 3, 0] {
                let other = EvidenceSearch { threads, ..wanted.clone() };
                prop_assert_eq!(&tune_evidence(&questions, &other, &Control::new()).expect("tunes"), &found);
            }
            for trial in &found.trials {
                let scoring = Scoring { spans, evidence: trial.evidence, merge };
                let right = readings.iter().filter(|readings| {
                    let best = readings.best(scoring, trial.passages).expect("finite");
                    best.is_some_and(|best| evaluation::exact_match(best.text, &accepted))
                });
                prop_assert_eq!(right.count(), trial.right, "{:?}", trial);
                prop_assert!(better(&found.best, trial).is_le());
            }
            let [first, .., last] = [&found.trials[0], &found.best];
            for trial in [first, last] {
                let matches = exact_matches(&questions, Scoring { spans, evidence: trial.evidence, merge }, &[trial.passages], &Control::new());
                let matches = matches.expect("judges");
                prop_assert_eq!(matches[0].iter().filter(|&&right| right).count(), trial.right);
                prop_assert_eq!(matches[0].len(), questions.len());
            }
        }
    }
}
