//! A reader's options, and the passages that it reads.

/// A passage to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderPassage<'a> {
    /// The title of the document that the passage is from.
    pub title: Option<&'a str>,
    /// The text of the passage. Answers are spans of this text.
    pub text: &'a str,
}

/// How to read passages that do not fit into one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongPassages {
    /// Split into overlapping windows. The input for each window has the question, the title and a part of the text.
    Windows {
        /// Minimum number of tokens that consecutive windows share. They share fewer if a long word would otherwise not
        /// fit. `None` means 64, or a quarter of the text tokens that fit in a window if that is less.
        overlap_tokens: Option<usize>,
    },
    /// Truncated. Only the first window is read, which ends with the last complete word that fits.
    Cut,
}

/// How a model is used as a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderConfig {
    /// Maximum number of tokens per input, special tokens included.
    pub max_tokens: usize,
    /// Maximum number of tokens of the question. Longer questions are truncated.
    pub max_question_tokens: usize,
    /// Maximum number of tokens in a batch, padding included.
    pub batch_tokens: usize,
    /// How to read passages that do not fit into one input.
    pub long_passages: LongPassages,
    /// Whether inputs contain the title of the passage. `None` means as in the model's training: true for DPR's
    /// reader, false for question-answering models. If true, the inputs of a question-answering model have the title
    /// directly before the text of each window, without a separator.
    pub titles: Option<bool>,
    /// Whether inputs for DPR's reader have the form that DPR's own code uses: `[CLS] question [SEP] title [SEP] text`,
    /// without a separator at the end, and with type 0 for all tokens. If false, the form is `[CLS] question [SEP]
    /// title [SEP] text [SEP]`, where tokens up to the first separator have type 0, and the others have type 1.
    /// Question-answering models ignore this setting.
    pub open_ended: bool,
}

/// At most 256 tokens per input, of which the question has at most 40. Longer passages are read in windows.
impl Default for ReaderConfig {
    fn default() -> Self {
        Self {
            max_tokens: 256,
            max_question_tokens: 40,
            batch_tokens: 2048,
            long_passages: LongPassages::Windows { overlap_tokens: None },
            titles: None,
            open_ended: false,
        }
    }
}
