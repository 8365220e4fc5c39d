//! Finds the spans of a passage of 200 tokens, the answers of 20 passages, and the exact matches of 10 questions for a grid
//! of weights.

use std::ops::Range;

use control::Control;
use gungraun::{library_benchmark, library_benchmark_group};
use reading::{
    AcceptedAnswers, Answer, AnsweredQuestion, Evidence, Merge, PassageReading, QuestionBuilder,
    QuestionReadings, ReadOptions, Relevance, Scoring, Span, SpanLimits, SpanScoring, StoredReading, Window,
    answers, best_spans, exact_matches,
};

use crate::data::{Random, aside, kept, on_this_thread};

const TOKENS: usize = 200;
const PASSAGES: usize = 20;

#[library_benchmark]
#[bench::of_10_tokens(kept(Passage::new(1)))]
fn spans(passage: &Passage) -> Vec<Span> {
    best_spans(&passage.start, &passage.end, &passage.words, SpanLimits::default())
}

fn passages(scoring: SpanScoring) -> &'static (Vec<PassageReading<'static>>, ReadOptions) {
    let reading = |passage| kept(Passage::new(passage as u64)).reading();
    let options = ReadOptions { scoring, ..ReadOptions::default() };
    kept(((0..PASSAGES).map(reading).collect(), options))
}

#[library_benchmark]
#[bench::normalized(passages(SpanScoring::Normalized))]
fn answers_of_20((passages, options): &(Vec<PassageReading<'_>>, ReadOptions)) -> Vec<Answer> {
    answers(passages, options).expect("sound readings")
}

pub struct Grid {
    questions: Vec<AnsweredQuestion<'static>>,
    scorings: Vec<Scoring>,
}

fn weights(spans: SpanScoring) -> &'static Grid {
    on_this_thread();
    let accepted = kept(["w1".to_owned(), "w7 w8".to_owned()]).as_slice();
    let readings = kept(aside(|| (0..10).map(read).collect::<Vec<QuestionReadings>>())).iter();
    let questions = readings.map(|readings| AnsweredQuestion {
        readings: Some(readings),
        accepted: AcceptedAnswers::Texts(accepted),
    });
    let scoring = |step| {
        let evidence = Evidence { beta: 1.0, gamma: f64::from(step) / 10.0 };
        Scoring { spans, evidence, merge: Merge::Text }
    };
    let case = kept(Grid { questions: questions.collect(), scorings: (0..10).map(scoring).collect() });
    // A first run, so that buffers are allocated.
    right(case);
    case
}

fn read(question: usize) -> QuestionReadings {
    let mut builder = QuestionBuilder::new();
    for at in 0..PASSAGES {
        let passage = kept(Passage::new((question * PASSAGES + at) as u64));
        let reading = passage.reading();
        let stored = StoredReading::new(at, &reading.windows, SpanLimits::default()).expect("a valid window");
        builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
    }
    builder.finish()
}

fn right(case: &Grid) -> usize {
    let matches = |&scoring: &Scoring| {
        let matches = exact_matches(&case.questions, scoring, &[1, 5, 10, 20], &Control::new());
        matches.expect("finite weights").into_iter().flatten().filter(|&right| right).count()
    };
    case.scorings.iter().map(matches).sum()
}

// Each with the first 1, 5, 10 and 20 passages.
#[library_benchmark]
#[bench::original(weights(SpanScoring::Original))]
#[bench::normalized(weights(SpanScoring::Normalized))]
#[bench::probability(weights(SpanScoring::Probability))]
fn grid_of_10_weights(case: &Grid) -> usize {
    right(case)
}

/// A passage of words, some of two tokens, and a reader's logits.
pub struct Passage {
    text: String,
    start: Vec<f32>,
    end: Vec<f32>,
    offsets: Vec<Range<u32>>,
    words: Vec<u32>,
    relevance: f32,
    retrieval: f32,
}

impl Passage {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut logits = |count| (0..count).map(|_| 4.0 * random.number()).collect::<Vec<f32>>();
        let (start, end, of_passage) = (logits(TOKENS), logits(TOKENS), logits(2));
        let (mut text, mut offsets, mut words) = (String::new(), Vec::new(), Vec::new());
        for token in 0..TOKENS {
            // Every fifth token continues the previous word.
            if token % 5 != 4 {
                text.push(' ');
            }
            let first = text.len() as u32;
            text += &format!("w{}", random.byte() % 40);
            offsets.push(first..text.len() as u32);
            words.push((token - token / 5) as u32 - u32::from(token % 5 == 4));
        }
        Self { text, start, end, offsets, words, relevance: of_passage[0], retrieval: 10.0 + of_passage[1] }
    }

    fn reading(&self) -> PassageReading<'_> {
        let Self { start, end, offsets, words, .. } = self;
        let window = Window { relevance: Relevance::Logit(self.relevance), start, end, offsets, words };
        PassageReading { text: &self.text, retrieval_score: self.retrieval, windows: vec![window] }
    }
}

library_benchmark_group!(name = readings, benchmarks = [spans, answers_of_20, grid_of_10_weights]);
