//! [`EncoderTraining`]: an encoder that is trained from texts.

use std::path::Path;

use control::Control;
use inference::{EncoderConfig, EncoderInput, MIN_MAX_TOKENS, PassageForm, Pooling, TokenTypes};
use serde_json::json;
use tokenize::{ModelInput, Tokenizer};
use training::loss::Candidates;
use training::{EncoderBatch, EncoderOptions, EncoderTrainer, QuestionBatch, Side};
use transformer::Text;

use super::folder::{ModelFolder, Precision};
use super::{TrainingStep, gold_ranks};
use crate::Error;

/// How an encoder is trained and used.
#[derive(Debug, Clone, PartialEq)]
pub struct EncoderTrainingOptions {
    /// How texts become inputs of the model, and hidden states vectors.
    pub config: EncoderConfig,
    /// The loss and the steps. Pooling and normalization are those of `config`.
    pub training: EncoderOptions,
    /// The name of the similarity, which is written to the model's settings.
    pub similarity: String,
    /// If only the question encoder is trained: identifies the passage encoder. Written to the model's
    /// settings.
    pub passage_encoder: Option<String>,
}

/// Questions and passages of a step.
#[derive(Debug, Clone, Default)]
pub struct TrainingBatch<'a> {
    /// The questions.
    pub questions: Vec<&'a str>,
    /// The passages of all questions.
    pub passages: Vec<EncoderInput<'a>>,
    /// The positive passage of each question.
    pub positives: Vec<u32>,
    /// The passages that each question is compared with. `None` stands for all.
    pub candidates: Option<Vec<Vec<u32>>>,
    /// Questions, and passages that they are not compared with.
    pub excluded: Vec<(u32, u32)>,
}

/// An encoder that is trained from texts.
#[derive(Debug)]
pub struct EncoderTraining {
    trainer: EncoderTrainer,
    tokenizer: Tokenizer,
    folder: ModelFolder,
    options: EncoderTrainingOptions,
}

impl EncoderTraining {
    /// Starts from the model in a folder: `model.safetensors` with `config.json`, or else `model.onnx`; and
    /// `tokenizer.json`. If `has_passage_model`, passages have a model of their own, which starts from the same
    /// weights.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, the model has another architecture, or an option is invalid.
    pub fn open(
        folder: &Path,
        has_passage_model: bool,
        mut options: EncoderTrainingOptions,
    ) -> Result<Self, Error> {
        let (folder, weights) = ModelFolder::read(folder)?;
        let tokenizer = Tokenizer::open(&folder.tokenizer())?;
        options.training.normalizes = options.config.normalize;
        options.training.pooling = match options.config.pooling {
            Pooling::Cls => training::Pooling::FirstToken,
            Pooling::Mean => training::Pooling::Mean,
            Pooling::Output(_) => {
                return Err(argument("pooling: expected cls or mean, got an output of the model"));
            }
        };
        let passage_weights = has_passage_model.then_some(&weights);
        let trainer = EncoderTrainer::new(&weights, passage_weights, options.training)?;
        let max_tokens = options.config.max_tokens;
        if !(MIN_MAX_TOKENS..=trainer.max_tokens()).contains(&max_tokens) {
            let max = trainer.max_tokens();
            let message = format!("maxTokens: expected {MIN_MAX_TOKENS} to {max}, got {max_tokens}");
            return Err(argument(message));
        }
        Ok(Self { trainer, tokenizer, folder, options })
    }

