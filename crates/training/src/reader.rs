//! [`ReaderTrainer`]: training of an extractive reader (Karpukhin et al., 2020, §6.1).

use std::path::Path;
use std::sync::Arc;

use control::Control;
use transformer::Text;
use transformer::hugging_face::{END_OUTPUT, RELEVANCE_OUTPUT, START_OUTPUT};
use transformer::weights::Weights;

use crate::checkpoint;
use crate::engine::{Engine, Objective, Plan, StepOptions, StepReport, TrainedModel};
use crate::loss::{PassageSpans, reader_loss};
use crate::network::Gradients;
use crate::network::heads::ReaderLogits;
use crate::parameters::{Parameters, Shape};
use crate::{Backend, Error};

/// A passage of a question, with the question before it.
#[derive(Debug, Clone)]
pub struct ReaderPassage<'a> {
    /// `[CLS] question [SEP] title [SEP] text [SEP]`
    pub text: Text<'a>,
    /// The tokens of the passage's text, which can be the start or the end of an answer.
    pub text_tokens: std::ops::Range<usize>,
    /// The first and the last token of each correct span.
    pub spans: Vec<(usize, usize)>,
}

/// A batch: the passages of each question. The first one is the positive passage.
pub type ReaderBatch<'a> = [Vec<ReaderPassage<'a>>];

/// Trains a reader.
#[derive(Debug)]
pub struct ReaderTrainer {
    engine: Engine,
}

impl ReaderTrainer {
    /// Starts from the weights of a reader, or of another model. Heads that the model lacks start from small random
    /// numbers: uniform, with 0.02 as standard deviation, which is that of BERT's initialization.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model cannot be trained; [`Error::Option`] if an option is invalid.
    pub fn new(weights: &Weights, options: StepOptions) -> Result<Self, Error> {
        let shape = Shape { is_reader: true, ..Shape::of(weights)? };
        let mut parameters = Parameters::of(weights, &shape)?;
        let mut model = TrainedModel::new(shape, Parameters::zeros(&shape), options.adam);
        let has = |name| weights.outputs.iter().any(|output| output.name == name);
        let layout = model.network.layout();
        let heads = [
            (&layout.spans.weight, has(START_OUTPUT) && has(END_OUTPUT)),
            (&layout.relevance.weight, has(RELEVANCE_OUTPUT)),
        ];
        let mut random = numerics::SplitMix64::new(options.seed);
        for (range, _) in heads.into_iter().filter(|(_, is_given)| !is_given) {
            let values = parameters.others[range.clone()].iter_mut();
            // A uniform number in [−1, 1) has the standard deviation 1 / √3.
            values.for_each(|value| *value = 0.02 * 3f32.sqrt() * random.uniform());
        }
        model.parameters = parameters;
        Ok(Self { engine: Engine::new(vec![model], options)? })
    }

    /// Sets the backend, which computes the products of the linear layers inside the network's layers. The default is
    /// [`Cpu`](crate::Cpu), or [`Bf16Cpu`](crate::Bf16Cpu) with the option `bf16`.
    pub fn set_backend(&mut self, backend: Arc<dyn Backend>) {
        self.engine.set_backend(&backend);
    }

    /// Maximum number of tokens of a text.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.engine.models[0].network.shape().max_tokens()
    }

    /// Number of steps that have been made.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.engine.step
    }

    /// Makes a step with a batch. The loss is the mean of [`reader_loss`] over the questions. Returns the report of the
    /// step, and the number of questions whose positive passage was more relevant than all others.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if a question has no passage, a text cannot be run, or a span is not within the text tokens;
    /// [`Error::NotFinite`]; [`Error::Canceled`]. After an error, the parameters are those before the step.
    pub fn step(&mut self, batch: &ReaderBatch<'_>, control: &Control) -> Result<(StepReport, usize), Error> {
        let (texts, plan) = self.plan(batch)?;
        let mut objective = ReaderObjective { batch, correct: 0 };
        let report = self.engine.step(&plan, &texts, control, &mut objective)?;
        Ok((report, objective.correct))
    }

    /// Does the same as [`EncoderTrainer::gradients`](crate::EncoderTrainer::gradients).
    ///
    /// # Errors
    ///
    /// Same as [`step`](Self::step).
    pub fn gradients(&mut self, batch: &ReaderBatch<'_>, control: &Control) -> Result<(f32, Weights), Error> {
        let (texts, plan) = self.plan(batch)?;
        let mut objective = ReaderObjective { batch, correct: 0 };
        let (loss, _) = self.engine.differentiate(&plan, &texts, control, &mut objective)?;
        let shape = self.engine.models[0].network.shape();
        Ok((loss, self.engine.gradients()[0].values().to_weights(shape)))
    }

    fn plan<'a>(&self, batch: &ReaderBatch<'a>) -> Result<(Vec<Text<'a>>, Plan), Error> {
        check(batch)?;
        let texts: Vec<Text<'_>> = batch.iter().flatten().map(|passage| passage.text).collect();
        let plan = Plan::new(&texts, &[(0, 0..texts.len())]);
        Ok((texts, plan))
    }

    /// Computes the logits of texts, without dropout.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if a text cannot be run; [`Error::NotFinite`] if a logit is not finite; [`Error::Canceled`].
    pub fn read(&mut self, texts: &[Text<'_>], control: &Control) -> Result<ReaderLogits, Error> {
        let plan = Plan::new(texts, &[(0, 0..texts.len())]);
        let logits = concatenate(&self.engine.run(&plan, texts, control, logits)?);
        if let Some(&got) = logits.spans.iter().chain(&logits.relevance).find(|logit| !logit.is_finite()) {
            return Err(Error::NotFinite { step: self.step_count(), what: "logit", got });
        }
        Ok(logits)
    }

    /// Returns the weights of the reader.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if a parameter is not finite.
    pub fn weights(&self) -> Result<Weights, Error> {
        self.engine.weights(0)
    }

    /// Does the same as [`EncoderTrainer::save`](crate::EncoderTrainer::save).
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn save(&self, path: &Path, progress: &str) -> Result<(), Error> {
        checkpoint::save(&self.engine, path, progress)
    }

    /// Does the same as [`EncoderTrainer::load`](crate::EncoderTrainer::load).
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] or [`Error::Checkpoint`]
    pub fn load(&mut self, path: &Path) -> Result<String, Error> {
        checkpoint::load(&mut self.engine, path)
    }
}

