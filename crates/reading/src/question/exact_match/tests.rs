//! Tests that one pass over the passages finds the same exact matches as ranking all answers.

use super::*;
use crate::testing::{RandomReading, passage_reading, scorings_and_merges, stored};
use crate::{QuestionBuilder, SpanLimits, StoredReading};
use proptest::prelude::*;

/// Whether the best answer is accepted, for each number of passages.
fn evaluate(evaluator: &ExactMatchEvaluator<'_>, evidence: Evidence, passage_counts: &[usize]) -> Vec<bool> {
    let mut matches = Vec::new();
    evaluator.evaluate(evidence, passage_counts, &mut Scratch::default(), |index, is_match| {
        assert_eq!(index, matches.len());
        matches.push(is_match);
    });
    matches
}

#[test]
fn an_answer_scores_higher_with_each_passage_that_has_it() {
    // Each passage has one span: the first has b and the relevance ln 3, the others have x and the relevances 0, 0 and
    // ln 3. With 1 to 4 passages, the sums of exp(relevance) for (b, x) are (3, 0), (3, 1), (3, 2) and (3, 5). The
    // accepted answer is "The X!", whose normalized form is x.
    let mut builder = QuestionBuilder::new();
    for (text, relevance) in [("b", 3f32.ln()), ("x", 0.0), ("x", 0.0), ("x", 3f32.ln())] {
        builder.push(text, 0.0, &stored(relevance, &[(0..1, 7.0)])).expect("a finite score");
    }
    let question = builder.finish();
    let evaluator = ExactMatchEvaluator::new(
        &question,
        AcceptedAnswers::Texts(&["The X!".to_owned()]),
        SpanScoring::Normalized,
        Merge::Text,
    );
    assert_eq!(
        evaluate(&evaluator, Evidence::default(), &[0, 1, 2, 3, 4, 9]),
        [false, false, false, false, true, true]
    );
    // With β = 0, all passages have the same weight: the sums are (1, 0), (1, 1) and (1, 2). If the sums are equal, b
    // comes first because its passage comes first.
    let equal_weights = Evidence { beta: 0.0, gamma: 0.0 };
    assert_eq!(evaluate(&evaluator, equal_weights, &[1, 2, 3]), [false, false, true]);
}

#[test]
fn logits_that_differ_by_a_thousand_neither_overflow_nor_become_equal() {
    // The scores of x, y and z are proportional to 1, 2 and e^1000. Relative to the score of z, those of x and y
    // underflow to 0; nevertheless, y must win while z is not among the passages.
    let mut builder = QuestionBuilder::new();
    for (text, relevance) in [("x", 0.0), ("y", 2f32.ln()), ("z", 1000.0)] {
        builder.push(text, 0.0, &stored(relevance, &[(0..1, 7.0)])).expect("a finite score");
    }
    let question = builder.finish();
    let evaluator = ExactMatchEvaluator::new(
        &question,
        AcceptedAnswers::Texts(&["y".to_owned()]),
        SpanScoring::Normalized,
        Merge::Text,
    );
    assert_eq!(evaluate(&evaluator, Evidence::default(), &[1, 2, 3]), [false, true, false]);
}

#[test]
fn patterns_may_accept_one_of_two_texts_that_normalization_makes_equal() {
    // exp(relevance) is 1 for "U", 2 for "U." and 1 for "W". If "U" and "U." are merged, their sum is 3, and their best
    // span is "U.".
    let mut builder = QuestionBuilder::new();
    for (text, relevance) in [("U", 0.0), ("U.", 2f32.ln()), ("W", 0.0)] {
        builder.push(text, 0.0, &stored(relevance, &[(0..text.len() as u32, 7.0)])).expect("a finite score");
    }
    let question = builder.finish();
    let is_accepted = |pattern: &str, merge| {
        let accepted = [pattern.to_owned()];
        let evaluator = ExactMatchEvaluator::new(
            &question,
            AcceptedAnswers::Patterns(&accepted),
            SpanScoring::Normalized,
            merge,
        );
        evaluate(&evaluator, Evidence::default(), &[1, 2, 3])
    };
    // A merged answer has the text of its best span: "U" with one passage, "U." with more.
    assert_eq!(is_accepted("U$", Merge::Normalized), [true, false, false]);
    assert_eq!(is_accepted(r"U\.", Merge::Normalized), [false, true, true]);
    assert_eq!(is_accepted("u", Merge::Normalized), [true, true, true]);
    assert_eq!(is_accepted("U$", Merge::Text), [true, false, false]);
}

/// Accepted answers, and whether they are regular expressions.
fn accepted_answers() -> impl Strategy<Value = (Vec<String>, bool)> {
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
    fn one_pass_gives_the_same_result_as_ranking_all_answers(
        random_readings in prop::collection::vec(any::<RandomReading>(), 0..20),
        beta in prop::sample::select(vec![0.0, 0.01, 0.3, 1.0, 400.0]),
        gamma in prop::sample::select(vec![-0.5, 0.0, 0.07, 1.0, 300.0]),
        (accepted, are_patterns) in accepted_answers(),
        (spans, merge) in scorings_and_merges(),
    ) {
        let mut builder = QuestionBuilder::new();
        for (index, random) in random_readings.iter().enumerate() {
            let reading = passage_reading(random);
            let limits = SpanLimits { max_spans: 4, max_tokens: 2 };
            let stored = StoredReading::new(index, &reading.windows, limits).expect("valid windows");
            builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
        }
        let question = builder.finish();
        let evidence = Evidence { beta, gamma };
        let accepted_answers =
            if are_patterns { AcceptedAnswers::Patterns(&accepted) } else { AcceptedAnswers::Texts(&accepted) };
        let evaluator = ExactMatchEvaluator::new(&question, accepted_answers, spans, merge);
        let passage_counts = [0, 1, 2, 5, 11, 100];
        let expected = passage_counts.map(|passage_count| {
            let best = question.best(Scoring { spans, evidence, merge }, passage_count).expect("finite weights");
            let matches = if are_patterns { evaluation::pattern_match } else { evaluation::exact_match };
            best.is_some_and(|best| matches(best.text, &accepted))
        });
        prop_assert_eq!(evaluate(&evaluator, evidence, &passage_counts), expected);
    }
}
