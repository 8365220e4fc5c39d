//! [`EncoderTrainer`]: training of a dual encoder (Karpukhin et al., 2020, §3).

use std::path::Path;
use std::sync::Arc;

use control::Control;
use transformer::Text;
use transformer::weights::Weights;

use crate::checkpoint;
use crate::engine::{Engine, Objective, Plan, StepOptions, StepReport, TrainedModel};
use crate::loss::{Candidates, Similarity, l2_normalize, l2_normalize_backward, nll_loss, triplet_loss};
use crate::network::Gradients;
use crate::network::heads::Pooling;
use crate::parameters::{Parameters, Shape};
use crate::{Backend, Error};

/// The two sides of a dual encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Encodes questions.
    Question,
    /// Encodes passages.
    Passage,
}

/// The loss function of an encoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// The negative log likelihood of the positive passage: [`nll_loss`].
    NegativeLogLikelihood,
    /// The [`triplet_loss`].
    Triplet {
        /// By how much the similarity of a positive passage should exceed that of a negative one.
        margin: f32,
    },
}

/// The options of an [`EncoderTrainer`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EncoderOptions {
    /// How vectors are made from hidden states.
    pub pooling: Pooling,
    /// Whether vectors are divided by their norms. The inner product then is the cosine.
    pub normalizes: bool,
    /// How vectors are compared.
    pub similarity: Similarity,
    /// The factor of similarities in the loss: 1 / temperature.
    pub scale: f32,
    /// The loss function.
    pub loss: Loss,
    /// The options of the steps.
    pub step: StepOptions,
}

/// A batch of questions and passages.
#[derive(Debug, Clone)]
pub struct EncoderBatch<'a> {
    /// The questions.
    pub questions: Vec<Text<'a>>,
    /// The passages: the positive one of each question, and the negative ones of all.
    pub passages: Vec<Text<'a>>,
    /// Which passages each question is compared with.
    pub candidates: Candidates,
}

/// Trains a dual encoder, whose two sides share their parameters or have their own.
#[derive(Debug)]
pub struct EncoderTrainer {
    pub(crate) engine: Engine,
    pub(crate) options: EncoderOptions,
}

impl EncoderTrainer {
    /// Starts from the weights of an encoder. With `passage`, passages have parameters of their own, which start from
    /// these weights.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if a model cannot be trained, or if the vectors of both have different dimensions;
    /// [`Error::Option`] if an option is invalid.
    pub fn new(
        question: &Weights,
        passage: Option<&Weights>,
        options: EncoderOptions,
    ) -> Result<Self, Error> {
        if !(options.scale > 0.0 && options.scale.is_finite()) {
            let (option, expected) = ("scale", "a finite number above 0");
            return Err(Error::Option { option, expected, got: options.scale.to_string() });
        }
        let model = |weights: &Weights| -> Result<TrainedModel, Error> {
            let shape = Shape { is_reader: false, ..Shape::of(weights)? };
            Ok(TrainedModel::new(shape, Parameters::of(weights, &shape)?, options.step.adam))
        };
        let models = [Some(question), passage].into_iter().flatten().map(model);
        let models = models.collect::<Result<Vec<_>, _>>()?;
        let dim = models[0].network.shape().dim;
        if let Some(other) = models.iter().map(|model| model.network.shape().dim).find(|other| *other != dim)
        {
            let expected = format!("vectors of {dim} values, as of questions");
            return Err(Error::Model { what: "the passage encoder", expected, got: other.to_string() });
        }
        Ok(Self { engine: Engine::new(models, options.step)?, options })
    }

    /// Sets the backend, which computes the products of the linear layers inside the network's layers. The default is
    /// [`Cpu`](crate::Cpu), or [`Bf16Cpu`](crate::Bf16Cpu) with the option `bf16`.
    pub fn set_backend(&mut self, backend: Arc<dyn Backend>) {
        self.engine.set_backend(&backend);
    }

