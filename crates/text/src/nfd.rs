//! Canonical decomposition (NFD), the Unicode normal form in which answers, patterns and texts are compared.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfd};

/// Converts a text to NFD. Returns a text that is already in NFD as it is.
pub(crate) fn decompose(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_ascii() || is_nfd(&text) { text } else { Cow::Owned(text.nfd().collect()) }
}
