//! Builds the inputs of a reader: a question with each window of a passage.

use std::ops::Range;

use tokenize::{ModelInput, Tokenizer};

use super::config::{LongPassages, ReaderConfig, ReaderPassage};
use super::form::ReaderForm;
use super::windows::windows;
use crate::Error;

/// Minimum number of tokens that the longest question must leave for title and text.
const MIN_TEXT_TOKENS: usize = 16;

/// Builds inputs from questions and passages.
#[derive(Debug, Clone, Copy)]
pub struct ReaderInputs {
    pub(super) form: ReaderForm,
    pub(super) config: ReaderConfig,
}

/// One window of a passage.
#[derive(Debug)]
pub struct Window {
    /// Position of the passage in the list of passages.
    pub passage: usize,
    /// Position of the window among the windows of the passage.
    pub window: usize,
    /// The input for the model. [`ReaderModel`](crate::ReaderModel) replaces it by an empty one when it runs the window.
    pub input: ModelInput,
    /// Position of the text's first token in the input.
    pub text_start: usize,
    /// The byte range of each text token of the window in the text of the passage.
    pub offsets: Vec<Range<u32>>,
    /// For each text token of the window, the number of its word in the text of the passage, from 0.
    pub words: Vec<u32>,
}

impl ReaderInputs {
    /// Checks a configuration.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the configuration leaves too few tokens for texts, or if the overlap could be as long as
    /// a window.
    pub fn new(form: ReaderForm, config: ReaderConfig, tokenizer: &Tokenizer) -> Result<Self, Error> {
        let other_tokens = config.max_question_tokens + tokenizer.special_token_count(form.segment_count());
        let min = other_tokens + MIN_TEXT_TOKENS;
        if config.max_tokens < min {
            let (expected, got) = (format!("at least {min}"), config.max_tokens.to_string());
            return Err(Error::Argument { what: "maxTokens", expected, got });
        }
        if let LongPassages::Windows { overlap_tokens: Some(overlap) } = config.long_passages {
            // The smallest number of text tokens that fit in a window: a title takes at most half of the tokens
            // (`windows_of`).
            let room = (config.max_tokens - other_tokens).div_ceil(2);
            if overlap >= room {
                let expected = format!(
                    "less than {room}, the tokens that the longest question and title leave for the text"
                );
                return Err(Error::Argument { what: "overlapTokens", expected, got: overlap.to_string() });
            }
        }
        Ok(Self { form, config })
    }

    /// Returns the token ids of a question, truncated to the maximum number.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`]
    pub fn question(&self, question: &str, tokenizer: &Tokenizer) -> Result<Vec<u32>, Error> {
        Ok(self.truncated_question(question, tokenizer)?.0)
    }

    /// Returns the same as [`question`](Self::question), and whether the question was truncated.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`]
    pub fn truncated_question(
        &self,
        question: &str,
        tokenizer: &Tokenizer,
    ) -> Result<(Vec<u32>, bool), Error> {
        let (mut question, max) = (tokenizer.pieces(question)?, self.config.max_question_tokens);
        let is_truncated = question.len() > max;
        question.truncate(max);
        Ok((question.ids, is_truncated))
    }

    /// Returns the windows of one passage, in the order of its text. `position` is the position of the passage in the
    /// list of passages.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`]
    pub fn windows_of(
        &self,
        question: &[u32],
        (position, passage): (usize, ReaderPassage<'_>),
        tokenizer: &Tokenizer,
    ) -> Result<Vec<Window>, Error> {
        let has_title = self.config.titles.unwrap_or(matches!(self.form, ReaderForm::Dpr { .. }));
        let title = tokenizer.pieces(passage.title.filter(|_| has_title).unwrap_or_default())?;
        let text = tokenizer.pieces(passage.text)?;
        let room = self.config.max_tokens
            - question.len()
            - tokenizer.special_token_count(self.form.segment_count());
        // A title takes at most half of the tokens that the question leaves.
        let title = &title.ids[..title.len().min(room / 2)];
        let text_room = room - title.len();
        let ranges = match self.config.long_passages {
            LongPassages::Windows { overlap_tokens } => {
                windows(&text.words, text_room, overlap_tokens.unwrap_or((text_room / 4).min(64)))
            }
            LongPassages::Cut => {
                let mut first = windows(&text.words, text_room, 0);
                first.truncate(1);
                first
            }
        };
        Ok(ranges
            .into_iter()
            .enumerate()
            .map(|(window, tokens)| {
                let (input, text_start) = self.input(question, title, &text.ids[tokens.clone()], tokenizer);
                let offsets = text.offsets[tokens.clone()].to_vec();
                let words = text.words[tokens].to_vec();
                Window { passage: position, window, input, text_start, offsets, words }
            })
            .collect())
    }

    /// Builds an input. Also returns the position of the text's first token in the input.
    fn input(
        &self,
        question: &[u32],
        title: &[u32],
        text: &[u32],
        tokenizer: &Tokenizer,
    ) -> (ModelInput, usize) {
        let mut input = match self.form {
            ReaderForm::Dpr { .. } => tokenizer.input_of_three(question, title, text),
            ReaderForm::QuestionAnswering => tokenizer.input(question, Some(&[title, text].concat())),
        };
        // The input ends with the text and one separator.
        let text_start = input.ids.len() - 1 - text.len();
        if self.config.open_ended && matches!(self.form, ReaderForm::Dpr { .. }) {
            input.ids.pop();
            input.type_0_count = input.ids.len();
        }
        (input, text_start)
    }
}
