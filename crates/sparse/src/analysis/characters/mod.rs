//! Properties of characters as Lucene and Java define them.
//!
//! Lucene 10 splits texts into words by Unicode 12.1. The general categories used here come from the crate
//! `unicode-properties`, and word boundaries from `unicode-segmentation`. Both crates implement later versions of
//! Unicode, so the functions here correct the results of these crates where they would lead to words that differ from
//! Lucene's. [`tables`] has two more properties; it is generated from Unicode 14.

mod tables;

use std::borrow::Cow;
use std::cmp::Ordering;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use tables::{COMPLEX_CONTEXT, PICTOGRAPHS};

/// Returns true for letters and marks of scripts that are written without spaces, so that finding words takes a
/// dictionary (Thai, Lao, Burmese, Khmer, Tai Le, New Tai Lue, Tai Tham, Tai Viet, Ahom). Lucene keeps a run of such
/// characters as one word.
pub(crate) fn is_complex_context(c: char) -> bool {
    in_ranges(c, &COMPLEX_CONTEXT)
}

/// Returns true if a segment that contains this character is a word: for letters and digits, but not for marks.
pub(crate) fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    match c.general_category() {
        GeneralCategory::DecimalNumber | GeneralCategory::LetterNumber => true,
        _ if c.is_alphabetic() => c.general_category_group() != GeneralCategoryGroup::Mark,
        _ => is_extra_letter(c),
    }
}

/// Java's `Character.isLetter`: true for letters, but not for marks and letter-like numbers such as Ⅷ.
pub(crate) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.general_category_group() == GeneralCategoryGroup::Letter
}

/// Java's `Character.isWhitespace`: true for separators except no-break spaces, and for some control characters.
pub(crate) fn is_white_space(c: char) -> bool {
    match c {
        '\t'..='\r' | '\u{1c}'..='\u{1f}' | ' ' => true,
        '\u{a0}' | '\u{2007}' | '\u{202f}' => false,
        c => !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Separator,
    }
}

/// Java's `Character.toLowerCase`, which maps one character to one character.
pub(crate) fn lower_case(c: char) -> char {
    // Unicode's full mapping gives more than one character only for İ. The first of them is the result of the simple
    // mapping.
    c.to_lowercase().next().unwrap_or(c)
}

/// Returns true if a segment between word boundaries is an emoji: a pictograph, a skin tone, a flag (two regional
/// indicators), or a keycap of `#` or `*`. (The keycap of a digit is a word anyway, because it contains a digit.)
pub(crate) fn is_emoji(segment: &str) -> bool {
    let mut characters = segment.chars();
    let is_regional_indicator = |c: char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    match characters.next() {
        Some('#' | '*') => characters.any(|c| c == '\u{20e3}'),
        Some(c) if is_regional_indicator(c) => characters.any(is_regional_indicator),
        Some(c) => matches!(c, '\u{1f3fb}'..='\u{1f3ff}') || in_ranges(c, &PICTOGRAPHS),
        None => false,
    }
}

/// Returns true for characters with Word_Break = ALetter that are not alphabetic: modifier symbols and a few signs.
fn is_extra_letter(c: char) -> bool {
    let code = u32::from(c);
    (0x2c2..=0x2ff).contains(&code)
        || (0xa700..=0xa721).contains(&code)
        || matches!(code, 0xa789..=0xa78a | 0x55b..=0x55c | 0x55e | 0x58a | 0x5f3 | 0xab5b)
}

/// Replaces characters whose Word_Break value changed between Unicode 12.1 and 17 with characters that have the old
/// value and the same length in UTF-8, so that offsets stay the same. The result is only used to find boundaries.
pub(crate) fn as_unicode_12(text: &str) -> Cow<'_, str> {
    // The UTF-8 of each replaced character starts with one of these bytes.
    let first_bytes = [0xc2, 0xd8, 0xdb, 0xdc, 0xe0, 0xef, 0xf0];
    if text.is_ascii()
        || !text.bytes().any(|byte| first_bytes.contains(&byte))
        || text.chars().all(|c| unicode_12_equivalent(c) == c)
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(unicode_12_equivalent).collect())
}

/// Returns a character that has the Word_Break value of `c` in Unicode 12.1, and the same length in UTF-8.
fn unicode_12_equivalent(c: char) -> char {
    match c {
        // Now a letter; in 12.1, without a Word_Break value.
        '\u{b8}' => '\u{b6}',
        // Now digits or letters; in 12.1, format characters.
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' => '\u{ad}',
        '\u{890}' | '\u{891}' | '\u{8e2}' => '\u{2060}',
        '\u{110bd}' | '\u{110cd}' => '\u{1d173}',
        // Now without a Word_Break value; in 12.1, allowed between digits.
        '\u{fe10}' => '\u{ff0c}',
        '\u{fe14}' => '\u{ff1b}',
        c => c,
    }
}

/// Returns true if a character is in one of these ranges (first, last), which must be in ascending order.
fn in_ranges(c: char, ranges: &[(u32, u32)]) -> bool {
    let code = u32::from(c);
    let compare = |&(first, last): &(u32, u32)| {
        if last < code {
            Ordering::Less
        } else if first > code {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    };
    code >= ranges[0].0 && ranges.binary_search_by(compare).is_ok()
}
