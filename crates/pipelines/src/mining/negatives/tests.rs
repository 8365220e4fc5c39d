//! Tests the selection of negatives on a small corpus.

use corpus::Passage;
use ranking::{Run, ScoredId};
use text::AnswerMatcher;

use super::*;

/// The texts of passages p0, p1, …, in the order of the hits of q. The question is who painted a picture; the answer is
/// "Anna".
const PASSAGES: [&str; 7] = [
    "Anna painted the sea at night.", // The positive.
    "A picture of Anna.",             // It has the answer.
    "Painted the sea at night.",      // All of its four shingles are in the positive.
    "Ben painted the sea at noon.",   // It shares three of its five shingles with the positive: 0.6.
    "Cats sleep.",
    "Dogs bark.",
    "Cows eat grass.",
];

fn texts() -> PassageTexts {
    let mut texts = PassageTexts::default();
    texts.extend(PASSAGES.iter().enumerate().map(|(at, text)| Passage {
        id: format!("p{at}"),
        title: None,
        text: (*text).to_owned(),
    }));
    texts
}

/// p0 has the score 10, p1 the score 9, and so on.
fn run() -> RetrievedRun {
    let mut run = Run::new();
    let hit = |at: usize| ScoredId { id: format!("p{at}"), score: 10.0 - at as f32 };
    run.insert("q", (0..PASSAGES.len()).map(hit).collect());
    run.into()
}

fn question() -> MinedQuestion {
    MinedQuestion {
        id: "q".to_owned(),
        answers: AnswerMatcher::tokens(["Anna"]),
        positives: vec!["p0".to_owned()],
        excluded: Vec::new(),
        positive_score: Some(10.0),
    }
}

const DEFAULTS: NegativeSelection = NegativeSelection {
    count: 10,
    min_rank: 1,
    max_rank: 100,
    min_score: None,
    max_score: None,
    margin: None,
    relative_margin: None,
    sampling: Sampling::Top,
    max_overlap: Some(0.8),
    seed: 1,
};

/// Selects from [`run`] and returns the ids.
fn selected(selection: NegativeSelection, question: MinedQuestion) -> (Vec<String>, Rejections) {
    let run = run();
    let found = selection.select(Candidates::Run(&run), &[question], &texts(), &Control::new());
    let QuestionNegatives { negatives, rejections } = found.expect("every hit is a passage").remove(0);
    (negatives.into_iter().map(|negative| negative.id).collect(), rejections)
}

#[test]
fn positives_answers_and_near_duplicates_are_rejected_and_counted() {
    let (ids, rejections) = selected(DEFAULTS, question());
    assert_eq!(ids, ["p3", "p4", "p5", "p6"]);
    let expected = Rejections { positives: 1, with_answer: 1, duplicates: 1, ..Rejections::default() };
    assert_eq!(rejections, expected);
    // An overlap of 0.6 is rejected if the maximum is lower.
    assert_eq!(selected(NegativeSelection { max_overlap: Some(0.59), ..DEFAULTS }, question()).0[0], "p4");
    assert_eq!(selected(NegativeSelection { max_overlap: Some(0.6), ..DEFAULTS }, question()).0[0], "p3");
    // Without a maximum, only an equal text is a duplicate.
    assert_eq!(selected(NegativeSelection { max_overlap: None, ..DEFAULTS }, question()).0[0], "p2");
}

#[test]
fn a_passage_with_the_text_of_a_positive_is_rejected_without_a_maximum_overlap() {
    let mut texts = texts();
    texts.extend([Passage { id: "p4".to_owned(), title: None, text: PASSAGES[0].to_owned() }]);
    let question = MinedQuestion { answers: AnswerMatcher::tokens([""; 0]), ..question() };
    let selection = NegativeSelection { max_overlap: None, min_rank: 5, count: 1, ..DEFAULTS };
    let run = run();
    let found = selection.select(Candidates::Run(&run), &[question], &texts, &Control::new());
    let found = &found.expect("every hit is a passage")[0];
    assert_eq!(found.negatives, [Negative { id: "p5".to_owned(), score: Some(5.0) }]);
    assert_eq!(found.rejections.duplicates, 1);
}

