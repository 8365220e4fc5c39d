//! [`ReaderTraining`]: a reader that is trained from texts.

use std::path::Path;

use control::Control;
use inference::{ReaderConfig, Window};
use reading::{PassageReading, ReadOptions, Relevance};
use serde_json::json;
use training::{ReaderLogits, ReaderTrainer, StepOptions};
use transformer::Text;

use super::TrainingStep;
use super::folder::{ModelFolder, Precision};
use super::window_labeler::{QuestionPassages, TrainingWindow, WindowLabeler, as_text};
use crate::Error;

/// How a reader is trained and used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReaderTrainingOptions {
    /// How questions and passages become inputs of the model.
    pub config: ReaderConfig,
    /// The options of the steps.
    pub step: StepOptions,
}

/// A reader that is trained from texts.
#[derive(Debug)]
pub struct ReaderTraining {
    trainer: ReaderTrainer,
    labeler: WindowLabeler,
    folder: ModelFolder,
    config: ReaderConfig,
}

impl ReaderTraining {
    /// Starts from the model in a folder: `model.safetensors` with `config.json`, or else `model.onnx`; and
    /// `tokenizer.json`. Heads that the model lacks start from small random numbers.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, the model has another architecture, or an option is invalid.
    pub fn open(path: &Path, options: &ReaderTrainingOptions) -> Result<Self, Error> {
        let ReaderTrainingOptions { config, step } = *options;
        let labeler = WindowLabeler::open(path, config)?;
        let (folder, weights) = ModelFolder::read(path)?;
        let trainer = ReaderTrainer::new(&weights, step)?;
        let max = trainer.max_tokens();
        if config.max_tokens > max {
            let message = format!("maxTokens: expected at most {max}, got {}", config.max_tokens);
            return Err(Error::Argument { message });
        }
        Ok(Self { trainer, labeler, folder, config })
    }

    /// Number of steps that have been made.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.trainer.step_count()
    }

    /// Makes a step. A question is correct if its positive passage was more relevant than all others. If a passage has
    /// several windows, one of them is used: for the positive passage, the first that contains a whole answer; for a
    /// negative, the first.
    ///
    /// # Errors
    ///
    /// If a text cannot be tokenized, a positive passage contains no answer, the loss is not finite, or the work is
    /// canceled. The parameters are then those before the step.
    pub fn step(&mut self, batch: &[QuestionPassages<'_>], control: &Control) -> Result<TrainingStep, Error> {
        let (mut windows, mut truncated) = (Vec::with_capacity(batch.len()), 0);
        for question in batch {
            control.check()?;
            let (question_windows, is_truncated) = self.labeler.training_windows(question)?;
            windows.push(question_windows);
            truncated += usize::from(is_truncated);
        }
        let batch: Vec<Vec<training::ReaderPassage<'_>>> =
            windows.iter().map(|windows| windows.iter().map(TrainingWindow::as_passage).collect()).collect();
        let (report, correct) = self.trainer.step(&batch, control)?;
        Ok(TrainingStep { report, correct, texts: batch.len(), truncated })
    }

    /// Returns the best answer to each question from its passages; `None` if there is no passage, or only empty ones.
    /// Progress counts questions.
    ///
    /// # Errors
    ///
    /// If a text cannot be tokenized, an option is invalid, or the work is canceled.
    pub fn answer(
        &mut self,
        questions: &[QuestionPassages<'_>],
        options: &ReadOptions,
        control: &Control,
    ) -> Result<Vec<Option<String>>, Error> {
        /// Minimum number of windows that the model runs at once, except for the last ones.
        const MIN_WINDOWS: usize = 256;
        control.set_total(questions.len() as u64);
        let mut answers = Vec::with_capacity(questions.len());
        while answers.len() < questions.len() {
            let rest = &questions[answers.len()..];
            let (mut windows, mut ends) = (Vec::new(), Vec::new());
            while windows.len() < MIN_WINDOWS && ends.len() < rest.len() {
                control.check()?;
                windows.extend(self.labeler.windows(&rest[ends.len()])?);
                ends.push(windows.len());
            }
            let texts: Vec<Text<'_>> = windows.iter().map(|window| as_text(&window.input)).collect();
            let logits = logits_of(&windows, &self.trainer.read(&texts, control)?);
            let mut start = 0;
            for (question, end) in rest.iter().zip(ends) {
                let question_windows = windows[start..end].iter().zip(&logits[start..end]);
                answers.push(best_answer(question, question_windows, options)?);
                control.advance(1);
                start = end;
            }
        }
        Ok(answers)
    }

    /// Writes the reader to a folder, which [`ReaderModel`](inference::ReaderModel) reads.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or if weights are not finite.
    pub fn write(&self, folder: &Path, precision: Precision) -> Result<(), Error> {
        let ReaderConfig { max_tokens, max_question_tokens, .. } = self.config;
        let settings = json!({ "max_tokens": max_tokens, "max_question_tokens": max_question_tokens });
        self.folder.write(folder, &self.trainer.weights()?, settings, precision)
    }

    /// Writes a checkpoint: [`ReaderTrainer::save`].
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, path: &Path, progress: &str) -> Result<(), Error> {
        Ok(self.trainer.save(path, progress)?)
    }

    /// Restores a checkpoint and returns its progress: [`ReaderTrainer::load`].
    ///
    /// # Errors
    ///
    /// If the file is damaged, or is the checkpoint of another model.
    pub fn load(&mut self, path: &Path) -> Result<String, Error> {
        Ok(self.trainer.load(path)?)
    }
}

/// The logits of the text tokens of a window.
struct WindowLogits {
    relevance: f32,
    start: Vec<f32>,
    end: Vec<f32>,
}

/// Splits logits by windows.
fn logits_of(windows: &[Window], logits: &ReaderLogits) -> Vec<WindowLogits> {
    let mut first = 0;
    let window_logits = |(window, relevance): (&Window, &f32)| {
        let text = first + window.text_start..first + window.text_start + window.offsets.len();
        first += window.input.ids.len();
        let column = |column| text.clone().map(|token| logits.spans[2 * token + column]).collect();
        WindowLogits { relevance: *relevance, start: column(0), end: column(1) }
    };
    windows.iter().zip(&logits.relevance).map(window_logits).collect()
}

/// Returns the text of the best answer in the windows of a question.
fn best_answer<'a>(
    question: &QuestionPassages<'_>,
    windows: impl Iterator<Item = (&'a Window, &'a WindowLogits)>,
    options: &ReadOptions,
) -> Result<Option<String>, Error> {
    let mut readings = Vec::with_capacity(question.passages.len());
    for passage in &question.passages {
        readings.push(PassageReading { text: passage.text, retrieval_score: 0.0, windows: Vec::new() });
    }
    for (window, logits) in windows {
        readings[window.passage].windows.push(reading::Window {
            relevance: Relevance::Logit(logits.relevance),
            start: &logits.start,
            end: &logits.end,
            offsets: &window.offsets,
            words: &window.words,
        });
    }
    Ok(reading::answers(&readings, options)?.into_iter().next().map(|answer| answer.text))
}
