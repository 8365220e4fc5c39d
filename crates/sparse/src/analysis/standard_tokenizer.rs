//! Finds the words that Lucene's StandardTokenizer finds: the segments between word boundaries (UAX #29, "Unicode Text
//! Segmentation") that contain a letter, a digit or an emoji.
//!
//! A text is split at spaces first. Parts of ASCII letters, digits and punctuation take a fast path, which reads 64
//! bytes at a time. Other ASCII parts are read byte by byte, and the others are split by the crate
//! `unicode-segmentation`. Lucene implements Unicode 12.1, and `unicode-segmentation` a later version, so characters
//! whose properties differ between the two versions are replaced first.

use std::ops::Range;

use kernels::ascii::{AsciiClasses, AsciiKernels, GROUP};
use unicode_segmentation::UnicodeSegmentation;

use crate::analysis::characters::{as_unicode_12, is_complex_context, is_emoji, is_word_character};

/// Maximum length of a word in UTF-16 code units. Longer words are split.
pub(crate) const MAX_WORD_UNITS: usize = 255;

/// Calls `visit` with every word of the text, in order.
pub(crate) fn for_each_word(text: &str, mut visit: impl FnMut(&str)) {
    let mut rest = text;
    while rest.len() > BLOCK {
        // No word contains a space, and the words after a space do not depend on the text before it.
        let bytes = rest.as_bytes();
        match bytes[..BLOCK].iter().rposition(|&byte| byte == b' ') {
            Some(space) => {
                for_each_word_of_block(&rest[..space], &mut visit);
                rest = &rest[space + 1..];
            }
            None => {
                let end =
                    bytes[BLOCK..].iter().position(|&byte| byte == b' ').map_or(rest.len(), |at| BLOCK + at);
                for_each_word_of_part(&rest[..end], &mut visit);
                rest = &rest[end..];
            }
        }
    }
    for_each_word_of_block(rest, &mut visit);
}

/// Number of groups of bytes, and number of bytes, that are classified together.
const GROUPS: usize = 16;
const BLOCK: usize = GROUPS * GROUP;

/// Calls `visit` with every word of a text of at most [`BLOCK`] bytes.
///
/// Most words are runs of ASCII letters and digits, whose ends are found from bits. A part between two spaces that has
/// other characters which may belong to words is read character by character.
fn for_each_word_of_block(text: &str, visit: &mut impl FnMut(&str)) {
    let (bytes, mut classes) = (text.as_bytes(), [AsciiClasses::default(); GROUPS]);
    let classes = &mut classes[..bytes.len().div_ceil(GROUP)];
    AsciiKernels::detect().classify(bytes, classes);
    let (mut ends, mut irregular) = (SetBits::default(), SetBits::default());
    // Whether the last byte of the previous group is a letter or digit.
    let mut before = 0;
    for (group, class) in classes.iter().enumerate() {
        let after_alphanumeric = class.alphanumeric << 1 | before;
        let before_alphanumeric =
            class.alphanumeric >> 1 | classes.get(group + 1).map_or(0, |next| next.alphanumeric << 63);
        before = class.alphanumeric >> 63;
        // Where a run starts, and where the byte after a run is.
        ends.groups[group] = class.alphanumeric ^ after_alphanumeric;
        irregular.groups[group] =
            class.others | class.inside_words & after_alphanumeric & before_alphanumeric;
    }
    let mut start = ends.next();
    loop {
        let next_irregular = irregular.next();
        let part_start = next_irregular.map_or(bytes.len(), |at| {
            bytes[..at].iter().rposition(|&byte| byte == b' ').map_or(0, |space| space + 1)
        });
        while let Some(run_start) = start.filter(|&start| start < part_start) {
            // A run up to the end of the text may have no bit for its end.
            let run_end = ends.next().unwrap_or(bytes.len());
            let run = &text[run_start..run_end];
            for_each_piece(run, |from, to| visit(&run[from..to]));
            start = ends.next();
        }
        let Some(at) = next_irregular else { return };
        let part_end =
            bytes[at..].iter().position(|&byte| byte == b' ').map_or(bytes.len(), |space| at + space);
        for_each_word_of_part(&text[part_start..part_end], visit);
        // If the part ends with a run, the bit for its end is that of the space.
        ends.skip_to(part_end + 1);
        irregular.skip_to(part_end);
        start = start.filter(|&start| start > part_end).or_else(|| ends.next());
    }
}

