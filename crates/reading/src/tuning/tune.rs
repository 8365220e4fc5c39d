//! A coarse-to-fine grid search for the weights of evidence fusion and the number of passages (Ma et al., 2021, §3,
//! "Hyperparameters"). It uses stored readings, so the reader does not run.

use std::cmp::Ordering;
use std::collections::HashSet;

use control::{Canceled, Control};
use rayon::prelude::*;

use super::search::{EvidenceSearch, EvidenceTrial, TunedEvidence, WeightPair};
use crate::Error;
use crate::question::{AnsweredQuestion, ExactMatchEvaluator, Scratch};

/// Finds the weights and the number of passages with which the most questions are answered correctly.
///
/// β is the weight of the reader's relevance, and γ is the weight of the retrieval score. Under
/// [`SpanScoring::Original`](crate::SpanScoring::Original), β is 1: the first pass tries γ over its whole range in
/// steps of 0.05, and the second tries the best γ ± 0.04 in steps of 0.01. Under the other scorings, β and δ = γ / β
/// vary: the first pass tries both over their whole ranges in steps of 0.2, the second tries the best values ± 0.15 in
/// steps of 0.05, and the third tries the best values ± 0.04 in steps of 0.01. Every pair of weights is tried with
/// every number of passages. One unit of progress is one pair of weights for one question. Questions that no weights
/// can answer correctly are skipped.
///
/// # Errors
///
/// [`Error::Argument`] if a range is invalid or has no value to try, if there are no numbers of passages, or if they
/// are not in strictly ascending order; [`Error::Threads`]; [`Error::Canceled`].
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
            let center = pass.checked_sub(1).map(|previous| (best.expect("a best pair").1, steps[previous]));
            let pairs = search.pairs(step, center);
            let pairs: Vec<WeightPair> = pairs.into_iter().filter(|&pair| tried.insert(pair)).collect();
            control.set_total(control.done() + (pairs.len() * evaluators.len()) as u64);
            let counts = count_correct(&evaluators, &pairs, search, control)?;
            for (&pair, counts) in pairs.iter().zip(&counts) {
                for (&passage_count, &correct_count) in search.passage_counts.iter().zip(counts) {
                    let trial = EvidenceTrial { evidence: pair.evidence(), passage_count, correct_count };
                    trials.push(trial);
                    if best.is_none_or(|(best, _)| compare_trials(&trial, &best).is_lt()) {
                        best = Some((trial, pair));
                    }
                }
            }
        }
        Ok(TunedEvidence { best: best.expect("a search has a value to try").0, trials })
    })?
}

/// Prepares the questions that can be answered correctly. A question is skipped if it has no readings, or if no span in
/// its readings is an accepted answer.
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
    Ok(evaluators.collect::<Result<Vec<Option<_>>, Canceled>>()?.into_iter().flatten().collect())
}

