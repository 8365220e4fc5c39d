//! [`WindowLabeler`]: the inputs of a reader, labeled with the spans of answers in them.

use std::ops::Range;
use std::path::Path;

use control::Control;
use inference::{ReaderConfig, ReaderForm, ReaderInputs, ReaderPassage, Window};
use text::find_answers;
use tokenize::{ModelInput, Tokenizer};
use transformer::Text;
use transformer::hugging_face::RELEVANCE_OUTPUT;

use super::folder::TOKENIZER_FILE;
use crate::Error;

/// A question with passages to read.
#[derive(Debug, Clone, Default)]
pub struct QuestionPassages<'a> {
    /// The question.
    pub question: &'a str,
    /// Accepted answers. Only training uses them.
    pub answers: Vec<&'a str>,
    /// The passages. In training, the first one is the positive passage, which contains an answer.
    pub passages: Vec<ReaderPassage<'a>>,
}

/// Splits passages into the windows that a reader reads, and finds answers in them.
#[derive(Debug)]
pub struct WindowLabeler {
    tokenizer: Tokenizer,
    inputs: ReaderInputs,
}

/// A window of a passage, with the correct spans in it.
#[derive(Debug)]
pub(super) struct TrainingWindow {
    input: ModelInput,
    /// The tokens of the passage's text.
    text_tokens: Range<usize>,
    spans: Vec<(usize, usize)>,
}

impl WindowLabeler {
    /// Opens the tokenizer in the folder of a model.
    ///
    /// # Errors
    ///
    /// If there is no valid tokenizer, or if `config` is invalid.
    pub fn open(folder: &Path, config: ReaderConfig) -> Result<Self, Error> {
        let tokenizer = Tokenizer::open(&folder.join(TOKENIZER_FILE))?;
        let inputs = ReaderInputs::new(ReaderForm::Dpr { relevance: RELEVANCE_OUTPUT }, config, &tokenizer)?;
        Ok(Self { tokenizer, inputs })
    }

    /// For each question, tells which of its passages contain an answer that training can use: one whose tokens are all
    /// in one window.
    ///
    /// # Errors
    ///
    /// If a text cannot be tokenized, or if the work is canceled.
    pub fn with_answer(
        &self,
        questions: &[QuestionPassages<'_>],
        control: &Control,
    ) -> Result<Vec<Vec<bool>>, Error> {
        let has_answers = |question: &QuestionPassages<'_>| {
            control.check()?;
            let ids = self.inputs.question(question.question, &self.tokenizer)?;
            let has_answer = |passage: &ReaderPassage<'_>| -> Result<bool, Error> {
                control.check()?;
                let found = find_answers(&question.answers, passage.text);
                let windows = self.inputs.windows_of(&ids, (0, *passage), &self.tokenizer)?;
                Ok(windows.iter().any(|window| !spans(window, &found).is_empty()))
            };
            question.passages.iter().map(has_answer).collect()
        };
        questions.iter().map(has_answers).collect()
    }

    /// Returns all windows of the passages of a question, in the order of the passages.
    pub(super) fn windows(&self, question: &QuestionPassages<'_>) -> Result<Vec<Window>, Error> {
        let ids = self.inputs.question(question.question, &self.tokenizer)?;
        let mut windows = Vec::with_capacity(question.passages.len());
        for passage in question.passages.iter().copied().enumerate() {
            windows.extend(self.inputs.windows_of(&ids, passage, &self.tokenizer)?);
        }
        Ok(windows)
    }

    /// Returns one window of each passage, with the correct spans in that of the first passage, and whether the question
    /// was truncated.
    pub(super) fn training_windows(
        &self,
        question: &QuestionPassages<'_>,
    ) -> Result<(Vec<TrainingWindow>, bool), Error> {
        let (ids, is_truncated) = self.inputs.truncated_question(question.question, &self.tokenizer)?;
        let mut used = Vec::with_capacity(question.passages.len());
        for (at, passage) in question.passages.iter().copied().enumerate() {
            let is_positive = at == 0;
            let answers = if is_positive { question.answers.as_slice() } else { &[] };
            let found = find_answers(answers, passage.text);
            let windows = self.inputs.windows_of(&ids, (at, passage), &self.tokenizer)?;
            let mut windows = windows.into_iter().map(|window| TrainingWindow::new(window, &found));
            let first = windows.next();
            let window = if is_positive {
                first.into_iter().chain(windows).find(|window| !window.spans.is_empty())
            } else {
                first
            };
            let Some(window) = window else {
                let (count, text) = (question.answers.len(), excerpt(passage.text));
                let expected = format!("positive passage: expected one of the {count} answers in the text");
                return Err(Error::Argument { message: format!("{expected}, got \"{text}\"") });
            };
            used.push(window);
        }
        Ok((used, is_truncated))
    }
}