    /// Dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.engine.models[0].network.shape().dim
    }

    /// Whether both sides share their parameters.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.engine.models.len() == 1
    }

    /// Maximum number of tokens of a text.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        let max_tokens = self.engine.models.iter().map(|model| model.network.shape().max_tokens());
        max_tokens.min().unwrap_or(0)
    }

    /// Number of steps that have been made.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.engine.step
    }

    fn model(&self, side: Side) -> usize {
        if self.is_shared() || side == Side::Question { 0 } else { 1 }
    }

    /// Makes a step with a batch. Returns the report of the step, and the number of questions for which the positive
    /// passage was more similar than all other candidates.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if a text cannot be encoded, or if the numbers of texts and candidates differ;
    /// [`Error::NotFinite`]; [`Error::Canceled`]. After an error, the parameters are those before the step.
    pub fn step(
        &mut self,
        batch: &EncoderBatch<'_>,
        control: &Control,
    ) -> Result<(StepReport, usize), Error> {
        let (texts, plan) = self.plan(batch)?;
        let mut objective = self.objective(batch);
        let report = self.engine.step(&plan, &texts, control, &mut objective)?;
        Ok((report, objective.correct))
    }

    /// Computes the loss of a batch, and the gradients of all parameters in the next step, in the form of the weights
    /// of each encoder: first that of questions, then that of passages if it has its own. Makes no optimizer step.
    ///
    /// # Errors
    ///
    /// Same as [`step`](Self::step).
    pub fn gradients(
        &mut self,
        batch: &EncoderBatch<'_>,
        control: &Control,
    ) -> Result<(f32, Vec<Weights>), Error> {
        let (texts, plan) = self.plan(batch)?;
        let mut objective = self.objective(batch);
        let (loss, _) = self.engine.differentiate(&plan, &texts, control, &mut objective)?;
        let models = self.engine.models.iter().zip(self.engine.gradients());
        let weights = models.map(|(model, gradients)| gradients.values().to_weights(model.network.shape()));
        Ok((loss, weights.collect()))
    }

    fn plan<'a>(&self, batch: &EncoderBatch<'a>) -> Result<(Vec<Text<'a>>, Plan), Error> {
        let EncoderBatch { questions, passages, candidates } = batch;
        let expected = (candidates.questions(), candidates.passages());
        let got = (questions.len(), passages.len());
        if got != expected || questions.is_empty() {
            let describe = |(questions, passages)| format!("{questions} questions and {passages} passages");
            let expected =
                if expected.0 == 0 { "at least 1 question".to_owned() } else { describe(expected) };
            return Err(Error::Batch { what: "batch".to_owned(), expected, got: describe(got) });
        }
        let texts: Vec<Text<'_>> = questions.iter().chain(passages).copied().collect();
        let count = questions.len();
        let parts = [(0, 0..count), (self.model(Side::Passage), count..texts.len())];
        let plan = Plan::new(&texts, &parts);
        Ok((texts, plan))
    }

    fn objective<'a>(
        &self,
        batch: &'a EncoderBatch<'_>,
    ) -> VectorObjective<impl FnMut(&[f32]) -> Compared + Sync + use<'a>> {
        let (options, dim, candidates) = (self.options, self.dim(), &batch.candidates);
        let compare = move |vectors: &[f32]| compare(options, candidates, dim, vectors);
        VectorObjective { options, dim, compare, correct: 0 }
    }

    /// Returns the vectors of texts, `[texts, dim]`, without dropout.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if a text cannot be encoded; [`Error::Canceled`].
    pub fn encode(&mut self, side: Side, texts: &[Text<'_>], control: &Control) -> Result<Vec<f32>, Error> {
        let plan = Plan::new(texts, &[(self.model(side), 0..texts.len())]);
        let (pooling, dim) = (self.options.pooling, self.dim());
        let vectors = self
            .engine
            .run(&plan, texts, control, |model, texts, hidden| pool(pooling, model, texts, hidden))?;
        let mut vectors = vectors.concat();
        if self.options.normalizes {
            l2_normalize(&mut vectors, dim);
        }
        Ok(vectors)
    }

    /// Returns the weights of a side. Those of sides that share their parameters are equal.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if a parameter is not finite.
    pub fn weights(&self, side: Side) -> Result<Weights, Error> {
        self.engine.weights(self.model(side))
    }

    /// Writes the parameters and the state of the optimizer to a file, so that training can resume from there.
    /// `progress` is stored with them.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn save(&self, path: &Path, progress: &str) -> Result<(), Error> {
        checkpoint::save(&self.engine, path, progress)
    }

    /// Restores what [`save`](Self::save) wrote, and returns the stored progress. With the same batches, the next steps
    /// give bit-identical results, as if training had not stopped.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file is damaged; [`Error::Checkpoint`] if it is of a model with another shape. The
    /// parameters are then unchanged.
    pub fn load(&mut self, path: &Path) -> Result<String, Error> {
        checkpoint::load(&mut self.engine, path)
    }
}