#[test]
fn ranks_scores_and_margins_limit_the_hits() {
    let ids = |selection| selected(selection, question()).0;
    assert_eq!(ids(NegativeSelection { min_rank: 5, max_rank: 6, ..DEFAULTS }), ["p4", "p5"]);
    assert_eq!(ids(NegativeSelection { min_rank: 50, ..DEFAULTS }), [""; 0]);
    // p3 has the score 7, p4 6, p5 5 and p6 4.
    assert_eq!(
        ids(NegativeSelection { min_score: Some(5.0), max_score: Some(6.0), ..DEFAULTS }),
        ["p4", "p5"]
    );
    // At most 10 − 4.5 = 5.5, or 10 − 0.6 · 10 = 4.
    assert_eq!(ids(NegativeSelection { margin: Some(4.5), ..DEFAULTS }), ["p5", "p6"]);
    assert_eq!(ids(NegativeSelection { relative_margin: Some(0.6), ..DEFAULTS }), ["p6"]);
    let (none, rejections) = selected(
        NegativeSelection { margin: Some(0.0), ..DEFAULTS },
        MinedQuestion { positive_score: None, ..question() },
    );
    assert_eq!((none.len(), rejections.by_margin), (0, 6));
}

#[test]
fn a_relative_margin_lowers_negative_scores_too() {
    let selection = NegativeSelection { relative_margin: Some(0.5), ..DEFAULTS };
    // The limit is −10 − 0.5 · 10 = −15.
    assert!(!selection.keeps_margin(-14.0, Some(-10.0)));
    assert!(selection.keeps_margin(-15.0, Some(-10.0)));
}

#[test]
fn a_negative_margin_allows_scores_above_that_of_the_positive() {
    let selection = NegativeSelection { margin: Some(-2.0), ..DEFAULTS };
    assert!(selection.keeps_margin(12.0, Some(10.0)));
    assert!(!selection.keeps_margin(12.5, Some(10.0)));
}

#[test]
fn excluded_passages_are_skipped_and_the_count_is_a_maximum() {
    let question = MinedQuestion { excluded: vec!["p3".to_owned(), "p5".to_owned()], ..question() };
    assert_eq!(selected(NegativeSelection { count: 2, ..DEFAULTS }, question).0, ["p4", "p6"]);
    assert_eq!(selected(NegativeSelection { count: 0, ..DEFAULTS }, self::question()).0, [""; 0]);
}

#[test]
fn random_sampling_returns_eligible_hits_in_the_order_of_the_run() {
    let mut all = std::collections::HashSet::new();
    for seed in 0..50 {
        let selection = NegativeSelection { sampling: Sampling::Random, count: 2, seed, ..DEFAULTS };
        let (ids, _) = selected(selection, question());
        assert_eq!(ids.len(), 2);
        assert!(ids[0] < ids[1], "{ids:?}");
        assert_eq!(selected(selection, question()).0, ids);
        all.extend(ids);
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_unstable();
    assert_eq!(all, ["p3", "p4", "p5", "p6"]);
}

#[test]
fn drawn_passages_pass_the_same_guards_and_are_distinct() {
    let ids: Vec<String> = (0..PASSAGES.len()).map(|at| format!("p{at}")).collect();
    let draw = |seed| {
        let selection = NegativeSelection { seed, ..DEFAULTS };
        let found = selection.select(Candidates::Ids(&ids), &[question()], &texts(), &Control::new());
        let found = found.expect("every id is a passage").remove(0);
        assert_eq!(
            found.rejections.positives + found.rejections.with_answer + found.rejections.duplicates,
            3
        );
        found.negatives.into_iter().map(|negative| negative.id).collect::<Vec<_>>()
    };
    let mut orders = std::collections::HashSet::new();
    for seed in 0..50 {
        let mut drawn = draw(seed);
        orders.insert(drawn.clone());
        drawn.sort_unstable();
        assert_eq!(drawn, ["p3", "p4", "p5", "p6"]);
    }
    // There are 24 orders.
    assert!(orders.len() > 10, "{}", orders.len());
}

#[test]
fn a_hit_that_is_not_in_the_corpus_is_refused() {
    let question = MinedQuestion { positives: vec!["none".to_owned()], ..question() };
    let run = run();
    let found = DEFAULTS.select(Candidates::Run(&run), &[question], &texts(), &Control::new());
    let message = found.expect_err("the positive has no text").to_string();
    assert!(message.ends_with("got \"none\""), "{message}");
    let found = DEFAULTS.select(Candidates::Store, &[self::question()], &texts(), &Control::new());
    assert!(found.is_err());
}
