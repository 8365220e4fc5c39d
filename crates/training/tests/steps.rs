//! Steps change the parameters as AdamW is defined, give the same bits again, and go on from checkpoints.

#[path = "../../transformer/tests/support/mod.rs"]
mod support;

use control::Control;
use support::weights::{Shape, random, to_mpnet};
use training::loss::{Candidates, Similarity};
use training::optimizer::{AdamOptions, Schedule};
use training::{
    EncoderBatch, EncoderOptions, EncoderTrainer, Error, Loss, Pooling, QuestionBatch, ReaderPassage,
    ReaderTrainer, Side, StepOptions,
};
use transformer::Text;
use transformer::weights::{Matrix, TableValues, Weights};

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 48, layers: 2, words: 60, positions: 16 };

fn weights(seed: u64) -> Weights {
    let mut weights = random(SHAPE, seed, false);
    weights.outputs.truncate(1);
    weights
}

fn options() -> EncoderOptions {
    EncoderOptions {
        pooling: Pooling::Mean,
        normalizes: true,
        similarity: Similarity::Dot,
        scale: 10.0,
        loss: Loss::NegativeLogLikelihood,
        step: StepOptions {
            schedule: Schedule { rate: 1e-3, warm_up_steps: 2, steps: 10 },
            threads: 2,
            ..StepOptions::default()
        },
    }
}

/// Question n and passage n begin with the same word. Batch b uses other words than batch b − 1.
fn texts(batch: u32, count: u32, kind: u32) -> Vec<Vec<u32>> {
    (0..count)
        .map(|n| {
            let topic = (batch * 10 + n) % 50;
            (0..3 + (n + kind) % 5)
                .map(|at| if at == 0 { topic } else { (50 + (n * at + kind) % 10) % 60 })
                .collect()
        })
        .collect()
}

struct Batch {
    questions: Vec<Vec<u32>>,
    passages: Vec<Vec<u32>>,
}

impl Batch {
    fn new(number: u32) -> Self {
        Self { questions: texts(number, 4, 0), passages: texts(number, 6, 1) }
    }

    fn borrow(&self) -> EncoderBatch<'_> {
        EncoderBatch {
            questions: borrow(&self.questions),
            passages: borrow(&self.passages),
            candidates: Candidates::all(6, &[0, 1, 2, 3]),
        }
    }
}

fn as_text(ids: &[u32]) -> Text<'_> {
    Text { ids, type_0_count: ids.len() }
}

fn borrow(texts: &[Vec<u32>]) -> Vec<Text<'_>> {
    texts.iter().map(|ids| as_text(ids)).collect()
}

fn step(trainer: &mut EncoderTrainer, number: u32) -> f32 {
    let batch = Batch::new(number);
    trainer.step(&batch.borrow(), &Control::new()).expect("a step").0.loss
}

/// All parameters of a model, with whether they decay.
fn values(weights: &Weights) -> Vec<(f32, bool)> {
    let mut all = Vec::new();
    let embeddings = &weights.embeddings;
    for table in [Some(&embeddings.words), Some(&embeddings.positions), embeddings.types.as_ref()]
        .into_iter()
        .flatten()
    {
        let TableValues::F32(values) = &table.values else { panic!("floats") };
        all.extend(values.iter().map(|value| (*value, true)));
    }
    let biases = weights.relative_position_biases.iter().flat_map(|biases| &biases.values);
    all.extend(biases.map(|value| (*value, false)));
    let mut norms = vec![&embeddings.norm];
    for layer in &weights.layers {
        norms.extend([&layer.attention_norm, &layer.output_norm]);
        for linear in [
            &layer.query,
            &layer.key,
            &layer.value,
            &layer.attention_output,
            &layer.intermediate,
            &layer.output,
        ] {
            let Matrix::F32(values) = &linear.weights else { panic!("floats") };
            all.extend(values.iter().map(|value| (*value, true)));
            all.extend(linear.bias.iter().map(|value| (*value, false)));
        }
    }
    for norm in norms {
        all.extend(norm.weight.iter().chain(&norm.bias).map(|value| (*value, false)));
    }
    all
}

