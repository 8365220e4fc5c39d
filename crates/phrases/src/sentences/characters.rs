//! Character classes of the sentence splitter: sentence terminators, line breaks, quotation marks, brackets, dashes.
//!
//! The terminators are a Unicode property, in a generated table ([`sentence_terminal`](super::sentence_terminal)). Quotation
//! marks and brackets are a selection from the Unicode categories Ps, Pe, Pi, Pf and the property `Quotation_Mark`: those in
//! common use. Scripts are given by their Unicode blocks.

use super::sentence_terminal::is_sentence_terminal;

/// What a character can mean for the scan over a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// It may end a sentence.
    Terminator,
    /// It ends a line.
    LineBreak,
    /// A letter of Thai or Lao, which separate sentences by spaces.
    ThaiOrLao,
    /// `;`, which is the Greek question mark.
    Semicolon,
    Other,
}

/// For each byte, whether it is the first UTF-8 byte of some character whose class is not [`Class::Other`]. The scan
/// decodes only characters that begin with one of these bytes.
pub(crate) const IS_CANDIDATE: [bool; 256] = candidate_bytes();

const fn candidate_bytes() -> [bool; 256] {
    let mut is_candidate = [false; 256];
    let bytes = b".!?;\n\r\x0b\x0c\xc2\xcd\xd6\xd8\xdb\xdc\xdf\xe0\xe1\xe2\xe3\xea\xef\xf0";
    let mut at = 0;
    while at < bytes.len() {
        is_candidate[bytes[at] as usize] = true;
        at += 1;
    }
    is_candidate
}

pub(crate) fn class(letter: char) -> Class {
    match letter {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Class::LineBreak,
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}' => Class::ThaiOrLao,
        ';' | '\u{37e}' => Class::Semicolon,
        _ if is_terminator(letter) => Class::Terminator,
        _ => Class::Other,
    }
}

/// Whether a character can end a sentence: Unicode's `Sentence_Terminal` and the ellipsis, but not U+104A, the Burmese
/// comma.
pub(crate) fn is_terminator(letter: char) -> bool {
    match letter {
        '.' | '!' | '?' | '…' => true,
        // `.`, `!` and `?` are the only ones below U+0589.
        '\0'..='\u{588}' | '\u{104a}' => false,
        _ => is_sentence_terminal(letter),
    }
}

/// Whether a terminator is a full stop, which also ends abbreviations.
pub(crate) fn is_full_stop(letter: char) -> bool {
    matches!(letter, '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}')
}

/// Whether a terminator is usually not followed by a space: all but those of European scripts.
pub(crate) fn is_unspaced_terminator(letter: char) -> bool {
    letter > '\u{588}'
        && !matches!(letter, '\u{2024}' | '…' | '\u{203c}'..='\u{203d}' | '\u{2047}'..='\u{2049}')
}

/// Whether a character closes a quotation or a bracket if it follows a terminator directly.
pub(crate) fn is_closer(letter: char) -> bool {
    matches!(
        letter,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '»'
            | '›'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '〕'
            | '〗'
            | '］'
            | '｝'
            | '｣'
            | '\u{301e}'
            | '\u{301f}'
            | '\u{fd3e}'
            | '\u{ff02}'
            | '\u{ff07}'
    )
}

/// Whether a character opens a quotation or a bracket. Some languages use these quotation marks to close.
pub(crate) fn is_opener(letter: char) -> bool {
    is_opening_quote(letter)
        || matches!(letter, '(' | '[' | '{' | '（' | '【' | '《' | '〈' | '〔' | '〖' | '［' | '｛')
}

pub(crate) fn is_opening_quote(letter: char) -> bool {
    matches!(letter, '“' | '‘' | '«' | '‹' | '„' | '‚' | '‟' | '「' | '『' | '｢' | '\u{301d}')
}

/// Whether a character never begins a sentence, so that the current sentence continues.
pub(crate) fn continues_sentence(letter: char) -> bool {
    matches!(letter, ',' | ';' | ':' | '،' | '؛' | '、' | '，' | '；' | '：' | '､' | '՝' | '၊' | '፣' | '፤')
}

pub(crate) fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '‐'..='―' | '−')
}

/// Whether a character belongs to a script without spaces between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese,
/// and the full-width punctuation of the latter.
pub(crate) fn is_unspaced_script(letter: char) -> bool {
    matches!(
        letter,
        '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
            | '\u{ff5f}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// Approximate number of columns that a character takes in a terminal: two for Chinese, Japanese and Korean.
pub(crate) fn columns(letter: char) -> usize {
    match letter {
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff60}'
        | '\u{20000}'..='\u{3ffff}' => 2,
        _ => 1,
    }
}

/// The character that ends at byte `at`.
pub(crate) fn char_before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// The character that starts at byte `at`.
pub(crate) fn char_at(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_segmentation::UnicodeSegmentation;

    #[test]
    fn terminators_are_those_of_the_unicode_standard() {
        for letter in '\0'..=char::MAX {
            let text = format!("aa{letter} Bb");
            let splits = text.split_sentence_bounds().count() > 1 && class(letter) != Class::LineBreak;
            match letter {
                '…' => assert!(is_terminator(letter) && !splits),
                '\u{104a}' => assert!(!is_terminator(letter) && splits),
                _ => assert_eq!(is_terminator(letter), splits, "U+{:04X}", u32::from(letter)),
            }
        }
    }

    #[test]
    fn the_scan_sees_every_character_that_has_a_class() {
        for letter in '\0'..=char::MAX {
            if class(letter) != Class::Other {
                let lead = letter.encode_utf8(&mut [0; 4]).as_bytes()[0];
                assert!(IS_CANDIDATE[lead as usize], "U+{:04X}", u32::from(letter));
            }
        }
    }

    #[test]
    fn line_breaks_are_those_of_the_unicode_standard() {
        // For the standard, the line tabulation and the form feed are spaces.
        for letter in '\0'..=char::MAX {
            let splits = format!("aa{letter}bb").split_sentence_bounds().count() > 1;
            let line = class(letter) == Class::LineBreak && !matches!(letter, '\u{b}' | '\u{c}');
            assert_eq!(
                line,
                splits && !is_terminator(letter) && letter != '\u{104a}',
                "U+{:04X}",
                u32::from(letter)
            );
        }
    }
}
