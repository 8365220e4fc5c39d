//! The `tokenizers` library of Hugging Face, with limits on how far the rules of a `tokenizer.json` can expand a text.
//!
//! A tokenizer of the library first normalizes a text (for example to lower case), then splits it into words
//! (pre-tokenization), then splits the words into pieces. A few hundred bytes of rules can expand a text until it
//! exceeds all memory: 40 replacements that each double the length of the text, a character map with one long entry,
//! byte-level encodings of byte-level encodings. So the rules are checked before they are loaded ([`rules`]), and the
//! length of the text is checked after each normalizer.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;
use tokenizers::{
    DecoderWrapper, ModelWrapper, NormalizedString, Normalizer, NormalizerWrapper, PostProcessorWrapper,
    PreTokenizedString, PreTokenizer, PreTokenizerWrapper, TokenizerImpl,
};

use crate::rules;

/// Maximum number of bytes of a normalized text per byte of the original text, in addition to [`SHORT_ALLOWANCE`]. No
/// character grows more than U+FDFA: NFKC makes it 11 times as long, and replacing spaces by "▁" at most triples that.
const MAX_SHORT_GROWTH: usize = 40;
/// Number of bytes that a normalized text may have beyond [`MAX_SHORT_GROWTH`], for prefixes.
const SHORT_ALLOWANCE: usize = 256;
/// A second limit of the same form, which is stricter for long texts. A text of spaces becomes three times as long if
/// each space becomes "▁".
const MAX_LONG_GROWTH: usize = 4;
/// Number of bytes that a normalized text may have beyond [`MAX_LONG_GROWTH`].
const LONG_ALLOWANCE: usize = 2 << 20;
/// If the output of a normalizer may exceed both this many bytes and the limits above, the normalizer first runs on
/// each part of the text in turn, to estimate the length of the output without storing it.
const MAX_UNESTIMATED_BYTES: usize = 16 << 20;
/// Number of bytes of a part. Normalizing is timed only if the text is longer.
const PART_BYTES: usize = 64 << 10;
/// Maximum time for normalizing one text. An ordinary tokenizer takes a microsecond per hundred bytes.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The tokenizer of the library, with limited rules.
pub(crate) type LibraryTokenizer =
    TokenizerImpl<ModelWrapper, LimitedNormalizer, CheckedPreTokenizer, PostProcessorWrapper, DecoderWrapper>;

/// The normalizers of a tokenizer, in order, with checks after each.
#[derive(Debug, Clone)]
pub(crate) struct LimitedNormalizer {
    steps: Vec<Step>,
}

/// One normalizer.
#[derive(Debug, Clone)]
struct Step {
    normalizer: NormalizerWrapper,
    /// Position and type of the normalizer, for error messages.
    name: String,
    /// Maximum number of output bytes per input byte; 1 if the rule does not determine it ([`rules::Rule::growth`]).
    growth: usize,
}

impl LimitedNormalizer {
    /// Returns the normalizer if there is exactly one, and `None` otherwise.
    pub fn only(&self) -> Option<&NormalizerWrapper> {
        match &self.steps[..] {
            [step] => Some(&step.normalizer),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for LimitedNormalizer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let found = rules::normalizers(&value).map_err(D::Error::custom)?;
        let whole: NormalizerWrapper = serde_json::from_value(value).map_err(D::Error::custom)?;
        let mut normalizers = Vec::with_capacity(found.len());
        flatten(&whole, &mut normalizers);
        if normalizers.len() != found.len() {
            return Err(D::Error::custom("normalizers of an unknown form"));
        }
        let steps = normalizers.into_iter().zip(found).map(|(normalizer, rule)| Step {
            normalizer,
            name: rule.name,
            growth: rule.growth,
        });
        Ok(Self { steps: steps.collect() })
    }
}

/// Appends a normalizer or, if it is a sequence, the normalizers inside it.
fn flatten(normalizer: &NormalizerWrapper, normalizers: &mut Vec<NormalizerWrapper>) {
    match normalizer {
        NormalizerWrapper::Sequence(sequence) => {
            sequence.as_ref().iter().for_each(|normalizer| flatten(normalizer, normalizers));
        }
        single => normalizers.push(single.clone()),
    }
}

thread_local! {
    /// Why a normalizer rejected a text on this thread. The library drops the errors of normalizers.
    static REJECTION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work` and returns its result, or the error of a normalizer that rejected a text meanwhile.
pub(crate) fn unless_rejected<T>(work: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, String> {
    REJECTION.take();
    let result = work().map_err(|error| error.to_string());
    REJECTION.take().map_or(result, Err)
}

impl Normalizer for LimitedNormalizer {
    fn normalize(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        let result = self.run(text);
        if let Err(error) = &result {
            REJECTION.set(Some(error.to_string()));
            // The result is not used, so an empty text saves further work.
            text.clear();
        }
        result
    }
}

impl LimitedNormalizer {
    /// Applies all normalizers to `text`. Fails if the text becomes too long, or if this takes too much time.
    fn run(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        let length = text.get_original().len();
        let bound = |growth: usize, allowance: usize| length.saturating_mul(growth).saturating_add(allowance);
        let limit = bound(MAX_SHORT_GROWTH, SHORT_ALLOWANCE).min(bound(MAX_LONG_GROWTH, LONG_ALLOWANCE));
        let mut started = None;
        for step in &self.steps {
            let may_grow =
                step.growth > 1 && text.len().saturating_mul(step.growth) > MAX_UNESTIMATED_BYTES.max(limit);
            if may_grow && step.estimated_length(text.get(), limit)? > limit {
                return Err(step.too_long(limit));
            }
            step.normalizer.normalize(text)?;
            if text.len() > limit {
                return Err(step.too_long(limit));
            }
            // Short texts are not timed.
            if text.len() > PART_BYTES && started.get_or_insert_with(Instant::now).elapsed() > MAX_TIME {
                return Err(format!("{}: expected at most {MAX_TIME:?} per text, got more", step.name).into());
            }
        }
        Ok(())
    }
}

impl Step {
    /// Estimates the output length of the step in bytes; stops when the estimate exceeds `limit`.
    fn estimated_length(&self, text: &str, limit: usize) -> tokenizers::Result<usize> {
        let (mut rest, mut estimate) = (text, 0);
        while !rest.is_empty() && estimate <= limit {
            let (part, tail) = rest.split_at(rest.floor_char_boundary(PART_BYTES));
            let mut part = NormalizedString::from(part);
            self.normalizer.normalize(&mut part)?;
            estimate += part.len();
            rest = tail;
        }
        Ok(estimate)
    }

    fn too_long(&self, limit: usize) -> tokenizers::Error {
        format!("{}: expected at most {limit} bytes of normalized text, got more", self.name).into()
    }
}

/// A pre-tokenizer whose rules were checked when it was loaded.
#[derive(Debug, Clone)]
pub(crate) struct CheckedPreTokenizer(pub PreTokenizerWrapper);

impl<'de> Deserialize<'de> for CheckedPreTokenizer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        rules::check_pre_tokenizers(&value).map_err(D::Error::custom)?;
        serde_json::from_value(value).map(Self).map_err(D::Error::custom)
    }
}

impl PreTokenizer for CheckedPreTokenizer {
    fn pre_tokenize(&self, text: &mut PreTokenizedString) -> tokenizers::Result<()> {
        self.0.pre_tokenize(text)
    }
}
