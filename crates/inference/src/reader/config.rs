//! What a reader is given, and how much of it at once.

/// A passage as the reader is given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderPassage<'a> {
    /// The title of its document.
    pub title: Option<&'a str>,
    /// Its text, from which answers are taken.
    pub text: &'a str,
}

/// What becomes of a text that does not fit into an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongPassages {
    /// It is read in windows, each with the question and the title.
    Windows {
        /// Tokens that successive windows share, at least; fewer only where a long word would not fit otherwise.
        /// `None`: 64, or a quarter of a window if that is less.
        overlap_tokens: Option<usize>,
    },
    /// It is cut at its end, after the last whole word that fits, as DPR's own reader cuts.
    Cut,
}

/// How much a reader is given at once, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderConfig {
    /// Tokens of an input, special tokens included.
    pub max_tokens: usize,
    /// Tokens of the question; longer ones are cut at their end.
    pub max_question_tokens: usize,
    /// Tokens of one run, filling included.
    pub batch_tokens: usize,
    /// What becomes of longer texts.
    pub long_passages: LongPassages,
    /// Whether titles are read: `None` for what the form of the model was trained on, that is by DPR's and not by
    /// other readers. A question-answering model reads them at the beginning of every window.
    pub titles: Option<bool>,
    /// Whether DPR's inputs are as its own code makes them, without a separator after the text and with token types
    /// that are all 0, and not `[CLS] question [SEP] title [SEP] text [SEP]` with types 0 up to and with the first
    /// separator, then 1.
    pub open_ended: bool,
}

/// 256 tokens, of which 40 may be the question's; longer texts in windows.
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
