//! The gradients of all parameters agree with finite differences of the loss, which a forward pass in `f64` computes.

#[path = "../../transformer/tests/support/mod.rs"]
mod support;

use control::Control;
use support::reference;
use support::weights::{Shape, random, to_mpnet};
use training::loss::{Candidates, PassageSpans, Similarity};
use training::{
    EncoderBatch, EncoderOptions, EncoderTrainer, Loss, Pooling, QuestionBatch, ReaderPassage, ReaderTrainer,
    StepOptions,
};
use transformer::Text;
use transformer::weights::{Head, Linear, Matrix, Norm, Output, Table, TableValues, Weights};

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 48, layers: 2, words: 30, positions: 16 };

fn encoder(seed: u64) -> Weights {
    let mut weights = random(SHAPE, seed, false);
    weights.outputs.truncate(1);
    weights
}

fn reader(seed: u64) -> Weights {
    let mut weights = random(SHAPE, seed, false);
    let logits = weights.outputs.iter().find_map(|output| match &output.head {
        Head::TokenLogits { linear, .. } => Some(linear.clone()),
        _ => None,
    });
    let spans = logits.expect("the model has logits");
    let Matrix::F32(values) = &spans.weights else { panic!("floats") };
    let relevance = Linear {
        inputs: 32,
        outputs: 1,
        weights: Matrix::F32(values.iter().step_by(2).map(|value| value * 0.7).collect()),
        bias: vec![0.1],
    };
    let output = |name: &str, head| Output { name: name.to_owned(), head };
    weights.outputs = vec![
        output("start_logits", Head::TokenLogits { linear: spans.clone(), column: 0 }),
        output("end_logits", Head::TokenLogits { linear: spans, column: 1 }),
        output("relevance_logit", Head::FirstTokenLogits { linear: relevance, column: 0 }),
    ];
    weights
}

/// All parameters of a model, by name.
fn parameters(weights: &mut Weights) -> Vec<(String, &mut Vec<f32>)> {
    fn floats(table: &mut Table) -> &mut Vec<f32> {
        let TableValues::F32(values) = &mut table.values else { panic!("floats") };
        values
    }
    fn norm<'a>(name: &str, norm: &'a mut Norm, all: &mut Vec<(String, &'a mut Vec<f32>)>) {
        all.push((format!("{name} weight"), &mut norm.weight));
        all.push((format!("{name} bias"), &mut norm.bias));
    }
    fn linear<'a>(name: &str, linear: &'a mut Linear, all: &mut Vec<(String, &'a mut Vec<f32>)>) {
        let Matrix::F32(values) = &mut linear.weights else { panic!("floats") };
        all.push((format!("{name} weight"), values));
        all.push((format!("{name} bias"), &mut linear.bias));
    }
    let mut all = Vec::new();
    let embeddings = &mut weights.embeddings;
    all.push(("words".to_owned(), floats(&mut embeddings.words)));
    all.push(("positions".to_owned(), floats(&mut embeddings.positions)));
    if let Some(types) = &mut embeddings.types {
        all.push(("types".to_owned(), floats(types)));
    }
    if let Some(biases) = &mut weights.relative_position_biases {
        all.push(("relative position biases".to_owned(), &mut biases.values));
    }
    norm("embeddings", &mut embeddings.norm, &mut all);
    for (n, layer) in weights.layers.iter_mut().enumerate() {
        linear(&format!("query {n}"), &mut layer.query, &mut all);
        linear(&format!("key {n}"), &mut layer.key, &mut all);
        linear(&format!("value {n}"), &mut layer.value, &mut all);
        linear(&format!("attention output {n}"), &mut layer.attention_output, &mut all);
        norm(&format!("attention norm {n}"), &mut layer.attention_norm, &mut all);
        linear(&format!("intermediate {n}"), &mut layer.intermediate, &mut all);
        linear(&format!("output {n}"), &mut layer.output, &mut all);
        norm(&format!("output norm {n}"), &mut layer.output_norm, &mut all);
    }
    let mut outputs = weights.outputs.iter_mut();
    if let Some(Head::TokenLogits { linear: spans, .. }) = outputs.next().map(|output| &mut output.head) {
        linear("spans", spans, &mut all);
        // The end logits have a copy of the same parameters.
        if let Some(Head::FirstTokenLogits { linear: relevance, .. }) =
            outputs.nth(1).map(|output| &mut output.head)
        {
            linear("relevance", relevance, &mut all);
        }
    }
    all
}

