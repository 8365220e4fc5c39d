//! Finds the best spans of a passage of 200 tokens, finds the answers in 20 passages, and counts the correct answers to
//! 10 questions for each of 10 weights of evidence fusion (retrieval scores added to the reader's relevance).

use std::ops::Range;

use control::Control;
use gungraun::{library_benchmark, library_benchmark_group};
use reading::{
    AcceptedAnswers, Answer, AnsweredQuestion, Evidence, Merge, PassageReading, QuestionBuilder,
    QuestionReadings, ReadOptions, Relevance, Scoring, Span, SpanLimits, SpanScoring, StoredReading, Window,
    answers, best_spans, exact_matches,
};

use crate::data::{Random, never_dropped, on_another_thread, use_one_thread};

const TOKENS: usize = 200;
const PASSAGES: usize = 20;

// Spans of up to 10 tokens, the default limit.
#[library_benchmark]
#[bench::of_10_tokens(never_dropped(Passage::new(1)))]
fn spans(passage: &Passage) -> Vec<Span> {
    best_spans(&passage.start, &passage.end, &passage.words, SpanLimits::default())
}

/// Returns the readings (outputs of a reader) of 20 passages for one question, and options with the given scoring.
fn passages(scoring: SpanScoring) -> &'static (Vec<PassageReading<'static>>, ReadOptions) {
    let reading = |passage| never_dropped(Passage::new(passage as u64)).reading();
    let options = ReadOptions { scoring, ..ReadOptions::default() };
    never_dropped(((0..PASSAGES).map(reading).collect(), options))
}

#[library_benchmark]
#[bench::normalized(passages(SpanScoring::Normalized))]
fn answers_of_20((passages, options): &(Vec<PassageReading<'_>>, ReadOptions)) -> Vec<Answer> {
    answers(passages, options).expect("valid readings")
}

/// Questions with stored readings, and a scoring for each weight.
pub struct Grid {
    questions: Vec<AnsweredQuestion<'static>>,
    scorings: Vec<Scoring>,
}

fn grid(spans: SpanScoring) -> &'static Grid {
    use_one_thread();
    let accepted = never_dropped(["w1".to_owned(), "w7 w8".to_owned()]).as_slice();
    let readings =
        never_dropped(on_another_thread(|| (0..10).map(readings_of).collect::<Vec<QuestionReadings>>()))
            .iter();
    let questions = readings.map(|readings| AnsweredQuestion {
        readings: Some(readings),
        accepted: AcceptedAnswers::Texts(accepted),
    });
    let scoring = |step| {
        let evidence = Evidence { beta: 1.0, gamma: f64::from(step) / 10.0 };
        Scoring { spans, evidence, merge: Merge::Text }
    };
    let case =
        never_dropped(Grid { questions: questions.collect(), scorings: (0..10).map(scoring).collect() });
    // A first call, so that the allocation of buffers is not counted.
    count_matches(case);
    case
}

/// Returns the stored readings for one question and its 20 passages.
fn readings_of(question: usize) -> QuestionReadings {
    let mut builder = QuestionBuilder::new();
    for at in 0..PASSAGES {
        let passage = never_dropped(Passage::new((question * PASSAGES + at) as u64));
        let reading = passage.reading();
        let stored = StoredReading::new(at, &reading.windows, SpanLimits::default()).expect("a valid window");
        builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
    }
    builder.finish()
}

/// Returns the number of correct answers, summed over all questions, all weights, and four numbers of passages that are
/// read: 1, 5, 10 and 20.
fn count_matches(case: &Grid) -> usize {
    let matches = |&scoring: &Scoring| {
        let matches = exact_matches(&case.questions, scoring, &[1, 5, 10, 20], &Control::new());
        matches.expect("finite weights").into_iter().flatten().filter(|&is_match| is_match).count()
    };
    case.scorings.iter().map(matches).sum()
}

#[library_benchmark]
#[bench::original(grid(SpanScoring::Original))]
#[bench::normalized(grid(SpanScoring::Normalized))]
#[bench::probability(grid(SpanScoring::Probability))]
fn grid_of_10_weights(case: &Grid) -> usize {
    count_matches(case)
}

/// A passage with random logits in place of a reader's. Some of its words have two tokens.
pub struct Passage {
    text: String,
    /// For each token, the logit of an answer that starts with it.
    start: Vec<f32>,
    /// For each token, the logit of an answer that ends with it.
    end: Vec<f32>,
    /// Byte range of each token in the text.
    offsets: Vec<Range<u32>>,
    /// For each token, the number of its word, from 0.
    words: Vec<u32>,
    relevance: f32,
    retrieval_score: f32,
}

impl Passage {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut logits = |count| (0..count).map(|_| 4.0 * random.number()).collect::<Vec<f32>>();
        let (start, end, other_logits) = (logits(TOKENS), logits(TOKENS), logits(2));
        let (mut text, mut offsets, mut words) = (String::new(), Vec::new(), Vec::new());
        for token in 0..TOKENS {
            // Every fifth token continues the previous word, so five tokens make four words.
            if token % 5 != 4 {
                text.push(' ');
            }
            let first = text.len() as u32;
            text += &format!("w{}", random.byte() % 40);
            offsets.push(first..text.len() as u32);
            words.push((token - token / 5) as u32 - u32::from(token % 5 == 4));
        }
        Self {
            text,
            start,
            end,
            offsets,
            words,
            relevance: other_logits[0],
            retrieval_score: 10.0 + other_logits[1],
        }
    }

    fn reading(&self) -> PassageReading<'_> {
        let Self { start, end, offsets, words, .. } = self;
        let window = Window { relevance: Relevance::Logit(self.relevance), start, end, offsets, words };
        PassageReading { text: &self.text, retrieval_score: self.retrieval_score, windows: vec![window] }
    }
}

library_benchmark_group!(name = readings, benchmarks = [spans, answers_of_20, grid_of_10_weights]);
