//! Runs a reader on a question and passages: [`ReaderModel`].

use std::cmp::Reverse;
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use control::Control;
use tokenize::{ModelInput, Tokenizer};

use super::config::{ReaderConfig, ReaderPassage};
use super::form::{ReaderForm, Relevance};
use super::input::{ReaderInputs, Window};
use crate::runtime::plan_batches;
use crate::{Batch, Error, Runtime, Session, Tensor};

/// The logits of one window of a passage. Each of the four vectors has one entry per token of the text in the window.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageLogits {
    /// The output that tells how well the window answers the question.
    pub relevance: Relevance,
    /// Start logits.
    pub start: Vec<f32>,
    /// End logits.
    pub end: Vec<f32>,
    /// The byte range of each token in the text of the passage.
    pub offsets: Vec<Range<u32>>,
    /// For each token, the number of its word in the text of the passage, from 0. Windows begin and end at word
    /// boundaries, except inside a word that is longer than a window.
    pub words: Vec<u32>,
}

/// An extractive reader: DPR's reader, or a question-answering model.
#[derive(Debug)]
pub struct ReaderModel {
    session: Arc<Session>,
    tokenizer: Arc<Tokenizer>,
    inputs: ReaderInputs,
}

impl ReaderModel {
    /// Creates a reader from a session and its tokenizer.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model is neither kind of reader; [`Error::Argument`] if the longest question could leave
    /// fewer than 16 tokens for title and text, or if the overlap could be as long as a window.
    pub fn new(
        session: Arc<Session>,
        tokenizer: Arc<Tokenizer>,
        config: ReaderConfig,
    ) -> Result<Self, Error> {
        let inputs = ReaderInputs::new(ReaderForm::of(&session)?, config, &tokenizer)?;
        Ok(Self { session, tokenizer, inputs })
    }

    /// What runs the model.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.session.runtime()
    }

    /// The kind of the reader.
    #[must_use]
    pub fn form(&self) -> ReaderForm {
        self.inputs.form
    }

    /// Reads passages for a question. Returns, for each passage, the logits of its windows in the order of the text. A
    /// passage has at least one window, and exactly one with [`LongPassages::Cut`](crate::LongPassages::Cut). Progress
    /// counts passages.
    ///
    /// The same passages in a different order get the same logits, bit for bit.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`] or [`Error::Run`] if a text cannot be tokenized or the model cannot be run; [`Error::Model`]
    /// if the model's outputs have unexpected shapes; [`Error::Canceled`] if `control` was canceled, which is checked
    /// for each passage and, while a batch runs, for each group of a few windows.
    pub fn read(
        &self,
        question: &str,
        passages: &[ReaderPassage<'_>],
        control: &Control,
    ) -> Result<Vec<Vec<PassageLogits>>, Error> {
        let question = self.inputs.question(question, &self.tokenizer)?;
        let mut windows: Vec<Window> = Vec::with_capacity(passages.len());
        for passage in passages.iter().copied().enumerate() {
            control.check()?;
            windows.extend(self.inputs.windows_of(&question, passage, &self.tokenizer)?);
        }
        let mut read: Vec<Vec<Option<PassageLogits>>> = vec![vec![]; passages.len()];
        for window in &windows {
            read[window.passage].push(None);
        }
        // For each passage, the number of windows that have not been read yet.
        let mut unread: Vec<usize> = read.iter().map(Vec::len).collect();
        // Windows of equal length are sorted by their tokens, so that batches do not depend on the order of the
        // passages.
        windows.sort_by(|a, b| {
            let key = |window: &Window| Reverse(window.input.ids.len());
            key(a).cmp(&key(b)).then_with(|| a.input.ids.cmp(&b.input.ids))
        });
        let lengths: Vec<usize> = windows.iter().map(|window| window.input.ids.len()).collect();
        for rows in plan_batches(&lengths, self.inputs.config.batch_tokens) {
            control.check()?;
            let batch = &mut windows[rows];
            let logits = self.run(batch, control)?;
            for (window, logits) in batch.iter().zip(logits) {
                read[window.passage][window.window] = Some(logits);
                unread[window.passage] -= 1;
                control.advance(u64::from(unread[window.passage] == 0));
            }
        }
        let complete = |windows: Vec<Option<PassageLogits>>| {
            windows.into_iter().map(|logits| logits.expect("the batches cover every window")).collect()
        };
        Ok(read.into_iter().map(complete).collect())
    }

    /// Runs the model on a batch of windows. Moves the inputs, offsets and words out of the windows.
    fn run(&self, windows: &mut [Window], control: &Control) -> Result<Vec<PassageLogits>, Error> {
        let batch = {
            let inputs: Vec<&ModelInput> = windows.iter().map(|window| &window.input).collect();
            Batch::new(&inputs, self.tokenizer.padding_id())
        };
        // The batch has a copy of the inputs. If they were not dropped here, the inputs of all windows would stay in
        // memory until the end.
        windows.iter_mut().for_each(|window| window.input = ModelInput::default());
        let (rows, length) = (batch.rows, batch.length);
        let outputs = self.session.run(batch, &self.inputs.form.outputs(), control)?;
        let has_expected_size = |(at, output): (usize, &Tensor)| {
            output.data.len() == if at < 2 { rows * length } else { rows } // start, end, relevance
        };
        if !outputs.iter().enumerate().all(has_expected_size) {
            let shapes: Vec<String> = outputs.iter().map(|output| format!("{:?}", output.shape)).collect();
            let expected = match self.inputs.form {
                ReaderForm::Dpr { .. } => "shapes [batch, sequence], [batch, sequence] and [batch]",
                ReaderForm::QuestionAnswering => "shapes [batch, sequence] and [batch, sequence]",
            };
            return Err(Error::model(self.session.path(), expected, shapes.join(" and ")));
        }
        let (start, end) = (&outputs[0].data, &outputs[1].data);
        let logits = windows.iter_mut().enumerate().map(|(row, window)| {
            let first = row * length;
            let text = first + window.text_start..first + window.text_start + window.offsets.len();
            PassageLogits {
                relevance: match outputs.get(2) {
                    Some(relevance) => Relevance::Logit(relevance.data[row]),
                    None => Relevance::NoAnswer(start[first] + end[first]),
                },
                start: start[text.clone()].to_vec(),
                end: end[text].to_vec(),
                offsets: take(&mut window.offsets),
                words: take(&mut window.words),
            }
        });
        Ok(logits.collect())
    }
}