/// Makes the copies of a reader's parameters equal.
fn share_spans(weights: &mut Weights) {
    if let [Output { head: Head::TokenLogits { linear, .. }, .. }, ends, ..] = weights.outputs.as_mut_slice()
    {
        let Head::TokenLogits { linear: copy, .. } = &mut ends.head else { panic!("logits") };
        copy.clone_from(linear);
    }
}

/// Fails unless the gradients are the slopes of `loss` at some values of each parameter.
fn agrees(weights: &Weights, mut gradients: Weights, loss: impl Fn(&Weights) -> f64) {
    let expected: Vec<(String, Vec<f32>)> =
        parameters(&mut gradients).into_iter().map(|(name, values)| (name, values.clone())).collect();
    let mut largest = 0f32;
    for (at, (name, gradients)) in expected.iter().enumerate() {
        largest = gradients.iter().fold(largest, |max, gradient| max.max(gradient.abs()));
        // Four values of each, and the one with the greatest gradient.
        let step = (gradients.len() / 4).max(1);
        let greatest =
            (0..gradients.len()).max_by(|&a, &b| gradients[a].abs().total_cmp(&gradients[b].abs()));
        for entry in (0..gradients.len()).step_by(step).chain(greatest) {
            let changed = |change: f32| {
                let mut changed = weights.clone();
                let mut all = parameters(&mut changed);
                all[at].1[entry] += change;
                let value = f64::from(all[at].1[entry]);
                share_spans(&mut changed);
                (value, loss(&changed))
            };
            let ((above, loss_above), (below, loss_below)) = (changed(2e-3), changed(-2e-3));
            let slope = (loss_above - loss_below) / (above - below);
            let error = (f64::from(gradients[entry]) - slope).abs();
            let tolerance = 2e-4 * slope.abs().max(0.05);
            assert!(error < tolerance, "{name} {entry}: {}, expected {slope}", gradients[entry]);
        }
    }
    assert!(largest > 0.01, "a test of gradients that are all small shows nothing: {largest}");
}

type Tokens = (Vec<u32>, usize);

/// Texts of different lengths, with both token types.
fn texts(count: usize, seed: usize) -> Vec<Tokens> {
    let text = |n: usize| {
        let length = 2 + (n * 5 + seed) % 9;
        ((0..length).map(|at| ((at * 7 + n * 3 + seed) % 29) as u32).collect(), length / 2 + n % 2)
    };
    (0..count).map(text).collect()
}

fn borrow(texts: &[Tokens]) -> Vec<Text<'_>> {
    texts.iter().map(|(ids, types)| Text { ids, type_0_count: *types }).collect()
}

fn without_dropout() -> StepOptions {
    StepOptions { dropout: 0.0, threads: 2, ..StepOptions::default() }
}

fn options(pooling: Pooling, normalizes: bool, similarity: Similarity, loss: Loss) -> EncoderOptions {
    let scale = if normalizes { 4.0 } else { 0.2 };
    EncoderOptions { pooling, normalizes, similarity, scale, loss, step: without_dropout() }
}

/// The vectors of texts, in `f64`.
fn vectors(weights: &Weights, texts: &[Tokens], options: &EncoderOptions) -> Vec<Vec<f64>> {
    let states = reference::run(weights, texts).swap_remove(0);
    let mut rows = states.chunks(SHAPE.dim);
    let vector = |(ids, _): &Tokens| {
        let rows: Vec<&[f64]> = rows.by_ref().take(ids.len()).collect();
        let mut vector: Vec<f64> = match options.pooling {
            Pooling::FirstToken => rows[0].to_vec(),
            Pooling::Mean => (0..SHAPE.dim)
                .map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64)
                .collect(),
        };
        let norm = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
        if options.normalizes {
            vector.iter_mut().for_each(|value| *value /= norm);
        }
        vector
    };
    texts.iter().map(vector).collect()
}

