//! Properties of characters, where Lucene's Unicode (12.1) is not that of our libraries.

use std::borrow::Cow;
use std::cmp::Ordering;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Line_Break = Complex_Context: letters and marks of scripts written without spaces, whose words take a
/// dictionary to find (Thai, Lao, Burmese, Khmer, Tai, Ahom). From Unicode's LineBreak.txt.
const COMPLEX_CONTEXT: [(u32, u32); 35] = [
    (0x0e01, 0x0e3a),
    (0x0e40, 0x0e4e),
    (0x0e81, 0x0e82),
    (0x0e84, 0x0e84),
    (0x0e86, 0x0e8a),
    (0x0e8c, 0x0ea3),
    (0x0ea5, 0x0ea5),
    (0x0ea7, 0x0ebd),
    (0x0ec0, 0x0ec4),
    (0x0ec6, 0x0ec6),
    (0x0ec8, 0x0ecd),
    (0x0edc, 0x0edf),
    (0x1000, 0x103f),
    (0x1050, 0x108f),
    (0x109a, 0x109f),
    (0x1780, 0x17d3),
    (0x17d7, 0x17d7),
    (0x17dc, 0x17dd),
    (0x1950, 0x196d),
    (0x1970, 0x1974),
    (0x1980, 0x19ab),
    (0x19b0, 0x19c9),
    (0x19da, 0x19da),
    (0x19de, 0x19df),
    (0x1a20, 0x1a5e),
    (0x1a60, 0x1a7c),
    (0x1aa0, 0x1aad),
    (0xa9e0, 0xa9ef),
    (0xa9fa, 0xa9fe),
    (0xaa60, 0xaac2),
    (0xaadb, 0xaadf),
    (0x11700, 0x1171a),
    (0x1171d, 0x1172b),
    (0x1173a, 0x1173b),
    (0x1173f, 0x11746),
];

/// Extended_Pictographic beyond ASCII. From Unicode's emoji-data.txt (14.0).
const PICTOGRAPHS: [(u32, u32); 78] = [
    (0x00a9, 0x00a9),
    (0x00ae, 0x00ae),
    (0x203c, 0x203c),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2194, 0x2199),
    (0x21a9, 0x21aa),
    (0x231a, 0x231b),
    (0x2328, 0x2328),
    (0x2388, 0x2388),
    (0x23cf, 0x23cf),
    (0x23e9, 0x23f3),
    (0x23f8, 0x23fa),
    (0x24c2, 0x24c2),
    (0x25aa, 0x25ab),
    (0x25b6, 0x25b6),
    (0x25c0, 0x25c0),
    (0x25fb, 0x25fe),
    (0x2600, 0x2605),
    (0x2607, 0x2612),
    (0x2614, 0x2685),
    (0x2690, 0x2705),
    (0x2708, 0x2712),
    (0x2714, 0x2714),
    (0x2716, 0x2716),
    (0x271d, 0x271d),
    (0x2721, 0x2721),
    (0x2728, 0x2728),
    (0x2733, 0x2734),
    (0x2744, 0x2744),
    (0x2747, 0x2747),
    (0x274c, 0x274c),
    (0x274e, 0x274e),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2763, 0x2767),
    (0x2795, 0x2797),
    (0x27a1, 0x27a1),
    (0x27b0, 0x27b0),
    (0x27bf, 0x27bf),
    (0x2934, 0x2935),
    (0x2b05, 0x2b07),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b50),
    (0x2b55, 0x2b55),
    (0x3030, 0x3030),
    (0x303d, 0x303d),
    (0x3297, 0x3297),
    (0x3299, 0x3299),
    (0x1f000, 0x1f0ff),
    (0x1f10d, 0x1f10f),
    (0x1f12f, 0x1f12f),
    (0x1f16c, 0x1f171),
    (0x1f17e, 0x1f17f),
    (0x1f18e, 0x1f18e),
    (0x1f191, 0x1f19a),
    (0x1f1ad, 0x1f1e5),
    (0x1f201, 0x1f20f),
    (0x1f21a, 0x1f21a),
    (0x1f22f, 0x1f22f),
    (0x1f232, 0x1f23a),
    (0x1f23c, 0x1f23f),
    (0x1f249, 0x1f3fa),
    (0x1f400, 0x1f53d),
    (0x1f546, 0x1f64f),
    (0x1f680, 0x1f6ff),
    (0x1f774, 0x1f77f),
    (0x1f7d5, 0x1f7ff),
    (0x1f80c, 0x1f80f),
    (0x1f848, 0x1f84f),
    (0x1f85a, 0x1f85f),
    (0x1f888, 0x1f88f),
    (0x1f8ae, 0x1f8ff),
    (0x1f90c, 0x1f93a),
    (0x1f93c, 0x1f945),
    (0x1f947, 0x1faff),
    (0x1fc00, 0x1fffd),
];

