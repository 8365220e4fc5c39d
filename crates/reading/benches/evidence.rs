//! Times the scoring of a reader's outputs on one thread: `spans` finds the best spans of a passage of 200 tokens, and
//! `answers_of_50` finds the answers in 50 passages. On 200 questions with 50 passages each, `exact` checks which best
//! answers are correct, and `tune` finds the best weights of evidence fusion (β · relevance + γ · retrieval score
//! instead of the reader's relevance).
//!
//! Run `cargo bench -p reading --bench evidence`; append the name of a benchmark, such as `-- tune`, to run only that
//! one.

use std::ops::Range;

use control::Control;
use divan::Bencher;
use divan::counter::ItemsCount;
use reading::{
    AcceptedAnswers, AnsweredQuestion, Evidence, EvidenceSearch, GridRange, Merge, PassageReading,
    QuestionBuilder, QuestionReadings, ReadOptions, Relevance, Scoring, SpanLimits, SpanScoring,
    StoredReading, Window, answers, best_spans, exact_matches, tune_evidence,
};

const TOKENS: usize = 200;
const PASSAGES: usize = 50;
const QUESTIONS: usize = 200;
const SCORINGS: [&str; 3] = ["original", "normalized", "probability"];

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("no pool yet");
    divan::main();
}

/// Finds the best 10 spans of up to `max_tokens` tokens in one passage.
#[divan::bench(args = [10, 50])]
fn spans(bencher: Bencher<'_, '_>, max_tokens: usize) {
    let passage = RandomReading::new(1);
    let limits = SpanLimits { max_spans: 10, max_tokens };
    bencher
        .counter(ItemsCount::new(TOKENS))
        .bench(|| best_spans(&passage.start, &passage.end, &passage.words, limits));
}

/// Finds the answers in 50 passages, from all logits of the reader.
#[divan::bench(args = SCORINGS)]
fn answers_of_50(bencher: Bencher<'_, '_>, scoring: &str) {
    let passages: Vec<RandomReading> =
        (0..PASSAGES).map(|passage| RandomReading::new(passage as u64)).collect();
    let options = ReadOptions { scoring: scoring_named(scoring), ..ReadOptions::default() };
    let readings: Vec<PassageReading<'_>> = passages.iter().map(RandomReading::reading).collect();
    bencher
        .counter(ItemsCount::new(PASSAGES))
        .bench(|| answers(&readings, &options).expect("valid readings"));
}

/// Determines which questions are answered correctly (exact match), with one pair of weights and five numbers of
/// passages.
#[divan::bench(args = SCORINGS, sample_count = 20)]
fn exact(bencher: Bencher<'_, '_>, scoring: &str) {
    let (questions, accepted) = stored_readings();
    let questions = answered(&questions, &accepted);
    let evidence = Evidence { beta: 1.0, gamma: 0.2 };
    let scoring = Scoring { spans: scoring_named(scoring), evidence, merge: Merge::Text };
    let passage_counts = [1, 5, 10, 20, 50];
    bencher.counter(ItemsCount::new(QUESTIONS)).bench_local(|| {
        exact_matches(&questions, scoring, &passage_counts, &Control::new()).expect("finite weights")
    });
}

/// Finds the weights and the number of passages that give the most correct answers.
#[divan::bench(args = SCORINGS, sample_count = 3, sample_size = 1)]
fn tune(bencher: Bencher<'_, '_>, scoring: &str) {
    let (questions, accepted) = stored_readings();
    let questions = answered(&questions, &accepted);
    let search = EvidenceSearch {
        spans: scoring_named(scoring),
        merge: Merge::Text,
        passage_counts: vec![1, 5, 10, 20, 50],
        beta: GridRange { min: 0.2, max: 2.0 },
        weight: GridRange { min: 0.0, max: 2.0 },
        threads: 1,
    };
    bencher
        .counter(ItemsCount::new(QUESTIONS))
        .bench_local(|| tune_evidence(&questions, &search, &Control::new()).expect("a valid search"));
}

fn scoring_named(scoring: &str) -> SpanScoring {
    match scoring {
        "original" => SpanScoring::Original,
        "normalized" => SpanScoring::Normalized,
        _ => SpanScoring::Probability,
    }
}

/// Combines the readings of each question with the accepted answers.
fn answered<'a>(questions: &'a [QuestionReadings], accepted: &'a [String]) -> Vec<AnsweredQuestion<'a>> {
    questions
        .iter()
        .map(|readings| AnsweredQuestion {
            readings: Some(readings),
            accepted: AcceptedAnswers::Texts(accepted),
        })
        .collect()
}

/// Returns the readings of all questions, and the accepted answers, which are the same for all questions.
fn stored_readings() -> (Vec<QuestionReadings>, Vec<String>) {
    let question = |question: usize| {
        let mut builder = QuestionBuilder::new();
        for passage in 0..PASSAGES {
            let random = RandomReading::new((question * PASSAGES + passage) as u64);
            let reading = random.reading();
            let stored = StoredReading::new(passage, &reading.windows, SpanLimits::default());
            let stored = stored.expect("a valid window");
            builder.push(&random.text, reading.retrieval_score, &stored).expect("a finite score");
        }
        builder.finish()
    };
    ((0..QUESTIONS).map(question).collect(), vec!["w1".to_owned(), "w7 w8".to_owned()])
}

/// A passage with random logits. Every fourth word has two tokens.
struct RandomReading {
    text: String,
    /// Start logit of each token.
    start: Vec<f32>,
    /// End logit of each token.
    end: Vec<f32>,
    /// Byte range of each token in the text.
    offsets: Vec<Range<u32>>,
    /// For each token, the index of the word that it belongs to.
    words: Vec<u32>,
    relevance: f32,
    retrieval_score: f32,
}

impl RandomReading {
    fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut logit = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 21) as f32 - 4.0
        };
        let (mut text, mut offsets, mut words) = (String::new(), Vec::new(), Vec::new());
        for token in 0..TOKENS {
            // Every fifth token belongs to the word of the token before it.
            if token % 5 != 4 {
                text.push(' ');
                words.push(words.last().map_or(0, |word| word + 1));
            } else {
                words.push(words[token - 1]);
            }
            let first = text.len() as u32;
            text.push_str(&format!("w{}", (logit() * 10.0).abs() as u32));
            offsets.push(first..text.len() as u32);
        }
        let [start, end] = [0, 1].map(|_| (0..TOKENS).map(|_| logit()).collect());
        Self { text, start, end, offsets, words, relevance: logit(), retrieval_score: 10.0 + logit() }
    }

    fn reading(&self) -> PassageReading<'_> {
        let Self { start, end, offsets, words, .. } = self;
        let window = Window { relevance: Relevance::Logit(self.relevance), start, end, offsets, words };
        PassageReading { text: &self.text, retrieval_score: self.retrieval_score, windows: vec![window] }
    }
}
