//! Limits on how far the rules of a `tokenizer.json` can expand a text.
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

/// Maximum length of a short text after normalization: its length times this factor, plus an allowance for prefixes.
/// U+FDFA grows most of all characters: to 11 times its bytes by NFKC, and to three times that if spaces are replaced.
const MAX_GROWTH: usize = 40;
const ALLOWANCE: usize = 256;
/// The same for a long text. A text of spaces, each of which becomes "▁", becomes three times as long.
const MAX_LONG_GROWTH: usize = 4;
const LONG_ALLOWANCE: usize = 2 << 20;
/// A step whose output cannot exceed this many bytes runs directly; others are first tried on parts of the text.
const MAX_UNTRIED: usize = 16 << 20;
/// Number of bytes of such a part.
const PART: usize = 64 << 10;
/// Maximum time for normalizing one text. An ordinary tokenizer takes a microsecond per hundred bytes.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The library's tokenizer, with limits on how far its rules can expand a text.
pub(crate) type LibraryTokenizer =
    TokenizerImpl<ModelWrapper, Guarded, GuardedPre, PostProcessorWrapper, DecoderWrapper>;

/// The normalizers of a tokenizer, in order, each with a bound on its growth.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
struct Step {
    normalizer: NormalizerWrapper,
    name: String,
    /// Maximum number of output bytes per input byte.
    growth: usize,
}

impl Guarded {
    /// The normalizer, if there is only one.
    pub fn only(&self) -> Option<&NormalizerWrapper> {
        match &self.steps[..] {
            [step] => Some(&step.normalizer),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Guarded {
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

fn flatten(normalizer: &NormalizerWrapper, into: &mut Vec<NormalizerWrapper>) {
    match normalizer {
        NormalizerWrapper::Sequence(sequence) => {
            sequence.as_ref().iter().for_each(|normalizer| flatten(normalizer, into));
        }
        single => into.push(single.clone()),
    }
}

thread_local! {
    /// Why a text was rejected on this thread. The library drops the errors of normalizers.
    static REFUSED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work` and returns its result, or the error of a normalizer that rejected a text during it.
pub(crate) fn unless_refused<T>(work: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, String> {
    REFUSED.take();
    let result = work().map_err(|error| error.to_string());
    REFUSED.take().map_or(result, Err)
}

impl Normalizer for Guarded {
    fn normalize(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        let result = self.run(text);
        if let Err(error) = &result {
            REFUSED.set(Some(error.to_string()));
            // The result is not used, so an empty text saves further work.
            text.clear();
        }
        result
    }
}

impl Guarded {
    fn run(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        let length = text.get_original().len();
        let bound = |times: usize, more: usize| length.saturating_mul(times).saturating_add(more);
        let limit = bound(MAX_GROWTH, ALLOWANCE).min(bound(MAX_LONG_GROWTH, LONG_ALLOWANCE));
        let mut started = None;
        for step in &self.steps {
            let grown = step.growth > 1 && text.len().saturating_mul(step.growth) > MAX_UNTRIED.max(limit);
            if grown && step.tried(text.get(), limit)? > limit {
                return Err(step.grows(limit));
            }
            step.normalizer.normalize(text)?;
            if text.len() > limit {
                return Err(step.grows(limit));
            }
            if text.len() > PART && started.get_or_insert_with(Instant::now).elapsed() > MAX_TIME {
                return Err(format!("{}: expected to be done in {MAX_TIME:?}, got more", step.name).into());
            }
        }
        Ok(())
    }
}

impl Step {
    /// Estimates the output length of the step in bytes; stops once it exceeds `limit`.
    fn tried(&self, text: &str, limit: usize) -> tokenizers::Result<usize> {
        let (mut rest, mut made) = (text, 0);
        while !rest.is_empty() && made <= limit {
            let (part, behind) = rest.split_at(rest.floor_char_boundary(PART));
            let mut part = NormalizedString::from(part);
            self.normalizer.normalize(&mut part)?;
            made += part.len();
            rest = behind;
        }
        Ok(made)
    }

    fn grows(&self, limit: usize) -> tokenizers::Error {
        format!("{}: expected at most {limit} bytes of normalized text, got more", self.name).into()
    }
}

/// A pre-tokenizer whose rules were checked.
#[derive(Debug, Clone)]
pub(crate) struct GuardedPre(pub PreTokenizerWrapper);

impl<'de> Deserialize<'de> for GuardedPre {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        rules::check_pre_tokenizers(&value).map_err(D::Error::custom)?;
        serde_json::from_value(value).map(Self).map_err(D::Error::custom)
    }
}

impl PreTokenizer for GuardedPre {
    fn pre_tokenize(&self, text: &mut PreTokenizedString) -> tokenizers::Result<()> {
        self.0.pre_tokenize(text)
    }
}
