//! A coarse-to-fine grid search for the weights of evidence fusion and the number of passages (Ma et al., 2021, §3,
//! "Hyperparameters"). It works on stored readings, so the reader does not run.

use std::cmp::Ordering;
use std::collections::HashSet;

use control::{Cancelled, Control};
use rayon::prelude::*;

use super::search::{EvidenceSearch, EvidenceTrial, TunedEvidence, WeightPair};
use crate::Error;
use crate::question::{AnsweredQuestion, ExactMatchEvaluator, Scratch};

/// Finds the weights and the number of passages with the most exact matches.
///
/// Under `Original`, β is 1, and γ is tried in steps of 0.05, then in steps of 0.01 up to 0.04 around the best value.
/// Otherwise, β and δ = γ / β are tried in steps of 0.2, then in steps of 0.05 up to 0.15, then in steps of 0.01 up to 0.04
/// around the best pair. Each is tried with each number of passages. One unit of progress is one pair of weights for one
/// question.
///
/// # Errors
///
/// [`Error::Argument`] if a range has no value to try, or if the numbers of passages are not in strictly ascending order or
/// there are none; [`Error::Threads`]; [`Error::Cancelled`].
pub fn tune_evidence(
    questions: &[AnsweredQuestion<'_>],
    search: &EvidenceSearch,
    control: &Control,
) -> Result<TunedEvidence, Error> {
    search.check()?;
    threads::install(search.threads, || {
        let evaluators = evaluators(questions, search, control)?;
        let steps = search.steps();
        let mut tried = HashSet::new();
        let mut trials: Vec<EvidenceTrial> = Vec::new();
        let mut best: Option<(EvidenceTrial, WeightPair)> = None;
        for (pass, &step) in steps.iter().enumerate() {
            let center = pass.checked_sub(1).map(|previous| (best.expect("tried").1, steps[previous]));
            let pairs = search.pairs(step, center);
            let pairs: Vec<WeightPair> = pairs.into_iter().filter(|&pair| tried.insert(pair)).collect();
            control.set_total(control.done() + (pairs.len() * evaluators.len()) as u64);
            let counts = count_correct(&evaluators, &pairs, search, control)?;
            for (&pair, counts) in pairs.iter().zip(&counts) {
                for (&passage_count, &correct_count) in search.passage_counts.iter().zip(counts) {
                    let trial = EvidenceTrial { evidence: pair.evidence(), passage_count, correct_count };
                    trials.push(trial);
                    if best.is_none_or(|(best, _)| compare(&trial, &best).is_lt()) {
                        best = Some((trial, pair));
                    }
                }
            }
        }
        Ok(TunedEvidence { best: best.expect("a search has a value to try").0, trials })
    })?
}

/// Questions without readings, or without any accepted answer in them, are left out: they are never correct.
fn evaluators<'a>(
    questions: &[AnsweredQuestion<'a>],
    search: &EvidenceSearch,
    control: &Control,
) -> Result<Vec<ExactMatchEvaluator<'a>>, Error> {
    let evaluators = questions.par_iter().map(|question| {
        control.check()?;
        let evaluator =
            |readings| ExactMatchEvaluator::new(readings, question.accepted, search.spans, search.merge);
        Ok(question.readings.map(evaluator).filter(ExactMatchEvaluator::can_match))
    });
    Ok(evaluators.collect::<Result<Vec<Option<_>>, Cancelled>>()?.into_iter().flatten().collect())
}

/// The number of correct questions: `[pairs][passage_counts]`.
fn count_correct(
    evaluators: &[ExactMatchEvaluator<'_>],
    pairs: &[WeightPair],
    search: &EvidenceSearch,
    control: &Control,
) -> Result<Vec<Vec<usize>>, Error> {
    let zeros = || vec![vec![0_usize; search.passage_counts.len()]; pairs.len()];
    // Integer sums do not depend on the order in which threads add them.
    let counts = evaluators
        .par_iter()
        .try_fold(
            || (zeros(), Scratch::default()),
            |(mut counts, mut scratch), evaluator| {
                for (pair, counts) in pairs.iter().zip(&mut counts) {
                    control.check()?;
                    let evidence = pair.evidence();
                    evaluator.evaluate(evidence, &search.passage_counts, &mut scratch, |at, is_match| {
                        counts[at] += usize::from(is_match);
                    });
                    control.advance(1);
                }
                Ok((counts, scratch))
            },
        )
        .map(|folded| folded.map(|(counts, _)| counts))
        .try_reduce(zeros, |mut sums, counts| {
            sums.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(sum, count)| *sum += count);
            Ok(sums)
        });
    counts.map_err(|Cancelled| Cancelled.into())
}