#[test]
fn steps_are_those_of_adam_with_decoupled_weight_decay_for_all_words_in_every_step() {
    let mut mpnet = weights(1);
    to_mpnet(&mut mpnet, 2);
    for weights in [weights(1), mpnet] {
        check_steps(&weights);
    }
}

/// Fails unless six steps change the parameters as the definition says.
fn check_steps(weights: &Weights) {
    let mut options = options();
    options.step.adam = AdamOptions { weight_decay: 0.5, ..AdamOptions::default() };
    options.step.max_gradient_norm = Some(0.5);
    options.step.schedule.rate = 0.02;
    let mut trainer = EncoderTrainer::new(weights, None, options).expect("a trainer");
    let start = values(&trainer.weights(Side::Question).expect("finite"));
    let mut parameters: Vec<f64> = start.iter().map(|(value, _)| f64::from(*value)).collect();
    let (mut means, mut variances) = (vec![0.0; parameters.len()], vec![0.0; parameters.len()]);
    for number in 1..=6 {
        let batch = Batch::new(number);
        let (_, gradients) = trainer.gradients(&batch.borrow(), &Control::new()).expect("gradients");
        let gradients: Vec<f64> = values(&gradients[0]).iter().map(|(value, _)| f64::from(*value)).collect();
        let norm = gradients.iter().map(|gradient| gradient * gradient).sum::<f64>().sqrt();
        let (report, _) = trainer.step(&batch.borrow(), &Control::new()).expect("a step");
        assert!((f64::from(report.gradient_norm) / norm - 1.0).abs() < 1e-5);
        assert!(norm > 0.5, "the gradients are clipped: {norm}");
        let rate = f64::from(options.step.schedule.rate_at(u64::from(number)));
        assert_eq!(f64::from(report.rate), rate);
        for at in 0..parameters.len() {
            let gradient = gradients[at] * 0.5 / (norm + 1e-6);
            means[at] = 0.9 * means[at] + 0.1 * gradient;
            variances[at] = 0.999 * variances[at] + 0.001 * gradient * gradient;
            let mean = means[at] / (1.0 - 0.9f64.powi(number as i32));
            let variance: f64 = variances[at] / (1.0 - 0.999f64.powi(number as i32));
            parameters[at] *= 1.0 - rate * if start[at].1 { 0.5 } else { 0.0 };
            parameters[at] -= rate * mean / (variance.sqrt() + 1e-8);
        }
    }
    let found = values(&trainer.weights(Side::Question).expect("finite"));
    for (at, ((found, _), expected)) in found.iter().zip(&parameters).enumerate() {
        // A gradient that is 0 up to rounding makes a step of any size up to the learning rate: keys' biases.
        let tolerance = if variances[at].sqrt() < 1e-7 { 0.05 } else { 2e-5 };
        let error = (f64::from(*found) - expected).abs();
        assert!(error < tolerance, "{at}: {found}, expected {expected}");
    }
    let changed = found.iter().zip(&start).filter(|(found, start)| (found.0 - start.0).abs() > 1e-3).count();
    assert!(changed > found.len() / 2, "{changed} of {} parameters changed", found.len());
}

#[test]
fn the_same_seed_and_threads_give_the_same_bits_whatever_is_kept_in_memory() {
    let run = |options: EncoderOptions| {
        let mut trainer = EncoderTrainer::new(&weights(2), None, options).expect("a trainer");
        let losses: Vec<f32> = (0..4).map(|number| step(&mut trainer, number)).collect();
        (losses, values(&trainer.weights(Side::Passage).expect("finite")))
    };
    let expected = run(options());
    assert_eq!(run(options()), expected);
    for activation_bytes in [0, 50_000] {
        let step = StepOptions { activation_bytes, ..options().step };
        assert_eq!(run(EncoderOptions { step, ..options() }), expected, "{activation_bytes} bytes");
    }
    let seed = StepOptions { seed: 1, ..options().step };
    assert_ne!(
        run(EncoderOptions { step: seed, ..options() }).0,
        expected.0,
        "another seed drops other values"
    );
    let single = StepOptions { threads: 1, ..options().step };
    let (losses, _) = run(EncoderOptions { step: single, ..options() });
    for (loss, expected) in losses.iter().zip(&expected.0) {
        assert!((loss - expected).abs() < 1e-4, "{loss}, expected {expected}");
    }
}