/// Computes the vectors of texts from their hidden states.
fn pool(pooling: Pooling, model: &TrainedModel, texts: &[Text<'_>], hidden: &[f32]) -> Vec<f32> {
    let mut vectors = Vec::new();
    pooling.forward(texts, model.network.shape().dim, hidden, &mut vectors);
    vectors
}

/// Replaces the vectors of all groups by their gradients.
fn replace(outputs: &mut [Vec<f32>], mut gradients: &[f32]) {
    for output in outputs {
        let (of_group, rest) = gradients.split_at(output.len());
        output.copy_from_slice(of_group);
        gradients = rest;
    }
}

/// What comparing the vectors of a batch gives.
pub(crate) struct Compared {
    pub loss: f32,
    /// The gradients of the vectors.
    pub gradients: Vec<f32>,
    /// Number of questions for which a positive passage is the most similar one.
    pub correct: usize,
}

/// A loss that compares the vectors of texts.
pub(crate) struct VectorObjective<F> {
    pub options: EncoderOptions,
    pub dim: usize,
    pub compare: F,
    /// The number of questions that `compare` found to be correct.
    pub correct: usize,
}

impl<F: FnMut(&[f32]) -> Compared + Sync> Objective for VectorObjective<F> {
    /// The vectors of the texts.
    type Output = Vec<f32>;

    fn output(&self, model: &TrainedModel, texts: &[Text<'_>], hidden: &[f32]) -> Vec<f32> {
        pool(self.options.pooling, model, texts, hidden)
    }

    fn loss(&mut self, outputs: &mut [Vec<f32>]) -> f32 {
        let (normalizes, dim) = (self.options.normalizes, self.dim);
        let mut vectors = outputs.concat();
        let norms = if normalizes { l2_normalize(&mut vectors, dim) } else { Vec::new() };
        let Compared { loss, mut gradients, correct } = (self.compare)(&vectors);
        if normalizes {
            l2_normalize_backward(&vectors, &norms, &mut gradients, dim);
        }
        self.correct = correct;
        replace(outputs, &gradients);
        loss
    }

    fn backward(
        &self,
        _: &TrainedModel,
        texts: &[Text<'_>],
        vectors: &Vec<f32>,
        hidden: &mut Vec<f32>,
        _: &mut Gradients,
    ) {
        self.options.pooling.backward(texts, self.dim, vectors, hidden);
    }
}

/// Compares the vectors of questions with those of their candidates, which follow them.
fn compare(
    EncoderOptions { similarity, scale, loss, .. }: EncoderOptions,
    candidates: &Candidates,
    dim: usize,
    vectors: &[f32],
) -> Compared {
    let (questions, passages) = vectors.split_at(candidates.questions() * dim);
    let similarities = similarity.forward(questions, passages, dim, scale);
    let correct = candidates.count_correct(&similarities);
    let mut similarity_gradients = similarities.clone();
    let loss = match loss {
        Loss::NegativeLogLikelihood => nll_loss(candidates, &mut similarity_gradients),
        Loss::Triplet { margin } => triplet_loss(candidates, margin, &mut similarity_gradients),
    };
    let (mut gradients, passage_gradients) =
        similarity.backward(questions, passages, dim, scale, &similarities, &similarity_gradients);
    gradients.extend(passage_gradients);
    Compared { loss, gradients, correct }
}