/// Calls `visit` with every word of a text without spaces.
fn for_each_word_of_part(text: &str, visit: &mut impl FnMut(&str)) {
    if text.is_ascii() {
        for_each_ascii_word(text, visit);
    } else {
        for_each_unicode_word(text, visit);
    }
}

/// The places of the bits that are set.
#[derive(Default)]
struct SetBits {
    groups: [u64; GROUPS],
    /// The first group that may have bits.
    group: usize,
}

impl SetBits {
    /// Returns the place of the lowest bit, and clears the bit.
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while let Some(bits) = self.groups.get_mut(self.group) {
            if *bits != 0 {
                let place = self.group * GROUP + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                return Some(place);
            }
            self.group += 1;
        }
        None
    }

    /// Clears the bits before a place.
    fn skip_to(&mut self, place: usize) {
        let group = place / GROUP;
        if group > self.group {
            self.group = group;
        }
        if let Some(bits) = self.groups.get_mut(group) {
            *bits &= u64::MAX << (place % GROUP);
        }
    }
}

/// Returns the byte range of a word in a text. The word must be a slice of the text.
pub(crate) fn range_in(text: &str, word: &str) -> Range<usize> {
    let start = word.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + word.len()
}

/// Applies UAX #29 to ASCII: a word consists of letters, digits and `_`, and contains a letter or a digit. `:`, `.` and
/// `'` between letters, and `,`, `;`, `.` and `'` between digits, do not split words.
fn for_each_ascii_word(text: &str, visit: &mut impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let is_word_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut is_word = false;
        while at < bytes.len() && is_word_byte(bytes[at]) {
            is_word |= bytes[at] != b'_';
            at += 1;
            let (before, after) = (bytes[at - 1], bytes.get(at + 1).copied().unwrap_or(0));
            at += usize::from(match bytes.get(at) {
                Some(b'.' | b'\'') => {
                    (before.is_ascii_alphabetic() && after.is_ascii_alphabetic())
                        || (before.is_ascii_digit() && after.is_ascii_digit())
                }
                Some(b':') => before.is_ascii_alphabetic() && after.is_ascii_alphabetic(),
                Some(b',' | b';') => before.is_ascii_digit() && after.is_ascii_digit(),
                _ => false,
            });
        }
        if is_word {
            for_each_piece(&text[start..at], |from, to| visit(&text[start + from..start + to]));
        }
        at += usize::from(at == start);
    }
}

/// Applies UAX #29 with the crate `unicode-segmentation`, and joins words where Lucene does.
fn for_each_unicode_word(text: &str, visit: &mut impl FnMut(&str)) {
    let as_unicode_12 = as_unicode_12(text);
    // Offsets are the same in both texts. Word boundaries come from `as_unicode_12`, the words themselves from `text`.
    let mut emit = |start: usize, end: usize| {
        for_each_piece(&as_unicode_12[start..end], |from, to| visit(&text[start + from..start + to]))
    };
    // In scripts that need a dictionary (Thai, Lao, …), UAX #29 splits before every letter, but Lucene makes one word
    // of a run of such letters.
    let mut run: Option<(usize, usize)> = None;
    for (start, segment) in as_unicode_12.split_word_bound_indices() {
        let end = start + segment.len();
        let is_ascii = segment.as_bytes()[0].is_ascii();
        if !is_ascii && segment.chars().next().is_some_and(is_complex_context) {
            run = Some((run.map_or(start, |(start, _)| start), end));
            continue;
        }
        if let Some((start, end)) = run.take() {
            emit(start, end);
        }
        if is_word(segment) {
            emit(start, end);
        }
    }
    if let Some((start, end)) = run {
        emit(start, end);
    }
}

/// Returns true if a segment between word boundaries contains a letter or a digit, or is an emoji.
fn is_word(segment: &str) -> bool {
    if segment.len() == 1 {
        return segment.as_bytes()[0].is_ascii_alphanumeric();
    }
    segment.chars().any(|c| is_word_character(c) || is_complex_context(c)) || is_emoji(segment)
}