    /// Number of steps that have been made.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.trainer.step_count()
    }

    /// Dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.trainer.dim()
    }

    /// Makes a step. A question is correct if its positive passage was more similar than all other candidates.
    ///
    /// # Errors
    ///
    /// If a text cannot be tokenized, positions of passages are invalid, the loss is not finite, or the work is
    /// canceled. The parameters are then those before the step.
    pub fn step(&mut self, batch: &TrainingBatch<'_>, control: &Control) -> Result<TrainingStep, Error> {
        let (questions, truncated_questions) = self.inputs(&as_inputs(&batch.questions), control)?;
        let (passages, truncated_passages) = self.inputs(&batch.passages, control)?;
        let candidates = candidates(batch)?;
        let batch = EncoderBatch { questions: texts(&questions), passages: texts(&passages), candidates };
        let (report, correct) = self.trainer.step(&batch, control)?;
        let truncated = truncated_questions + truncated_passages;
        Ok(TrainingStep { report, correct, texts: questions.len() + passages.len(), truncated })
    }

    /// Makes a step that changes only the question encoder: [`EncoderTrainer::step_questions`]. `passages` are the
    /// vectors of passages, `[passages, dim]`, and `positives` has the positive ones of each question. A question
    /// is correct if one of its positive passages was more similar than every passage that is not positive.
    ///
    /// # Errors
    ///
    /// If a question cannot be tokenized, positions of passages are invalid, the loss is not finite, or the work is
    /// canceled. The parameters are then those before the step.
    pub fn step_questions(
        &mut self,
        questions: &[&str],
        passages: &[f32],
        positives: &[Vec<u32>],
        control: &Control,
    ) -> Result<TrainingStep, Error> {
        let (questions, truncated) = self.inputs(&as_inputs(questions), control)?;
        let batch = QuestionBatch { questions: texts(&questions), passages, positives };
        let (report, correct) = self.trainer.step_questions(&batch, control)?;
        Ok(TrainingStep { report, correct, texts: questions.len(), truncated })
    }

    /// Returns the ranks of gold passages among all passages: [`gold_ranks`]. Progress counts texts.
    ///
    /// # Errors
    ///
    /// If a text cannot be tokenized, a position of a passage is invalid, or the work is canceled.
    pub fn ranks(
        &mut self,
        questions: &[&str],
        passages: &[EncoderInput<'_>],
        gold: &[u32],
        ignored: &[Vec<u32>],
        control: &Control,
    ) -> Result<Vec<u32>, Error> {
        let count = passages.len() as u32;
        for (what, got) in [("gold", gold.len()), ("ignored", ignored.len())] {
            if got != questions.len() {
                let expected = questions.len();
                return Err(argument(format!(
                    "{what}: expected one entry per question, {expected}, got {got}"
                )));
            }
        }
        if let Some(passage) = gold.iter().chain(ignored.iter().flatten()).find(|passage| **passage >= count)
        {
            return Err(argument(format!("gold: expected passages below {count}, got {passage}")));
        }
        control.set_total((questions.len() + passages.len()) as u64);
        let q = self.encode(Side::Question, &as_inputs(questions), control)?;
        let p = self.encode(Side::Passage, passages, control)?;
        let euclidean = self.options.training.similarity == training::loss::Similarity::Euclidean;
        let (dim, threads) = (self.dim(), self.options.training.step.threads);
        let ranks = threads::install(threads, || gold_ranks(&q, &p, dim, euclidean, gold, ignored, control));
        Ok(ranks.map_err(training::Error::from)??)
    }

    /// Returns the vectors of texts, `[texts, dim]`. Advances the progress by the number of texts.
    ///
    /// # Errors
    ///
    /// If a text cannot be tokenized, a vector is not finite, or the work is canceled.
    pub fn encode(
        &mut self,
        side: Side,
        inputs: &[EncoderInput<'_>],
        control: &Control,
    ) -> Result<Vec<f32>, Error> {
        /// Number of texts that are encoded between two reports of progress.
        const TEXTS: usize = 256;
        let mut vectors = Vec::with_capacity(inputs.len() * self.dim());
        for inputs in inputs.chunks(TEXTS) {
            let (prepared, _) = self.inputs(inputs, control)?;
            vectors.extend(self.trainer.encode(side, &texts(&prepared), control)?);
            if let Some(&got) = vectors.iter().find(|value| !value.is_finite()) {
                let step = self.step_count();
                return Err(training::Error::NotFinite { step, what: "vector", got }.into());
            }
            control.advance(inputs.len() as u64);
        }
        Ok(vectors)
    }

    /// Writes the encoder of a side to a folder, which [`Encoder`](inference::Encoder) and Hugging Face's
    /// `transformers` read.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or if weights are not finite.
    pub fn write(&self, side: Side, folder: &Path, precision: Precision) -> Result<(), Error> {
        let EncoderConfig { pooling, normalize, max_tokens, passage_form, token_types } =
            &self.options.config;
        let mut settings = json!({
            "pooling": if *pooling == Pooling::Mean { "mean" } else { "cls" },
            "normalize": normalize,
            "similarity": self.options.similarity,
            "max_tokens": max_tokens,
            "passage_form": if *passage_form == PassageForm::Pair { "pair" } else { "joined" },
            "token_types": if *token_types == TokenTypes::Segments { "segments" } else { "zeros" },
        });
        if let Some(identity) = &self.options.passage_encoder {
            settings["passage_encoder"] = json!(identity);
        }
        self.folder.write(folder, &self.trainer.weights(side)?, settings, precision)
    }

    /// Writes a checkpoint: [`EncoderTrainer::save`].
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, path: &Path, progress: &str) -> Result<(), Error> {
        Ok(self.trainer.save(path, progress)?)
    }

    /// Restores a checkpoint and returns its progress: [`EncoderTrainer::load`].
    ///
    /// # Errors
    ///
    /// If the file is damaged, or is the checkpoint of another model.
    pub fn load(&mut self, path: &Path) -> Result<String, Error> {
        Ok(self.trainer.load(path)?)
    }

    /// Tokenizes texts. Also returns the number of texts that were truncated.
    fn inputs(
        &self,
        texts: &[EncoderInput<'_>],
        control: &Control,
    ) -> Result<(Vec<ModelInput>, usize), Error> {
        let (mut inputs, mut truncated) = (Vec::with_capacity(texts.len()), 0);
        for text in texts {
            control.check()?;
            let (input, is_truncated) = self.options.config.truncated_input(&self.tokenizer, *text)?;
            inputs.push(input);
            truncated += usize::from(is_truncated);
        }
        Ok((inputs, truncated))
    }
}

fn as_inputs<'a>(questions: &[&'a str]) -> Vec<EncoderInput<'a>> {
    questions.iter().map(|text| EncoderInput::text(text)).collect()
}