/// The loss of a batch, from its definition. `is_candidate` says which passages a question is compared with.
fn encoder_loss(
    questions: &[Vec<f64>],
    passages: &[Vec<f64>],
    is_candidate: impl Fn(usize, usize) -> bool,
    options: &EncoderOptions,
) -> f64 {
    let similarity = |q: &Vec<f64>, p: &Vec<f64>| {
        let pairs = || q.iter().zip(p);
        f64::from(options.scale)
            * match options.similarity {
                Similarity::Dot => pairs().map(|(q, p)| q * p).sum::<f64>(),
                Similarity::Euclidean => -pairs().map(|(q, p)| (q - p).powi(2)).sum::<f64>().sqrt(),
            }
    };
    let mut losses = Vec::new();
    for (n, q) in questions.iter().enumerate() {
        let positive = similarity(q, &passages[n]);
        let all = (0..passages.len()).filter(|&at| is_candidate(n, at));
        match options.loss {
            Loss::NegativeLogLikelihood => {
                let sum: f64 = all.map(|at| similarity(q, &passages[at]).exp()).sum();
                losses.push(sum.ln() - positive);
            }
            Loss::Triplet { margin } => losses.extend(
                all.filter(|&at| at != n)
                    .map(|at| (f64::from(margin) + similarity(q, &passages[at]) - positive).max(0.0)),
            ),
        }
    }
    losses.iter().sum::<f64>() / losses.len() as f64
}

#[test]
fn gradients_of_encoders_agree_with_finite_differences_for_all_poolings_similarities_and_losses() {
    let triplet = Loss::Triplet { margin: 1.0 };
    let cases = [
        options(Pooling::Mean, true, Similarity::Dot, Loss::NegativeLogLikelihood),
        options(Pooling::FirstToken, false, Similarity::Dot, Loss::NegativeLogLikelihood),
        options(Pooling::Mean, false, Similarity::Euclidean, Loss::NegativeLogLikelihood),
        options(Pooling::FirstToken, true, Similarity::Dot, triplet),
        options(Pooling::Mean, false, Similarity::Euclidean, triplet),
    ];
    for (seed, options) in cases.into_iter().enumerate() {
        let weights = encoder(seed as u64);
        let (questions, passages) = (texts(3, 1), texts(5, 4));
        let mut candidates = Candidates::all(5, &[0, 1, 2]);
        candidates.exclude(1, 3);
        let batch = EncoderBatch { questions: borrow(&questions), passages: borrow(&passages), candidates };
        let mut trainer = EncoderTrainer::new(&weights, None, options).expect("a trainer");
        let (loss, gradients) = trainer.gradients(&batch, &Control::new()).expect("gradients");
        let expected = |weights: &Weights| {
            let (q, p) = (vectors(weights, &questions, &options), vectors(weights, &passages, &options));
            encoder_loss(&q, &p, |question, passage| (question, passage) != (1, 3), &options)
        };
        let error = (f64::from(loss) - expected(&weights)).abs();
        assert!(error < 1e-5, "{options:?}: {loss}, expected {}", expected(&weights));
        agrees(&weights, gradients.into_iter().next().expect("an encoder"), expected);
    }
}

#[test]
fn two_encoders_have_gradients_of_their_own() {
    let options = options(Pooling::Mean, false, Similarity::Dot, Loss::NegativeLogLikelihood);
    let (of_questions, of_passages) = (encoder(11), encoder(12));
    let (questions, passages) = (texts(3, 1), texts(5, 4));
    let batch = EncoderBatch {
        questions: borrow(&questions),
        passages: borrow(&passages),
        candidates: Candidates::some(5, &[0, 1, 2], &[vec![3], vec![0, 4], vec![2, 1]]),
    };
    let is_candidate = |question, passage| {
        question == passage || [(0, 3), (1, 0), (1, 4), (2, 1)].contains(&(question, passage))
    };
    let mut trainer = EncoderTrainer::new(&of_questions, Some(&of_passages), options).expect("a trainer");
    let (_, gradients) = trainer.gradients(&batch, &Control::new()).expect("gradients");
    let [first, second] = gradients.try_into().expect("two encoders");
    let p = vectors(&of_passages, &passages, &options);
    agrees(&of_questions, first, |weights| {
        encoder_loss(&vectors(weights, &questions, &options), &p, is_candidate, &options)
    });
    let q = vectors(&of_questions, &questions, &options);
    agrees(&of_passages, second, |weights| {
        encoder_loss(&q, &vectors(weights, &passages, &options), is_candidate, &options)
    });
}

