use std::ops::Range;

use tokenize::{ModelInput, Tokenizer};

use super::config::{LongPassages, ReaderConfig, ReaderPassage};
use super::form::ReaderForm;
use super::windows::windows;
use crate::Error;

/// Tokens of a text, at least, that the longest question leaves.
const LEAST_ROOM: usize = 16;

/// Makes inputs of questions and passages.
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
    /// Position of the window's first token in the input.
    pub text_start: usize,
    /// Bytes of the whole text for each token.
    pub offsets: Vec<Range<u32>>,
    /// Numbers of the words of the whole text.
    pub words: Vec<u32>,
}

impl ReaderInputs {
    /// Checks that a configuration leaves room for texts, and for progress.
    pub fn new(form: ReaderForm, config: ReaderConfig, tokenizer: &Tokenizer) -> Result<Self, Error> {
        let taken = config.max_question_tokens + tokenizer.overhead(form.texts());
        let least = taken + LEAST_ROOM;
        if config.max_tokens < least {
            let (expected, got) = (format!("at least {least}"), config.max_tokens.to_string());
            return Err(Error::Argument { what: "maxTokens", expected, got });
        }
        if let LongPassages::Windows { overlap_tokens: Some(overlap) } = config.long_passages {
            // What a title may leave, see `windows_of`.
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

    /// The question's tokens.
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
        let titled = self.config.titles.unwrap_or(matches!(self.form, ReaderForm::Dpr { .. }));
        let title = tokenizer.pieces(read.title.filter(|_| titled).unwrap_or_default())?;
        let text = tokenizer.pieces(read.text)?;
        let room = self.config.max_tokens - question.len() - tokenizer.overhead(self.form.texts());
        // A title never takes more than half of what the question leaves.
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

    /// An input, and where in it the text begins.
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
        // The text is followed by one separator.
        let text_start = input.ids.len() - 1 - text.len();
        if self.config.open_ended && matches!(self.form, ReaderForm::Dpr { .. }) {
            input.ids.pop();
            input.first_type = input.ids.len();
        }
        (input, text_start)
    }
}