impl TrainingWindow {
    /// Finds the spans of ranges in a window.
    fn new(window: Window, ranges: &[Range<usize>]) -> Self {
        let spans = spans(&window, ranges);
        let text_tokens = window.text_start..window.text_start + window.offsets.len();
        Self { input: window.input, text_tokens, spans }
    }

    /// Returns the window as the trainer takes it.
    pub fn as_passage(&self) -> training::ReaderPassage<'_> {
        training::ReaderPassage {
            text: as_text(&self.input),
            text_tokens: self.text_tokens.clone(),
            spans: self.spans.clone(),
        }
    }
}

/// Returns an input as a text of the crate `transformer`.
pub(super) fn as_text(input: &ModelInput) -> Text<'_> {
    Text { ids: &input.ids, type_0_count: input.type_0_count }
}

/// Returns the first characters of a text.
fn excerpt(text: &str) -> &str {
    text.char_indices().nth(80).map_or(text, |(end, _)| &text[..end])
}

/// For each byte range inside the window, returns the positions of the first and the last input token that overlap it.
fn spans(window: &Window, ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
    let offsets = &window.offsets;
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
        return Vec::new();
    };
    let is_within =
        |range: &&Range<usize>| first.start as usize <= range.start && range.end <= last.end as usize;
    let span = |range: &Range<usize>| {
        let start = offsets.partition_point(|offset| offset.end as usize <= range.start);
        let end = offsets.partition_point(|offset| (offset.start as usize) < range.end);
        // The tokenizer may drop an answer, such as an unknown character.
        (start < end).then(|| (window.text_start + start, window.text_start + end - 1))
    };
    let mut spans: Vec<(usize, usize)> = ranges.iter().filter(is_within).filter_map(span).collect();
    // Several ranges can be covered by the same tokens.
    spans.sort_unstable();
    spans.dedup();
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_the_fewest_tokens_that_cover_a_range_within_the_window() {
        // The tokens of "a bcd efg".
        let window = Window {
            passage: 0,
            window: 0,
            input: ModelInput::default(),
            text_start: 5,
            offsets: vec![0..1, 2..3, 3..5, 6..9],
            words: vec![0, 1, 1, 2],
        };
        assert_eq!(spans(&window, &[0..1, 2..5, 2..9]), [(5, 5), (6, 7), (6, 8)]);
        // Parts of tokens, twice the same; and ranges that begin before the window or end after it.
        assert_eq!(spans(&window, &[3..4, 4..5, 3..5]), [(7, 7)]);
        let later = Window { offsets: vec![2..3, 3..5], words: vec![1, 1], ..window };
        assert_eq!(spans(&later, &[0..3, 3..9, 2..5]), [(5, 6)]);
        // No token of the tokenizer covers the second range.
        let gap = Window { offsets: vec![0..1, 6..9], words: vec![0, 1], ..later };
        assert_eq!(spans(&gap, &[0..1, 2..4]), [(5, 5)]);
    }

    #[test]
    fn excerpts_end_between_characters() {
        assert_eq!(excerpt("é"), "é");
        assert_eq!(excerpt(&"é".repeat(90)), "é".repeat(80));
    }
}