#[test]
fn training_learns_which_passage_belongs_to_a_question() {
    for passage in [None, Some(weights(4))] {
        let mut options = options();
        options.step.schedule = Schedule { rate: 3e-3, warm_up_steps: 5, steps: 200 };
        let mut trainer = EncoderTrainer::new(&weights(3), passage.as_ref(), options).expect("a trainer");
        let first: f32 = (0..5).map(|number| step(&mut trainer, number)).sum();
        for number in (0..30).flat_map(|_| 0..5) {
            step(&mut trainer, number);
        }
        let last: f32 = (0..5).map(|number| step(&mut trainer, number)).sum();
        assert!(last < 0.2 * first, "{last}, at first {first}");
        let batch = Batch::new(2);
        let questions =
            trainer.encode(Side::Question, &borrow(&batch.questions), &Control::new()).expect("vectors");
        let passages =
            trainer.encode(Side::Passage, &borrow(&batch.passages), &Control::new()).expect("vectors");
        let dot = |q: usize, p: usize| -> f32 {
            (0..32).map(|at| questions[q * 32 + at] * passages[p * 32 + at]).sum()
        };
        for q in 0..4 {
            assert!((0..6).all(|p| p == q || dot(q, p) < dot(q, q)), "question {q}");
        }
    }
}

#[test]
fn questions_learn_to_find_passages_whose_vectors_stay_as_they_are() {
    let mut options = options();
    options.step.schedule = Schedule { rate: 3e-3, warm_up_steps: 5, steps: 200 };
    let other = weights(4);
    let mut trainer = EncoderTrainer::new(&weights(3), Some(&other), options).expect("a trainer");
    let batches: Vec<Batch> = (0..3).map(Batch::new).collect();
    let positives = [vec![0, 5], vec![1], vec![2], vec![3, 2]];
    let vectors: Vec<Vec<f32>> = batches
        .iter()
        .map(|batch| {
            trainer.encode(Side::Passage, &borrow(&batch.passages), &Control::new()).expect("vectors")
        })
        .collect();
    let passages = values(&trainer.weights(Side::Passage).expect("finite"));
    let mut step = |number: usize| {
        let questions = borrow(&batches[number].questions);
        let batch = QuestionBatch { questions, passages: &vectors[number], positives: &positives };
        trainer.step_questions(&batch, &Control::new()).expect("a step")
    };
    let first: f32 = (0..3).map(|number| step(number).0.loss).sum();
    for number in (0..40).flat_map(|_| 0..3) {
        step(number);
    }
    let last: Vec<_> = (0..3).map(step).collect();
    let loss: f32 = last.iter().map(|(report, _)| report.loss).sum();
    assert!(loss < 0.3 * first, "{loss}, at first {first}");
    assert!(last.iter().map(|(_, correct)| correct).sum::<usize>() >= 11, "of 12 questions");
    assert_eq!(values(&trainer.weights(Side::Passage).expect("finite")), passages);
    let refused = |trainer: &mut EncoderTrainer, passages: &[f32], positives: &[Vec<u32>]| {
        let batch = QuestionBatch { questions: borrow(&batches[0].questions), passages, positives };
        trainer.step_questions(&batch, &Control::new()).expect_err("refused").to_string()
    };
    let rows = &vectors[0];
    assert_eq!(
        refused(&mut trainer, &rows[1..], &positives),
        "passages: expected vectors of 32 values, got 191 values"
    );
    assert_eq!(
        refused(&mut trainer, rows, &positives[1..]),
        "positives: expected one list per question, 4, got 3"
    );
    let none = [vec![0], vec![], vec![2], vec![3]];
    let message = "positives: expected at least 1 passage per question, got none for question 1";
    assert_eq!(refused(&mut trainer, rows, &none), message);
    let unknown = [vec![0], vec![6], vec![2], vec![3]];
    assert_eq!(refused(&mut trainer, rows, &unknown), "positives: expected passages below 6, got 6");
}