/// Orders the better trial first: more correct questions, then fewer passages, a smaller γ, a β nearer to 1, a smaller β.
fn compare(a: &EvidenceTrial, b: &EvidenceTrial) -> Ordering {
    let distance_to_one = |trial: &EvidenceTrial| (trial.evidence.beta - 1.0).abs();
    (b.correct_count.cmp(&a.correct_count))
        .then(a.passage_count.cmp(&b.passage_count))
        .then(a.evidence.gamma.total_cmp(&b.evidence.gamma))
        .then(distance_to_one(a).total_cmp(&distance_to_one(b)))
        .then(a.evidence.beta.total_cmp(&b.evidence.beta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RandomReading, passage_reading, scorings_and_merges, stored};
    use crate::{
        AcceptedAnswers, Evidence, GridRange, Merge, QuestionBuilder, QuestionReadings, Scoring, SpanLimits,
        SpanScoring, StoredReading, exact_matches,
    };
    use proptest::prelude::*;

    const RANGE: GridRange = GridRange { min: 0.0, max: 2.0 };

    fn search(spans: SpanScoring, passage_counts: &[usize]) -> EvidenceSearch {
        EvidenceSearch {
            spans,
            merge: Merge::Text,
            passage_counts: passage_counts.to_vec(),
            beta: RANGE,
            weight: RANGE,
            threads: 1,
        }
    }

    /// A question whose passages are one word each, given by text, relevance and retrieval score.
    fn question(passages: &[(&str, f32, f32)]) -> QuestionReadings {
        let mut builder = QuestionBuilder::new();
        for &(text, relevance, retrieval_score) in passages {
            builder.push(text, retrieval_score, &stored(relevance, &[(0..1, 0.0)])).expect("a finite score");
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
                accepted: AcceptedAnswers::Texts(accepted),
            })
            .collect();
        tune_evidence(&answered, search, &Control::new()).expect("a valid search")
    }

    #[test]
    fn gamma_is_found_to_the_hundredth() {
        // x wins if 10 γ > 3.65, which is from γ = 0.37 on. z wins if 10 γ > 3.925, which is from 0.40 on.
        let right_from = question(&[("y", 3.65, 0.0), ("x", 0.0, 10.0)]);
        let right_until = question(&[("y", 3.925, 0.0), ("z", 0.0, 10.0)]);
        let found = tuned(&[(right_from, "x"), (right_until, "y")], &search(SpanScoring::Original, &[2]));
        // Both questions are correct at 0.37, 0.38 and 0.39 only. No multiple of 0.05 has both, and 0 is the first with one.
        assert_eq!(found.best.correct_count, 1, "the finer pass is centered at the best coarse value, 0");
        let narrow = EvidenceSearch {
            weight: GridRange { min: 0.35, max: 2.0 },
            ..search(SpanScoring::Original, &[2])
        };
        let right_from = question(&[("y", 3.65, 0.0), ("x", 0.0, 10.0)]);
        let right_until = question(&[("y", 3.925, 0.0), ("z", 0.0, 10.0)]);
        let found = tuned(&[(right_from, "x"), (right_until, "y")], &narrow);
        assert_eq!(
            found.best,
            EvidenceTrial {
                evidence: Evidence { beta: 1.0, gamma: 0.37 },
                passage_count: 2,
                correct_count: 2
            }
        );
    }

    #[test]
    fn beta_and_delta_are_tried_from_coarse_to_fine() {
        let readings = question(&[("x", 0.0, 1.0), ("y", 1.0, 0.0)]);
        let found = tuned(&[(readings, "x")], &search(SpanScoring::Normalized, &[1, 2]));
        // One passage is enough with any weights, so the smallest γ is chosen, then the β nearest to 1.
        assert_eq!(
            found.best,
            EvidenceTrial {
                evidence: Evidence { beta: 1.0, gamma: 0.0 },
                passage_count: 1,
                correct_count: 1
            }
        );
        // First pass: 10 × 11 pairs in steps of 0.2. Second: β ± 0.15 and δ from 0 to 0.15 in steps of 0.05. Third: β ± 0.04 and δ
        // from 0 to 0.04 in steps of 0.01. The centers of the last two were tried before.
        assert_eq!(found.trials.len(), 2 * (10 * 11 + (7 * 4 - 1) + (9 * 5 - 1)));
        let betas: Vec<f64> = found.trials.iter().map(|trial| trial.evidence.beta).collect();
        assert_eq!((betas[0], betas[2 * 109]), (0.2, 2.0));
        // x has the relevance δ, y has 1.
        assert!(found.trials.iter().filter(|trial| trial.passage_count == 2).all(|trial| {
            let delta = trial.evidence.gamma / trial.evidence.beta;
            (trial.correct_count == 1) == (delta >= 1.0)
        }));
    }

    #[test]
    fn invalid_searches_are_refused() {
        let refused = |search: EvidenceSearch| {
            tune_evidence(&[], &search, &Control::new()).expect_err("refused").to_string()
        };
        let original = || search(SpanScoring::Original, &[20]);
        assert!(
            refused(EvidenceSearch { passage_counts: vec![], ..original() }).starts_with("search: expected")
        );
        assert_eq!(
            refused(EvidenceSearch { passage_counts: vec![40, 20], ..original() }),
            "passages: expected numbers in ascending order, each once, got [40, 20]"
        );
        let range = GridRange { min: 0.0, max: f64::INFINITY };
        assert!(refused(EvidenceSearch { weight: range, ..original() }).ends_with("got 0 to inf"));
        let range = GridRange { min: 0.0, max: 0.1 };
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
            [AnsweredQuestion { readings: Some(&readings), accepted: AcceptedAnswers::Texts(&accepted) }];
        let error = tune_evidence(&questions, &search(SpanScoring::Original, &[1]), &control);
        assert!(matches!(error, Err(Error::Cancelled(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn every_trial_counts_the_questions_whose_best_answer_is_accepted(
            reads in prop::collection::vec(prop::collection::vec(any::<RandomReading>(), 0..9), 0..5),
            accepted in prop::sample::select(vec!["x", "é", "X y"]),
            (spans, merge) in scorings_and_merges(),
        ) {
            let accepted = vec![accepted.to_owned()];
            let readings: Vec<QuestionReadings> = reads.iter().map(|reads| {
                let mut builder = QuestionBuilder::new();
                for (at, read) in reads.iter().enumerate() {
                    let reading = passage_reading(read);
                    let limits = SpanLimits { max_spans: 4, max_tokens: 2 };
                    let stored = StoredReading::new(at, &reading.windows, limits).expect("valid windows");
                    builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
                }
                builder.finish()
            }).collect();
            let mut questions: Vec<AnsweredQuestion<'_>> =
                readings.iter().map(|readings| AnsweredQuestion { readings: Some(readings), accepted: AcceptedAnswers::Texts(&accepted) }).collect();
            questions.push(AnsweredQuestion { readings: None, accepted: AcceptedAnswers::Texts(&accepted) });
            let one_thread = EvidenceSearch { merge, ..search(spans, &[1, 2, 4, 20]) };
            let found = tune_evidence(&questions, &one_thread, &Control::new()).expect("a valid search");
            for threads in [2, 3, 0] {
                let other = EvidenceSearch { threads, ..one_thread.clone() };
                prop_assert_eq!(&tune_evidence(&questions, &other, &Control::new()).expect("a valid search"), &found);
            }
            for trial in &found.trials {
                let scoring = Scoring { spans, evidence: trial.evidence, merge };
                let correct = readings.iter().filter(|readings| {
                    let best = readings.best(scoring, trial.passage_count).expect("finite weights");
                    best.is_some_and(|best| evaluation::exact_match(best.text, &accepted))
                });
                prop_assert_eq!(correct.count(), trial.correct_count, "{:?}", trial);
                prop_assert!(compare(&found.best, trial).is_le());
            }
            let [first, .., last] = [&found.trials[0], &found.best];
            for trial in [first, last] {
                let matches = exact_matches(&questions, Scoring { spans, evidence: trial.evidence, merge }, &[trial.passage_count], &Control::new());
                let matches = matches.expect("finite weights");
                prop_assert_eq!(matches[0].iter().filter(|&&is_match| is_match).count(), trial.correct_count);
                prop_assert_eq!(matches[0].len(), questions.len());
            }
        }
    }
}
