//! The inputs of a reader: a question with the windows of a passage.

use std::ops::Range;

use tokenize::{ModelInput, Tokenizer};

use super::config::{LongPassages, ReaderConfig, ReaderPassage};
use super::form::ReaderForm;
use super::windows::windows;
use crate::Error;

/// Minimum number of tokens of a text that the longest question must leave.
const MIN_TEXT_TOKENS: usize = 16;

/// Builds inputs from questions and passages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReaderInputs {
    pub form: ReaderForm,
    pub config: ReaderConfig,
}

/// One window of a passage.
#[derive(Debug)]
pub(crate) struct Window {
    /// Position of the passage in the list read.
    pub passage: usize,
    /// Position of the window in the passage.
    pub window: usize,
    pub input: ModelInput,
    /// Position in the input of the window's first token of text.
    pub text_start: usize,
    /// The bytes of each token in the passage's whole text.
    pub offsets: Vec<Range<u32>>,
    /// The number of each token's word in the whole text.
    pub words: Vec<u32>,
}

impl ReaderInputs {
    /// Fails if a configuration leaves too few tokens for texts, or if a window might not advance past the one before it.
    pub fn new(form: ReaderForm, config: ReaderConfig, tokenizer: &Tokenizer) -> Result<Self, Error> {
        let taken = config.max_question_tokens + tokenizer.overhead(form.segment_count());
        let min = taken + MIN_TEXT_TOKENS;
        if config.max_tokens < min {
            let (expected, got) = (format!("at least {min}"), config.max_tokens.to_string());
            return Err(Error::Argument { what: "maxTokens", expected, got });
        }
        if let LongPassages::Windows { overlap_tokens: Some(overlap) } = config.long_passages {
            // The tokens that a title leaves at least, see `windows_of`.
            let room = (config.max_tokens - taken).div_ceil(2);
            if overlap >= room {
                let expected = format!(
                    "less than {room}, the tokens of a window that the longest question and title leave"
                );
                return Err(Error::Argument { what: "overlapTokens", expected, got: overlap.to_string() });
            }
        }
        Ok(Self { form, config })
    }

    /// The tokens of a question, truncated to the maximum number.
    pub fn question(&self, question: &str, tokenizer: &Tokenizer) -> Result<Vec<u32>, Error> {
        let mut question = tokenizer.pieces(question)?;
        question.truncate(self.config.max_question_tokens);
        Ok(question.ids)
    }

    /// The windows of one passage, in the order of its text.
    pub fn windows_of(
        &self,
        question: &[u32],
        (passage, read): (usize, ReaderPassage<'_>),
        tokenizer: &Tokenizer,
    ) -> Result<Vec<Window>, Error> {
        let has_title = self.config.titles.unwrap_or(matches!(self.form, ReaderForm::Dpr { .. }));
        let title = tokenizer.pieces(read.title.filter(|_| has_title).unwrap_or_default())?;
        let text = tokenizer.pieces(read.text)?;
        let room = self.config.max_tokens - question.len() - tokenizer.overhead(self.form.segment_count());
        // A title takes at most half of the tokens that the question leaves.
        let title = &title.ids[..title.len().min(room / 2)];
        let room = room - title.len();
        let cut = match self.config.long_passages {
            LongPassages::Windows { overlap_tokens } => {
                windows(&text.words, room, overlap_tokens.unwrap_or((room / 4).min(64)))
            }
            LongPassages::Cut => {
                let mut first = windows(&text.words, room, 0);
                first.truncate(1);
                first
            }
        };
        Ok(cut
            .into_iter()
            .enumerate()
            .map(|(window, tokens)| {
                let (input, text_start) = self.input(question, title, &text.ids[tokens.clone()], tokenizer);
                let offsets = text.offsets[tokens.clone()].to_vec();
                Window { passage, window, input, text_start, offsets, words: text.words[tokens].to_vec() }
            })
            .collect())
    }

    /// Builds an input. Returns it with the position at which the text begins.
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
        // One separator follows the text.
        let text_start = input.ids.len() - 1 - text.len();
        if self.config.open_ended && matches!(self.form, ReaderForm::Dpr { .. }) {
            input.ids.pop();
            input.first_type = input.ids.len();
        }
        (input, text_start)
    }
}
