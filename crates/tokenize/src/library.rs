//! The `tokenizers` library, with limits on how far the rules of a `tokenizer.json` can expand a text.
//!
//! A few hundred bytes of rules can expand a text beyond all memory: 40 replacements that each double it, a character
//! map with one long entry, byte-level encodings of byte-level encodings. The rules are therefore checked before they
//! are loaded, and the length of the text is checked after each one.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;
use tokenizers::{
    DecoderWrapper, ModelWrapper, NormalizedString, Normalizer, NormalizerWrapper, PostProcessorWrapper,
    PreTokenizedString, PreTokenizer, PreTokenizerWrapper, TokenizerImpl,
};

use crate::rules;

/// A normalized text has at most this many bytes per original byte, plus [`SHORT_ALLOWANCE`] for prefixes. U+FDFA grows
/// most of all characters: to 11 times its bytes by NFKC, and to three times that if spaces are replaced.
const MAX_SHORT_GROWTH: usize = 40;
const SHORT_ALLOWANCE: usize = 256;
/// The same for long texts, for which this bound is lower. A text of spaces, each of which becomes "▁", becomes three
/// times as long.
const MAX_LONG_GROWTH: usize = 4;
const LONG_ALLOWANCE: usize = 2 << 20;
/// A normalizer whose output may exceed this many bytes is first run on parts of the text to estimate the output.
const MAX_UNESTIMATED_BYTES: usize = 16 << 20;
/// Number of bytes of such a part.
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

#[derive(Debug, Clone)]
struct Step {
    normalizer: NormalizerWrapper,
    name: String,
    /// Maximum number of output bytes per input byte.
    growth: usize,
}

impl LimitedNormalizer {
    /// The normalizer, if there is only one.
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

/// Appends a normalizer, or those of a sequence.
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

/// Runs `work` and returns its result, or the error of a normalizer that rejected a text during it.
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
            if text.len() > PART_BYTES && started.get_or_insert_with(Instant::now).elapsed() > MAX_TIME {
                return Err(format!("{}: expected to be done in {MAX_TIME:?}, got more", step.name).into());
            }
        }
        Ok(())
    }
}

impl Step {
    /// Estimates the output length of the step in bytes; stops once it exceeds `limit`.
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