/// Calls `visit` with the start and end of a word, or of each piece of a word that is too long. A piece is the first
/// segment between word boundaries within the 255 units that follow the previous piece. In scripts that need a
/// dictionary, a piece is all of these 255 units. Pieces without a letter, digit or emoji are skipped.
fn for_each_piece(word: &str, mut visit: impl FnMut(usize, usize)) {
    // The length in bytes is at least the number of UTF-16 code units.
    if word.len() <= MAX_WORD_UNITS {
        return visit(0, word.len());
    }
    let needs_dictionary = word.chars().next().is_some_and(is_complex_context);
    let mut start = 0;
    while start < word.len() {
        let window = first_units(&word[start..], MAX_WORD_UNITS);
        let piece =
            if needs_dictionary { window } else { window.split_word_bounds().next().unwrap_or(window) };
        if is_word(piece) {
            visit(start, start + piece.len());
        }
        start += piece.len();
    }
}

/// Returns the longest prefix of a text that has at most `units` UTF-16 code units, but at least one character.
pub(crate) fn first_units(text: &str, units: usize) -> &str {
    let mut left = units;
    for (at, c) in text.char_indices() {
        match left.checked_sub(c.len_utf16()) {
            Some(rest) => left = rest,
            None => return &text[..at.max(c.len_utf8())],
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_fast_paths_for_ascii_find_the_words_of_uax_29(text in "[ab1_.:,;' \\-\n#éÀ\u{301}\u{200d}😀🇩ก漢ア\u{ad}]{0,20}") {
            let mut expected = Vec::new();
            for_each_unicode_word(&text, &mut |word: &str| expected.push(word.to_owned()));
            prop_assert_eq!(words(&text), expected);
        }
    }

    proptest! {
        // Texts of several blocks, mostly of ASCII words, whose ends fall anywhere in a group. Some parts are longer
        // than a block.
        #[test]
        fn long_texts_have_the_words_of_their_parts(parts in prop::collection::vec("[a-z]{0,9}|[a1]{1,3}[.,:;'_-][a1]{0,2}|x{300}|x{1100}|(é-){600}|.é", 0..600)) {
            let (mut expected, mut got) = (Vec::new(), Vec::new());
            for part in &parts {
                for_each_word_of_part(part, &mut |word: &str| expected.push(word.to_owned()));
            }
            for_each_word(&parts.join(" "), |word| got.push(word.to_owned()));
            prop_assert_eq!(got, expected);
        }
    }

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn only_segments_with_a_letter_a_digit_or_an_emoji_are_words() {
        assert_eq!(words("a-b, c_d ___ 3.14 ½ ² © 5€ —"), ["a", "b", "c_d", "3.14", "©", "5"]);
        assert_eq!(words("C♯ # #️⃣ 🇩🇪 👩‍🔬 → ↔"), ["C", "♯", "#️⃣", "🇩🇪", "👩‍🔬", "↔"]);
    }

    #[test]
    fn thai_stays_together_and_han_is_split() {
        assert_eq!(words("การที่ได้ 漢字 カタカナ"), ["การที่ได้", "漢", "字", "カタカナ"]);
    }

    #[test]
    fn a_spacing_cedilla_is_not_a_letter_as_in_unicode_12() {
        assert_eq!(words("a¸b"), ["a", "b"]);
    }

    #[test]
    fn long_words_are_split_after_255_units() {
        let lengths =
            |text: String| words(&text).iter().map(|word| word.encode_utf16().count()).collect::<Vec<_>>();
        assert_eq!(lengths("a".repeat(255)), [255]);
        assert_eq!(lengths("a".repeat(600)), [255, 255, 90]);
        assert_eq!(lengths("é".repeat(256)), [255, 1]);
        // A character of two units that would exceed the limit starts the next piece.
        assert_eq!(lengths("𝒜".repeat(128)), [254, 2]);
        // The apostrophe is the last of the first 255 units. Within these units, no letter follows it, so the word ends
        // before the apostrophe.
        assert_eq!(lengths(format!("{}'{}", "a".repeat(254), "b".repeat(9))), [254, 9]);
    }
}