/// Returns `[pairs][passage_counts]`: the number of questions that are answered correctly with each pair of weights and
/// each number of passages.
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
                    evaluator.evaluate(evidence, &search.passage_counts, &mut scratch, |index, is_match| {
                        counts[index] += usize::from(is_match);
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
    counts.map_err(|Canceled| Canceled.into())
}

/// Orders the better trial first. See [`TunedEvidence::best`].
fn compare_trials(a: &EvidenceTrial, b: &EvidenceTrial) -> Ordering {
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

    /// A search on one thread over these numbers of passages, with both ranges from 0 to 2.
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

    /// The readings of a question. Each passage has one word, and is given by its text, relevance and retrieval score.
    fn question(passages: &[(&str, f32, f32)]) -> QuestionReadings {
        let mut builder = QuestionBuilder::new();
        for &(text, relevance, retrieval_score) in passages {
            builder.push(text, retrieval_score, &stored(relevance, &[(0..1, 0.0)])).expect("a finite score");
        }
        builder.finish()
    }

    /// Tunes on questions with one accepted answer each.
    fn tune(questions: &[(QuestionReadings, &str)], search: &EvidenceSearch) -> TunedEvidence {
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
    fn gamma_is_found_to_the_hundredth_around_the_best_coarse_value() {
        // x is the answer to the first question if 10 γ > 3.65, so on the grid if γ ≥ 0.37. y is the answer to the
        // second question unless 10 γ > 3.925, so on the grid if γ ≤ 0.39. Both are correct only at 0.37, 0.38 and
        // 0.39.
        let needs_large_gamma = question(&[("y", 3.65, 0.0), ("x", 0.0, 10.0)]);
        let needs_small_gamma = question(&[("y", 3.925, 0.0), ("z", 0.0, 10.0)]);
        let questions = [(needs_large_gamma, "x"), (needs_small_gamma, "y")];
        // At every multiple of 0.05, one question is correct. The fine pass searches around the smallest multiple, 0,
        // and so it does not find the maximum.
        let found = tune(&questions, &search(SpanScoring::Original, &[2]));
        assert_eq!(found.best.correct_count, 1);
        // If the range begins at 0.35, the fine pass searches around 0.35 and finds the maximum.
        let from_035 = EvidenceSearch {
            weight: GridRange { min: 0.35, max: 2.0 },
            ..search(SpanScoring::Original, &[2])
        };
        let found = tune(&questions, &from_035);
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
        let found = tune(&[(readings, "x")], &search(SpanScoring::Normalized, &[1, 2]));
        // With one passage, x is the answer for any weights, so the smallest γ is chosen, then the β nearest to 1.
        assert_eq!(
            found.best,
            EvidenceTrial {
                evidence: Evidence { beta: 1.0, gamma: 0.0 },
                passage_count: 1,
                correct_count: 1
            }
        );
        // The first pass tries 10 × 11 pairs in steps of 0.2. The second tries β ± 0.15 and δ from 0 to 0.15 in steps
        // of 0.05, the third β ± 0.04 and δ from 0 to 0.04 in steps of 0.01. Neither tries its center again.
        assert_eq!(found.trials.len(), 2 * (10 * 11 + (7 * 4 - 1) + (9 * 5 - 1)));
        // The first pass tries β from 0.2 to 2. Each of its 110 pairs is tried with two numbers of passages.
        let betas: Vec<f64> = found.trials.iter().map(|trial| trial.evidence.beta).collect();
        assert_eq!((betas[0], betas[2 * 109]), (0.2, 2.0));
        // With two passages, the fused relevance of x is β · δ, and that of y is β. If they are equal, x comes first.
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
        let valid = || search(SpanScoring::Original, &[20]);
        assert!(
            refused(EvidenceSearch { passage_counts: vec![], ..valid() }).starts_with("search: expected")
        );
        assert_eq!(
            refused(EvidenceSearch { passage_counts: vec![40, 20], ..valid() }),
            "passages: expected numbers in strictly ascending order, got [40, 20]"
        );
        let range = GridRange { min: 0.0, max: f64::INFINITY };
        assert!(refused(EvidenceSearch { weight: range, ..valid() }).ends_with("got 0 to inf"));
        let range = GridRange { min: 0.0, max: 0.1 };
        let search = EvidenceSearch { beta: range, ..search(SpanScoring::Normalized, &[20]) };
        assert!(refused(search).ends_with("for beta, one above 0, got nothing to try"));
    }

    #[test]
    fn a_search_can_be_canceled() {
        let control = Control::new();
        control.cancel();
        let readings = question(&[("x", 0.0, 1.0)]);
        let accepted = ["x".to_owned()];
        let questions =
            [AnsweredQuestion { readings: Some(&readings), accepted: AcceptedAnswers::Texts(&accepted) }];
        let error = tune_evidence(&questions, &search(SpanScoring::Original, &[1]), &control);
        assert!(matches!(error, Err(Error::Canceled(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn every_trial_counts_the_questions_whose_best_answer_is_accepted(
            random_readings in prop::collection::vec(prop::collection::vec(any::<RandomReading>(), 0..9), 0..5),
            accepted in prop::sample::select(vec!["x", "é", "X y"]),
            (spans, merge) in scorings_and_merges(),
        ) {
            let accepted = vec![accepted.to_owned()];
            let readings: Vec<QuestionReadings> = random_readings.iter().map(|passages| {
                let mut builder = QuestionBuilder::new();
                for (index, random) in passages.iter().enumerate() {
                    let reading = passage_reading(random);
                    let limits = SpanLimits { max_spans: 4, max_tokens: 2 };
                    let stored = StoredReading::new(index, &reading.windows, limits).expect("valid windows");
                    builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
                }
                builder.finish()
            }).collect();
            let answered = |readings| AnsweredQuestion { readings, accepted: AcceptedAnswers::Texts(&accepted) };
            let mut questions: Vec<AnsweredQuestion<'_>> = readings.iter().map(Some).map(answered).collect();
            questions.push(answered(None));
            let one_thread = EvidenceSearch { merge, ..search(spans, &[1, 2, 4, 20]) };
            let found = tune_evidence(&questions, &one_thread, &Control::new()).expect("a valid search");
            for threads in [2, 3, 0] {
                let more_threads = EvidenceSearch { threads, ..one_thread.clone() };
                let same = tune_evidence(&questions, &more_threads, &Control::new());
                prop_assert_eq!(&same.expect("a valid search"), &found);
            }
            for trial in &found.trials {
                let scoring = Scoring { spans, evidence: trial.evidence, merge };
                let correct = readings.iter().filter(|readings| {
                    let best = readings.best(scoring, trial.passage_count).expect("finite weights");
                    best.is_some_and(|best| evaluation::exact_match(best.text, &accepted))
                });
                prop_assert_eq!(correct.count(), trial.correct_count, "{:?}", trial);
                prop_assert!(compare_trials(&found.best, trial).is_le());
            }
            for trial in [&found.trials[0], &found.best] {
                let scoring = Scoring { spans, evidence: trial.evidence, merge };
                let matches = exact_matches(&questions, scoring, &[trial.passage_count], &Control::new());
                let matches = matches.expect("finite weights");
                prop_assert_eq!(matches[0].iter().filter(|&&is_match| is_match).count(), trial.correct_count);
                prop_assert_eq!(matches[0].len(), questions.len());
            }
        }
    }
}