fn texts(inputs: &[ModelInput]) -> Vec<Text<'_>> {
    inputs.iter().map(|input| Text { ids: &input.ids, type_0_count: input.type_0_count }).collect()
}

/// Checks the positions of passages.
fn candidates(batch: &TrainingBatch<'_>) -> Result<Candidates, Error> {
    let (questions, passages) = (batch.questions.len(), batch.passages.len());
    let lists = batch.candidates.as_ref().map_or(questions, Vec::len);
    for (what, got) in [("positives", batch.positives.len()), ("candidates", lists)] {
        if got != questions {
            return Err(argument(format!("{what}: expected one entry per question, {questions}, got {got}")));
        }
    }
    let all = batch.positives.iter().chain(batch.candidates.iter().flatten().flatten());
    let mut all = all.chain(batch.excluded.iter().map(|(_, passage)| passage));
    if let Some(passage) = all.find(|passage| **passage as usize >= passages) {
        return Err(argument(format!("batch: expected passages below {passages}, got {passage}")));
    }
    if let Some((question, _)) = batch.excluded.iter().find(|(question, _)| *question as usize >= questions) {
        return Err(argument(format!("batch: expected questions below {questions}, got {question}")));
    }
    let mut candidates = match &batch.candidates {
        Some(lists) => Candidates::some(passages, &batch.positives, lists),
        None => Candidates::all(passages, &batch.positives),
    };
    for &(question, passage) in &batch.excluded {
        candidates.exclude(question as usize, passage as usize);
    }
    Ok(candidates)
}

fn argument(message: impl Into<String>) -> Error {
    Error::Argument { message: message.into() }
}
