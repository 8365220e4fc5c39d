//! Bounds on what a `tokenizer.json` can make of a text.
//!
//! A few hundred bytes of rules can grow a text beyond all memory: 40 replacements that each double it, a character map
//! with one long entry, byte-level encodings of byte-level encodings. So the rules are looked at before they are loaded,
//! and the length of the text is checked between two of them.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;
use tokenizers::{
    NormalizedString, Normalizer, NormalizerWrapper, PreTokenizedString, PreTokenizer, PreTokenizerWrapper,
};

use crate::rules;

/// Most bytes that normalizing makes of a short text: so many times its own, and a little more for what is put before it.
/// Of all characters U+FDFA grows most, to 11 times its bytes by NFKC, and three times that where spaces are replaced.
const MAX_GROWTH: usize = 40;
const ALLOWANCE: usize = 256;
/// Most bytes that it makes of a long one. Where every character is a space that becomes "▁", it is three times as long.
const MAX_LONG_GROWTH: usize = 4;
const LONG_ALLOWANCE: usize = 2 << 20;
/// A step that cannot make more bytes than this runs at once; others are tried on parts of the text before.
const MAX_UNTRIED: usize = 16 << 20;
/// Bytes of such a part.
const PART: usize = 64 << 10;
/// Longest time for normalizing one text. A sound tokenizer takes a microsecond for each hundred bytes.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The normalizers of a tokenizer, in order, each with its bound.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
struct Step {
    normalizer: NormalizerWrapper,
    name: String,
    /// Bytes that it can make of one.
    growth: usize,
}

impl Guarded {
    /// The normalizer, if it is a single one.
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
    /// Why a text of this thread was refused. The library drops the errors of normalizers.
    static REFUSED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What `work` returns, unless a normalizer refused a text meanwhile; then why.
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
            // Nothing of it is used, so nothing more should be done with it.
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
    /// About how many bytes the step makes of a text; stops once it is more than `limit`.
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

/// A pre-tokenizer whose rules were looked at.
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
