//! Canonical decomposition (NFD), in which answers, patterns and texts are compared.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfd};

/// Converts a text to NFD.
pub(crate) fn decompose(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_ascii() || is_nfd(&text) { text } else { Cow::Owned(text.nfd().collect()) }
}