#[test]
fn training_goes_on_from_a_checkpoint_with_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("checkpoint");
    let mut options = options();
    options.step.adam.weight_decay = 0.3;
    let other = weights(6);
    for passage in [None, Some(&other)] {
        let start = || EncoderTrainer::new(&weights(5), passage, options).expect("a trainer");
        let mut trainer = start();
        (0..3).for_each(|number| _ = step(&mut trainer, number));
        trainer.save(&file, "{\"epoch\":2}").expect("saves");
        (3..6).for_each(|number| _ = step(&mut trainer, number));
        let mut resumed = start();
        assert_eq!(resumed.load(&file).expect("loads"), "{\"epoch\":2}");
        assert_eq!(resumed.step_count(), 3);
        (3..6).for_each(|number| _ = step(&mut resumed, number));
        for side in [Side::Question, Side::Passage] {
            assert_eq!(
                values(&resumed.weights(side).expect("finite")),
                values(&trainer.weights(side).expect("finite"))
            );
        }
    }
    let mut shared = EncoderTrainer::new(&weights(5), None, options).expect("a trainer");
    let message = shared.load(&file).expect_err("two encoders").to_string();
    assert_eq!(message, "checkpoint: expected 1 models, got 2");
    let small = random(Shape { layers: 1, ..SHAPE }, 1, false);
    let mut small = EncoderTrainer::new(&small, Some(&small), options).expect("a trainer");
    let before = values(&small.weights(Side::Question).expect("finite"));
    assert!(matches!(small.load(&file), Err(Error::Checkpoint { .. })));
    let bytes = std::fs::read(&file).expect("the file");
    let mut trainer = EncoderTrainer::new(&weights(5), Some(&other), options).expect("a trainer");
    let unchanged = values(&trainer.weights(Side::Question).expect("finite"));
    for at in [100, bytes.len() / 2, bytes.len() - 3] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(&file, damaged).expect("writes");
        assert!(trainer.load(&file).is_err(), "byte {at}");
        std::fs::write(&file, &bytes[..at]).expect("writes");
        assert!(trainer.load(&file).is_err(), "{at} bytes");
    }
    assert_eq!(values(&trainer.weights(Side::Question).expect("finite")), unchanged);
    assert_eq!(values(&small.weights(Side::Question).expect("finite")), before);
}

#[test]
fn after_an_error_the_parameters_are_those_before_the_step() {
    let mut trainer = EncoderTrainer::new(&weights(7), None, options()).expect("a trainer");
    step(&mut trainer, 0);
    let before = values(&trainer.weights(Side::Question).expect("finite"));
    let batch = Batch::new(1);
    let canceled = Control::new();
    canceled.cancel();
    assert!(matches!(trainer.step(&batch.borrow(), &canceled), Err(Error::Canceled(_))));
    let refused = |trainer: &mut EncoderTrainer, batch: &EncoderBatch<'_>| {
        trainer.step(batch, &Control::new()).expect_err("refused").to_string()
    };
    let long = [0; 17];
    let mut bad = batch.borrow();
    bad.passages[2] = as_text(&long);
    assert_eq!(refused(&mut trainer, &bad), "text 6: expected 1 to 16 tokens, got 17");
    bad.passages[2] = as_text(&[60]);
    assert_eq!(refused(&mut trainer, &bad), "text 6: expected token ids below 60, got 60");
    bad.passages.pop();
    let message = "batch: expected 4 questions and 6 passages, got 4 questions and 5 passages";
    assert_eq!(refused(&mut trainer, &bad), message);
    let none = EncoderBatch { questions: vec![], passages: vec![], candidates: Candidates::all(0, &[]) };
    assert_eq!(
        refused(&mut trainer, &none),
        "batch: expected at least 1 question, got 0 questions and 0 passages"
    );
    assert_eq!(values(&trainer.weights(Side::Question).expect("finite")), before);
    assert_eq!(trainer.step_count(), 1);
    // A parameter that is not a number makes the loss so.
    let mut broken = weights(8);
    broken.layers[0].output.bias[0] = f32::NAN;
    let mut trainer = EncoderTrainer::new(&broken, None, options()).expect("a trainer");
    let message = "step 1: expected a finite loss, got NaN; the learning rate may be too high";
    assert_eq!(refused(&mut trainer, &batch.borrow()), message);
}

