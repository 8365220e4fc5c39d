//! The tokenizer of a model: splits texts into word pieces, and joins pieces into model inputs. *The library* is the
//! crate `tokenizers` of Hugging Face.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tokenizers::{Model, ModelWrapper};
use unicode_normalization::char::is_combining_mark;

use crate::ascii_word_pieces::AsciiWordPieces;
use crate::file::read_tokenizer_file;
use crate::library::{LibraryTokenizer, unless_rejected};
use crate::model_input::SpecialTokens;
use crate::{Error, ModelInput, Pieces};

/// Maximum accepted value of `max_input_chars_per_word`, the number of characters above which a word becomes the
/// unknown token. The library needs time cubic in this number. BERT's tokenizers use 100.
const MAX_WORD_CHARACTERS: usize = 1000;

/// The tokenizer of a model, read from its `tokenizer.json`. Truncation and padding in the file are ignored: callers
/// truncate, because they know which text may be truncated.
#[derive(Debug)]
pub struct Tokenizer {
    inner: LibraryTokenizer,
    special: SpecialTokens,
    /// The shortcut for ASCII text, if the tokenizer has BERT's rules.
    pub(crate) ascii: Option<AsciiWordPieces>,
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be read. [`Error::Format`] if it is not a tokenizer, lacks start, separator or
    /// padding tokens, or has rules that could expand a text too much or take exponential time.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::from_bytes(&read_tokenizer_file(path)?, path)
    }

    /// Parses the content of a `tokenizer.json`. `path` is for error messages.
    ///
    /// # Errors
    ///
    /// [`Error::Format`], as described for [`open`](Self::open).
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let format = |expected| move |got: String| Error::Format { path: path.to_path_buf(), expected, got };
        // The library panics on some corrupt files.
        let loaded = without_panics(|| LibraryTokenizer::from_bytes(bytes));
        let mut inner = loaded.map_err(format("a tokenizer.json of Hugging Face tokenizers"))?;
        if let ModelWrapper::WordPiece(model) = inner.get_model()
            && model.max_input_chars_per_word > MAX_WORD_CHARACTERS
        {
            let got = model.max_input_chars_per_word.to_string();
            return Err(format("a max_input_chars_per_word of at most 1000")(got));
        }
        inner.with_padding(None);
        inner.with_truncation(None).map_err(|error| format("no truncation")(error.to_string()))?;
        // "[SEP]" in a text is ordinary text, not a special token.
        inner.set_encode_special_tokens(true);
        let id = |names: [&str; 2]| names.iter().find_map(|name| inner.token_to_id(name));
        let (Some(start), Some(separator), Some(padding)) =
            (id(["[CLS]", "<s>"]), id(["[SEP]", "</s>"]), id(["[PAD]", "<pad>"]))
        else {
            let expected = "the tokens [CLS], [SEP], [PAD] or <s>, </s>, <pad>";
            return Err(format(expected)(format!("{} tokens without them", inner.get_vocab_size(true))));
        };
        let separator_count = if inner.token_to_id("[CLS]").is_some() { 1 } else { 2 };
        let ascii = AsciiWordPieces::new(&inner);
        Ok(Self { inner, special: SpecialTokens { start, separator, padding, separator_count }, ascii })
    }

    /// Splits a text into word pieces, without special tokens.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`] if the text has 4 GiB or more, or if the library fails.
    pub fn pieces(&self, text: &str) -> Result<Pieces, Error> {
        let fail = |message: String| Error::Tokenize { length: text.len(), message };
        if u32::try_from(text.len()).is_err() {
            return Err(fail("expected a text of less than 4 GiB".to_owned()));
        }
        match &self.ascii {
            Some(ascii) => ascii.pieces(text, |part| self.library_pieces(part)),
            None => self.library_pieces(text),
        }
    }

    /// Splits a text into word pieces with the library, which supports all rules.
    pub(crate) fn library_pieces(&self, text: &str) -> Result<Pieces, Error> {
        let fail = |message: String| Error::Tokenize { length: text.len(), message };
        let encoding = without_panics(|| self.inner.encode(text, false)).map_err(fail)?;
        let mut pieces = Pieces { ids: encoding.get_ids().to_vec(), ..Pieces::default() };
        pieces.offsets =
            encoding.get_offsets().iter().map(|&(start, end)| start as u32..end as u32).collect();
        include_marks(text, &mut pieces.offsets);
        // A piece without a word id (an added token) is a word of its own.
        let (mut word, mut previous) = (0, None);
        for (i, &id) in encoding.get_word_ids().iter().enumerate() {
            if i > 0 && (id.is_none() || id != previous) {
                word += 1;
            }
            previous = id;
            pieces.words.push(word);
        }
        Ok(pieces)
    }

    /// Splits a text into word pieces and returns them as strings of the vocabulary, without special tokens.
    ///
    /// # Errors
    ///
    /// Those of [`pieces`](Self::pieces).
    pub fn piece_texts(&self, text: &str) -> Result<Vec<String>, Error> {
        let fail = |message: String| Error::Tokenize { length: text.len(), message };
        let piece = |&id: &u32| {
            self.inner.id_to_token(id).ok_or_else(|| fail(format!("the vocabulary has no id {id}")))
        };
        self.pieces(text)?.ids.iter().map(piece).collect()
    }

    /// Returns the vocabulary's string for an id, or `None` if there is no such id.
    #[must_use]
    pub fn piece_text(&self, id: u32) -> Option<String> {
        self.inner.id_to_token(id)
    }

    /// Returns the id of a string of the vocabulary, or `None` if there is no such string.
    #[must_use]
    pub fn piece_id(&self, piece: &str) -> Option<u32> {
        self.inner.token_to_id(piece)
    }

    /// Returns true for a WordPiece model whose vocabulary has the unknown token, so that every text can be tokenized.
    #[must_use]
    pub fn is_word_piece(&self) -> bool {
        match self.inner.get_model() {
            ModelWrapper::WordPiece(model) => model.token_to_id(&model.unk_token).is_some(),
            _ => false,
        }
    }

    /// Returns the model input for one text or a pair of texts.
    #[must_use]
    pub fn input(&self, first: &[u32], second: Option<&[u32]>) -> ModelInput {
        match second {
            None => self.special.input(&[first]),
            Some(second) => self.special.input(&[first, second]),
        }
    }

    /// Returns the model input for three texts, as DPR's reader expects it: `[CLS] question [SEP] title [SEP] text
    /// [SEP]`.
    #[must_use]
    pub fn input_of_three(&self, question: &[u32], title: &[u32], text: &[u32]) -> ModelInput {
        self.special.input(&[question, title, text])
    }

    /// Returns the number of special tokens in a model input of `texts` texts.
    #[must_use]
    pub fn special_token_count(&self, texts: usize) -> usize {
        1 + texts + (self.special.separator_count - 1) * texts.saturating_sub(1)
    }

    /// Returns the id that pads the shorter inputs of a batch.
    #[must_use]
    pub fn padding_id(&self) -> u32 {
        self.special.padding
    }

    /// Returns the number of vocabulary entries, including added tokens.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.inner.get_vocab_size(true)
    }
}

/// Calls the library, which panics on some invalid rules, and turns its panics into errors.
fn without_panics<T>(work: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(|| unless_rejected(work))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().copied();
        let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(format!("invalid rules: {}", message.unwrap_or("no message")))
    })
}

/// Extends the offsets of each piece over the combining marks that follow it. Normalizers that strip accents leave the
/// marks of decomposed letters outside of all pieces, so an answer would end without the accent of its last letter.
fn include_marks(text: &str, offsets: &mut [Range<u32>]) {
    for at in 0..offsets.len() {
        let end = offsets[at].end as usize;
        let next = offsets.get(at + 1).map_or(text.len(), |next| next.start as usize);
        let between = text.get(end..next.max(end)).unwrap_or_default();
        let marks = between.chars().take_while(|&letter| is_combining_mark(letter));
        offsets[at].end += marks.map(char::len_utf8).sum::<usize>() as u32;
    }
}
