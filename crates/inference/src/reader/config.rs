//! The options of a reader, and the passages that it reads.

/// A passage to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderPassage<'a> {
    /// The title of its document.
    pub title: Option<&'a str>,
    /// Its text, in which answers are found.
    pub text: &'a str,
}

/// How texts that do not fit into one input are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongPassages {
    /// In windows, each with the question and the title.
    Windows {
        /// Minimum number of tokens that consecutive windows share. They share fewer only if a long word would not fit
        /// otherwise. `None` means 64, or a quarter of a window if that is less.
        overlap_tokens: Option<usize>,
    },
    /// Truncated after the last complete word that fits, as in DPR's own reader.
    Cut,
}

/// How a model is used as a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderConfig {
    /// Maximum number of tokens of an input, special tokens included.
    pub max_tokens: usize,
    /// Maximum number of tokens of the question. Longer questions are truncated.
    pub max_question_tokens: usize,
    /// Maximum number of tokens in a batch, padding included.
    pub batch_tokens: usize,
    /// How texts that do not fit into one input are read.
    pub long_passages: LongPassages,
    /// Whether titles are part of the input. `None` means as in training: for DPR's reader, but not for question-answering
    /// models. A question-answering model gets the title at the beginning of every window.
    pub titles: Option<bool>,
    /// Whether inputs for DPR's reader are exactly those of DPR's own code, which have no separator after the text and only the
    /// token type 0. Otherwise they are `[CLS] question [SEP] title [SEP] text [SEP]`, with token type 0 up to the first
    /// separator and 1 after it.
    pub open_ended: bool,
}

/// 256 tokens, of which up to 40 are the question's. Longer texts are read in windows.
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