fn logits(model: &TrainedModel, texts: &[Text<'_>], hidden: &[f32]) -> ReaderLogits {
    ReaderLogits::forward(model.network.layout(), &model.parameters.others, texts, hidden)
}

fn concatenate(outputs: &[ReaderLogits]) -> ReaderLogits {
    ReaderLogits {
        spans: outputs.iter().flat_map(|output| &output.spans).copied().collect(),
        relevance: outputs.iter().flat_map(|output| &output.relevance).copied().collect(),
    }
}

/// Checks a batch, except for the ids of tokens.
fn check(batch: &ReaderBatch<'_>) -> Result<(), Error> {
    let fail = |what: String, expected: &str, got: String| {
        Err(Error::Batch { what, expected: expected.to_owned(), got })
    };
    if batch.is_empty() {
        return fail("batch".to_owned(), "at least 1 question", "none".to_owned());
    }
    for (question, passages) in batch.iter().enumerate() {
        if passages.is_empty() {
            return fail(format!("question {question}"), "at least 1 passage", "none".to_owned());
        }
        for passage in passages {
            let (range, tokens) = (&passage.text_tokens, passage.text.ids.len());
            if range.end > tokens || range.start > range.end {
                let got = format!("{} to {}", range.start, range.end);
                return fail(format!("question {question}"), "text tokens within the input", got);
            }
            let is_within = |&&(start, end): &&(usize, usize)| {
                start <= end && range.contains(&start) && range.contains(&end)
            };
            if let Some((start, end)) = passage.spans.iter().find(|span| !is_within(span)) {
                let got = format!("{start} to {end}");
                return fail(format!("question {question}"), "spans within the text tokens", got);
            }
        }
    }
    Ok(())
}

/// The loss of a batch of questions with their passages.
struct ReaderObjective<'a, 'b> {
    batch: &'a ReaderBatch<'b>,
    /// Number of questions whose positive passage is more relevant than all others.
    correct: usize,
}

impl Objective for ReaderObjective<'_, '_> {
    type Output = ReaderLogits;

    fn output(&self, model: &TrainedModel, texts: &[Text<'_>], hidden: &[f32]) -> ReaderLogits {
        logits(model, texts, hidden)
    }

    fn loss(&mut self, outputs: &mut [ReaderLogits]) -> f32 {
        self.correct = count_correct(self.batch, outputs);
        gradients(self.batch, outputs)
    }

    fn backward(
        &self,
        model: &TrainedModel,
        texts: &[Text<'_>],
        logits: &ReaderLogits,
        hidden: &mut Vec<f32>,
        gradients: &mut Gradients,
    ) {
        let (layout, parameters) = (model.network.layout(), &model.parameters.others);
        logits.backward(layout, parameters, texts, hidden, gradients.others_mut());
    }
}

/// Number of questions whose first passage has a higher relevance logit than all others.
fn count_correct(batch: &ReaderBatch<'_>, outputs: &[ReaderLogits]) -> usize {
    let mut relevance = outputs.iter().flat_map(|output| &output.relevance).copied();
    let is_correct = |passages: &&Vec<ReaderPassage<'_>>| {
        let first = relevance.next();
        // Not `all`, which would stop at the first passage that is more relevant.
        let better =
            relevance.by_ref().take(passages.len() - 1).filter(|other| first <= Some(*other)).count();
        better == 0
    };
    batch.iter().filter(is_correct).count()
}

/// Computes the loss, and replaces the logits of all groups by their gradients.
fn gradients(batch: &ReaderBatch<'_>, outputs: &mut [ReaderLogits]) -> f32 {
    let mut all = concatenate(outputs);
    let weight = 1.0 / batch.len() as f32;
    let (mut spans, mut relevance) = (all.spans.as_mut_slice(), all.relevance.as_mut_slice());
    let mut loss = 0.0;
    for passages in batch {
        let question_spans: Vec<PassageSpans> = passages
            .iter()
            .map(|passage| PassageSpans {
                tokens: passage.text.ids.len(),
                text_tokens: passage.text_tokens.clone(),
                spans: passage.spans.clone(),
            })
            .collect();
        let tokens: usize = question_spans.iter().map(|passage| passage.tokens).sum();
        let (these_spans, later_spans) = spans.split_at_mut(2 * tokens);
        let (these, later) = relevance.split_at_mut(passages.len());
        loss += reader_loss(&question_spans, these_spans, these, weight);
        (spans, relevance) = (later_spans, later);
    }
    let (mut spans, mut relevance) = (all.spans.as_slice(), all.relevance.as_slice());
    for output in outputs {
        let (group_spans, after) = spans.split_at(output.spans.len());
        output.spans.copy_from_slice(group_spans);
        spans = after;
        let (group_relevance, after) = relevance.split_at(output.relevance.len());
        output.relevance.copy_from_slice(group_relevance);
        relevance = after;
    }
    loss
}