#[test]
fn models_and_options_that_cannot_be_trained_are_refused() {
    let fail = |weights: &Weights, options: EncoderOptions| {
        EncoderTrainer::new(weights, None, options).expect_err("refused").to_string()
    };
    let message = "embeddings: expected floats, got bytes: the model is quantized";
    assert_eq!(fail(&random(SHAPE, 1, true), options()), message);
    let mut other = weights(1);
    other.layers[1] = random(Shape { intermediate: 64, ..SHAPE }, 1, false).layers.swap_remove(1);
    let message = "the hidden layer of the feed-forward network: expected 32 by 48, got 32 by 64";
    assert_eq!(fail(&other, options()), message);
    other = weights(1);
    other.layers.clear();
    assert_eq!(fail(&other, options()), "layers: expected at least 1, got 0");
    let with = |change: fn(&mut EncoderOptions)| {
        let mut options = options();
        change(&mut options);
        fail(&weights(1), options)
    };
    let message = "dropout: expected at least 0 and less than 1, got 1";
    assert_eq!(with(|options| options.step.dropout = 1.0), message);
    let message = "learning rate: expected a finite number of at least 0, got NaN";
    assert_eq!(with(|options| options.step.schedule.rate = f32::NAN), message);
    assert_eq!(with(|options| options.scale = 0.0), "scale: expected a finite number above 0, got 0");
    let message = "maximum norm of gradients: expected a number above 0, got 0";
    assert_eq!(with(|options| options.step.max_gradient_norm = Some(0.0)), message);
}

#[test]
fn a_reader_learns_to_find_spans_and_to_choose_passages() {
    // The answer is the token 40, and its passage begins with the token 41.
    let passage = |n: u32, is_positive: bool| -> Vec<u32> {
        let mut ids: Vec<u32> = (0..10).map(|at| (n * 7 + at * 3) % 40).collect();
        if is_positive {
            ids[4] = 41;
            ids[5 + (n % 4) as usize] = 40;
        }
        ids
    };
    let texts: Vec<Vec<Vec<u32>>> =
        (0..8).map(|n| (0..3).map(|at| passage(n + 10 * at, at == 0)).collect()).collect();
    let batch: Vec<Vec<ReaderPassage<'_>>> = texts
        .iter()
        .enumerate()
        .map(|(n, texts)| {
            let of = |(at, ids): (usize, &'_ Vec<u32>)| {
                let token = 5 + n % 4;
                let spans = if at == 0 { vec![(token, token)] } else { Vec::new() };
                (Text { ids: ids.clone().leak(), type_0_count: 4 }, spans)
            };
            let passages = texts.iter().enumerate().map(of);
            passages.map(|(text, spans)| ReaderPassage { text, text_tokens: 4..10, spans }).collect()
        })
        .collect();
    let options = StepOptions {
        schedule: Schedule { rate: 3e-3, warm_up_steps: 5, steps: 100 },
        threads: 2,
        ..StepOptions::default()
    };
    let mut trainer = ReaderTrainer::new(&weights(9), options).expect("a trainer");
    let mut step = || trainer.step(&batch, &Control::new()).expect("a step");
    let reports: Vec<_> = (0..80).map(|_| step()).collect();
    let [(first, first_correct), (last, last_correct)] = [reports[0], reports[79]];
    assert!(last.loss < 0.1 * first.loss, "{} of {}", last.loss, first.loss);
    assert!(first_correct < 8 && last_correct == 8, "{first_correct}, {last_correct}");
    for passages in &batch {
        let texts: Vec<Text<'_>> = passages.iter().map(|passage| passage.text).collect();
        let logits = trainer.read(&texts, &Control::new()).expect("logits");
        assert!(logits.relevance[1..].iter().all(|logit| *logit < logits.relevance[0]));
        let start = (4..10).max_by(|&a, &b| logits.spans[2 * a].total_cmp(&logits.spans[2 * b]));
        assert_eq!(start, Some(passages[0].spans[0].0));
    }
    let mut bad = batch.clone();
    bad[0][0].spans = vec![(3, 4)];
    let message = trainer.step(&bad, &Control::new()).expect_err("refused").to_string();
    assert_eq!(message, "question 0: expected spans within the text tokens, got 3 to 4");
    bad[0].clear();
    let message = trainer.step(&bad, &Control::new()).expect_err("refused").to_string();
    assert_eq!(message, "question 0: expected at least 1 passage, got none");
}