#[test]
fn with_fixed_passages_the_question_encoder_has_the_gradients_of_the_marginal_loss() {
    let positives = [vec![0, 3], vec![1], vec![4, 2, 0]];
    for (seed, (normalizes, similarity)) in
        [(false, Similarity::Dot), (true, Similarity::Dot), (false, Similarity::Euclidean)]
            .into_iter()
            .enumerate()
    {
        let options = options(Pooling::Mean, normalizes, similarity, Loss::NegativeLogLikelihood);
        let weights = encoder(20 + seed as u64);
        let questions = texts(3, 1);
        let passages = vectors(&encoder(30), &texts(5, 4), &options);
        let rows: Vec<f32> = passages.iter().flatten().map(|value| *value as f32).collect();
        let batch = QuestionBatch { questions: borrow(&questions), passages: &rows, positives: &positives };
        let mut trainer = EncoderTrainer::new(&weights, None, options).expect("a trainer");
        let (loss, gradients) = trainer.question_gradients(&batch, &Control::new()).expect("gradients");
        let similarity = |q: &[f64], p: &[f32]| {
            let pairs = || q.iter().zip(p).map(|(q, p)| (q, f64::from(*p)));
            f64::from(options.scale)
                * match options.similarity {
                    Similarity::Dot => pairs().map(|(q, p)| q * p).sum::<f64>(),
                    Similarity::Euclidean => -pairs().map(|(q, p)| (q - p).powi(2)).sum::<f64>().sqrt(),
                }
        };
        let expected = |weights: &Weights| {
            let questions = vectors(weights, &questions, &options);
            let losses = questions.iter().zip(&positives).map(|(q, positives)| {
                let likelihoods: Vec<f64> = rows.chunks(SHAPE.dim).map(|p| similarity(q, p).exp()).collect();
                let of_positives = positives.iter().map(|at| likelihoods[*at as usize]).sum::<f64>();
                -(of_positives / likelihoods.iter().sum::<f64>()).ln()
            });
            losses.sum::<f64>() / 3.0
        };
        let error = (f64::from(loss) - expected(&weights)).abs();
        assert!(error < 1e-5, "{loss}, expected {}", expected(&weights));
        agrees(&weights, gradients, expected);
    }
}

#[test]
fn models_like_roberta_distilbert_and_mpnet_have_the_right_gradients() {
    let options = options(Pooling::Mean, false, Similarity::Dot, Loss::NegativeLogLikelihood);
    let like_roberta = |weights: &mut Weights| {
        weights.embeddings.first_position = 2;
        weights.embeddings.has_type_input = false;
    };
    let changes: [&dyn Fn(&mut Weights); 3] = [
        &like_roberta,
        &|weights| {
            weights.embeddings.has_type_input = false;
            weights.embeddings.types = None;
        },
        &|weights| to_mpnet(weights, 14),
    ];
    for change in changes {
        let mut weights = encoder(13);
        change(&mut weights);
        let (mut questions, passages) = (texts(2, 1), texts(3, 4));
        // As long as possible, so that keys at all distances up to 13 have gradients.
        questions[0] = ((0..14).collect(), 14);
        let batch = EncoderBatch {
            questions: borrow(&questions),
            passages: borrow(&passages),
            candidates: Candidates::all(3, &[0, 1]),
        };
        let mut trainer = EncoderTrainer::new(&weights, None, options).expect("a trainer");
        let (_, gradients) = trainer.gradients(&batch, &Control::new()).expect("gradients");
        agrees(&weights, gradients.into_iter().next().expect("an encoder"), |weights| {
            let (q, p) = (vectors(weights, &questions, &options), vectors(weights, &passages, &options));
            encoder_loss(&q, &p, |_, _| true, &options)
        });
    }
}

/// The answer tokens and the spans of some passages of two questions.
fn spans() -> Vec<Vec<PassageSpans>> {
    let passage = |tokens: usize, spans: &[(usize, usize)]| PassageSpans {
        tokens,
        text_tokens: tokens / 2..tokens,
        spans: spans.to_vec(),
    };
    vec![
        vec![passage(7, &[(3, 4), (4, 4), (5, 6)]), passage(5, &[]), passage(9, &[])],
        vec![passage(8, &[]), passage(3, &[])],
    ]
}