/// Whether a run of such characters is one word.
pub(crate) fn is_complex_context(c: char) -> bool {
    in_ranges(c, &COMPLEX_CONTEXT)
}

/// Whether a segment with this character is a word: letters and decimal digits, not marks.
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

/// Java's `Character.isLetter`: letters, not marks or letter-like numbers.
pub(crate) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.general_category_group() == GeneralCategoryGroup::Letter
}

/// Java's `Character.isWhitespace`: separators but for the no-break spaces, and some controls.
pub(crate) fn is_white_space(c: char) -> bool {
    match c {
        '\t'..='\r' | '\u{1c}'..='\u{1f}' | ' ' => true,
        '\u{a0}' | '\u{2007}' | '\u{202f}' => false,
        c => !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Separator,
    }
}

/// Java's `Character.toLowerCase`: one character for one.
pub(crate) fn lower_case(c: char) -> char {
    // Only İ has more than one in Unicode's full mapping; the simple one is its first.
    c.to_lowercase().next().unwrap_or(c)
}

/// Whether a segment of UAX #29 is an emoji: a pictograph, a skin tone, a flag of two letters, or a keycap.
pub(crate) fn is_emoji(segment: &str) -> bool {
    let mut characters = segment.chars();
    let regional = |c: char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    match characters.next() {
        Some('#' | '*') => characters.any(|c| c == '\u{20e3}'),
        Some(c) if regional(c) => characters.any(regional),
        Some(c) => matches!(c, '\u{1f3fb}'..='\u{1f3ff}') || in_ranges(c, &PICTOGRAPHS),
        None => false,
    }
}

/// Word_Break = ALetter without being alphabetic: modifier symbols and a few signs.
fn is_extra_letter(c: char) -> bool {
    let code = u32::from(c);
    (0x2c2..=0x2ff).contains(&code)
        || (0xa700..=0xa721).contains(&code)
        || matches!(code, 0xa789..=0xa78a | 0x55b..=0x55c | 0x55e | 0x58a | 0x5f3 | 0xab5b)
}

/// Replaces characters whose Word_Break value changed between Unicode 12.1 and 17 by others of the old value and
/// the same length in bytes, so that offsets stay. For finding boundaries only.
pub(crate) fn as_unicode_12(text: &str) -> Cow<'_, str> {
    // Every one of them begins with one of these bytes; ASCII text is through at once.
    let suspects = [0xc2, 0xd8, 0xdb, 0xdc, 0xe0, 0xef, 0xf0];
    if text.is_ascii()
        || !text.bytes().any(|byte| suspects.contains(&byte))
        || text.chars().all(|c| old(c) == c)
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(old).collect())
}

fn old(c: char) -> char {
    match c {
        // A letter since; was nothing.
        '\u{b8}' => '\u{b6}',
        // Digits or letters since; were format characters.
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' => '\u{ad}',
        '\u{890}' | '\u{891}' | '\u{8e2}' => '\u{2060}',
        '\u{110bd}' | '\u{110cd}' => '\u{1d173}',
        // Nothing since; stood between digits.
        '\u{fe10}' => '\u{ff0c}',
        '\u{fe14}' => '\u{ff1b}',
        c => c,
    }
}

fn in_ranges(c: char, ranges: &[(u32, u32)]) -> bool {
    let code = u32::from(c);
    let place = |&(first, last): &(u32, u32)| {
        if last < code {
            Ordering::Less
        } else if first > code {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    };
    code >= ranges[0].0 && ranges.binary_search_by(place).is_ok()
}
