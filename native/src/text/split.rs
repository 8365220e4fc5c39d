//! Splits documents into passages, and normalizes and matches answers.

use corpus::{Passage, passages_of};
use napi::bindgen_prelude::Uint32Array;
use napi_derive::napi;
use text::{AnswerMatcher, SplitOptions, Utf16Offsets};

use crate::call::{CallResult, call_sync};

/// The passages of a document, and their half-open ranges of UTF-16 code units in it.
#[napi(object)]
pub struct Pieces {
    pub texts: Vec<String>,
    pub starts: Uint32Array,
    pub ends: Uint32Array,
}

/// Splits a document into passages of `words` words. Consecutive passages share `overlap` words. With `wrap`, a short
/// last passage is filled up with words from the start of the document.
#[napi(catch_unwind)]
pub fn split_document(text: String, words: u32, overlap: u32, wrap: bool) -> napi::Result<Pieces> {
    call_sync(|| {
        let options = SplitOptions { words: words as usize, overlap: overlap as usize, wrap };
        // The id is not part of the result.
        let document = Passage { id: "document".to_owned(), title: None, text };
        let pieces = passages_of(&document, &options)?;
        let offsets = Utf16Offsets::new(&document.text);
        let (mut starts, mut ends) = (Vec::with_capacity(pieces.len()), Vec::with_capacity(pieces.len()));
        for (_, range) in &pieces {
            starts.push(offsets.of(range.start)? as u32);
            ends.push(offsets.of(range.end)? as u32);
        }
        let texts = pieces.into_iter().map(|(passage, _)| passage.text).collect();
        Ok(Pieces { texts, starts: starts.into(), ends: ends.into() })
    })
}

/// Normalizes the case, punctuation, articles and white space of an answer, as SQuAD's evaluation script does.
#[napi(catch_unwind)]
pub fn normalize_answer(answer: String) -> napi::Result<String> {
    call_sync(|| Ok(text::normalize_answer(&answer)))
}

/// Returns whether a text contains one of the answers. With `patterns`, answers are regular expressions.
#[napi(catch_unwind)]
pub fn has_answer(text: String, answers: Vec<String>, patterns: bool) -> napi::Result<bool> {
    call_sync(|| Ok(matcher(&answers, patterns)?.matches(&text)))
}

fn matcher(answers: &[String], patterns: bool) -> CallResult<AnswerMatcher> {
    Ok(if patterns { AnswerMatcher::patterns(answers)? } else { AnswerMatcher::tokens(answers) })
}