#[test]
fn gradients_of_readers_agree_with_finite_differences() {
    let weights = reader(21);
    let questions = spans();
    let texts: Vec<Tokens> = questions
        .iter()
        .flatten()
        .enumerate()
        .map(|(n, passage)| {
            ((0..passage.tokens).map(|at| ((at * 5 + n * 11) % 30) as u32).collect(), passage.tokens / 2)
        })
        .collect();
    let mut borrowed = borrow(&texts).into_iter();
    let batch: Vec<Vec<ReaderPassage<'_>>> = questions
        .iter()
        .map(|passages| {
            let passage = |passage: &PassageSpans| ReaderPassage {
                text: borrowed.next().expect("a text"),
                text_tokens: passage.text_tokens.clone(),
                spans: passage.spans.clone(),
            };
            passages.iter().map(passage).collect()
        })
        .collect();
    let mut trainer = ReaderTrainer::new(&weights, without_dropout()).expect("a trainer");
    let (loss, gradients) = trainer.gradients(&batch, &Control::new()).expect("gradients");
    let expected = |weights: &Weights| {
        let outputs = reference::run(weights, &texts);
        let (mut token, mut passage, mut loss) = (0, 0, 0.0);
        for passages in &questions {
            let relevance = &outputs[2][passage..passage + passages.len()];
            loss += relevance.iter().map(|logit| logit.exp()).sum::<f64>().ln() - relevance[0];
            let positive = &passages[0];
            let range = token + positive.text_tokens.start..token + positive.text_tokens.end;
            let probability = |output: usize, at: usize| {
                let sum: f64 = outputs[output][range.clone()].iter().map(|logit| logit.exp()).sum();
                outputs[output][token + at].exp() / sum
            };
            let marginal: f64 =
                positive.spans.iter().map(|&(start, end)| probability(0, start) * probability(1, end)).sum();
            loss -= if positive.spans.is_empty() { 0.0 } else { marginal.ln() };
            token += passages.iter().map(|passage| passage.tokens).sum::<usize>();
            passage += passages.len();
        }
        loss / questions.len() as f64
    };
    let error = (f64::from(loss) - expected(&weights)).abs();
    assert!(error < 1e-5, "{loss}, expected {}", expected(&weights));
    agrees(&weights, gradients, expected);
}

#[test]
fn with_dropout_the_backward_pass_drops_what_the_forward_pass_dropped() {
    let weights = encoder(31);
    let (questions, passages) = (texts(3, 1), texts(5, 4));
    let batch = EncoderBatch {
        questions: borrow(&questions),
        passages: borrow(&passages),
        candidates: Candidates::all(5, &[0, 1, 2]),
    };
    let mut options = options(Pooling::Mean, false, Similarity::Dot, Loss::NegativeLogLikelihood);
    options.step = StepOptions { dropout: 0.3, seed: 5, ..without_dropout() };
    let run = |weights: &Weights| {
        let mut trainer = EncoderTrainer::new(weights, None, options).expect("a trainer");
        trainer.gradients(&batch, &Control::new()).expect("gradients")
    };
    let (loss, gradients) = run(&weights);
    let mut gradients = gradients.into_iter().next().expect("an encoder");
    let off = EncoderOptions { step: without_dropout(), ..options };
    let mut trainer = EncoderTrainer::new(&weights, None, off).expect("a trainer");
    let (without, _) = trainer.gradients(&batch, &Control::new()).expect("gradients");
    assert!((loss - without).abs() > 1e-3, "dropout changes the loss: {loss}, {without}");
    // Along the gradient g of a parameter, the loss of f32 passes has the slope |g|.
    let directions: Vec<(String, Vec<f32>)> =
        parameters(&mut gradients).into_iter().map(|(name, values)| (name, values.clone())).collect();
    for (at, (name, direction)) in directions.iter().enumerate() {
        let norm = direction.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        if norm < 1e-2 {
            // Keys' biases change no probability, so their gradients are 0 up to rounding.
            assert!(name.starts_with("key") && name.ends_with("bias"), "{name}: {norm}");
            continue;
        }
        let loss = |length: f64| {
            let mut changed = weights.clone();
            let values = &mut parameters(&mut changed)[at].1;
            let factor = (length / norm) as f32;
            values.iter_mut().zip(direction).for_each(|(value, direction)| *value += factor * direction);
            f64::from(run(&changed).0)
        };
        let slope = (loss(0.01) - loss(-0.01)) / 0.02;
        assert!((slope / norm - 1.0).abs() < 0.02, "{name}: {slope}, expected {norm}");
    }
}
