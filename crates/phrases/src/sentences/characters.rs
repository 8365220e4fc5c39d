//! Character classes of the sentence splitter: sentence terminators, line breaks, quotation marks, brackets, dashes.
//!
//! Terminators are given by a Unicode property, for which there is a generated table
//! ([`sentence_terminal`](super::sentence_terminal)). The quotation marks and brackets are the common ones of the
//! Unicode categories Ps, Pe, Pi and Pf (opening and closing punctuation) and of the property `Quotation_Mark`. Scripts
//! are given by their Unicode blocks.

use super::sentence_terminal::is_sentence_terminal;

/// How a character may end a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A punctuation mark that may end a sentence, such as a full stop.
    Terminator,
    /// A character that ends a line.
    LineBreak,
    /// A letter of Thai or Lao, whose sentences are separated by spaces.
    ThaiOrLao,
    /// `;`, which is also the Greek question mark.
    Semicolon,
    /// A character that does not end a sentence.
    Other,
}

/// For each byte, whether a character with a class other than [`Class::Other`] begins with it in UTF-8. The scan
/// decodes only characters that begin with one of these bytes.
pub(crate) const IS_CANDIDATE: [bool; 256] = candidate_bytes();

const fn candidate_bytes() -> [bool; 256] {
    let mut is_candidate = [false; 256];
    let bytes = b".!?;\n\r\x0b\x0c\xc2\xcd\xd6\xd8\xdb\xdc\xdf\xe0\xe1\xe2\xe3\xea\xef\xf0";
    let mut index = 0;
    while index < bytes.len() {
        is_candidate[bytes[index] as usize] = true;
        index += 1;
    }
    is_candidate
}

/// Returns the class of a character.
pub(crate) fn class(character: char) -> Class {
    match character {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Class::LineBreak,
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}' => Class::ThaiOrLao,
        ';' | '\u{37e}' => Class::Semicolon,
        _ if is_terminator(character) => Class::Terminator,
        _ => Class::Other,
    }
}

/// Whether a character may end a sentence. These are the characters with Unicode's property `Sentence_Terminal` and the
/// ellipsis, but not U+104A, the Burmese comma.
pub(crate) fn is_terminator(character: char) -> bool {
    match character {
        '.' | '!' | '?' | '…' => true,
        // `.`, `!` and `?` are the only terminators below U+0589.
        '\0'..='\u{588}' | '\u{104a}' => false,
        _ => is_sentence_terminal(character),
    }
}

/// Whether a terminator is a full stop, which also ends abbreviations.
pub(crate) fn is_full_stop(character: char) -> bool {
    matches!(character, '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}')
}

/// Whether the next sentence may follow a terminator without a space. This is true for all terminators except `.`, `!`,
/// `?`, the ellipsis, and a few related marks, such as `‼`.
pub(crate) fn is_unspaced_terminator(character: char) -> bool {
    character > '\u{588}'
        && !matches!(character, '\u{2024}' | '…' | '\u{203c}'..='\u{203d}' | '\u{2047}'..='\u{2049}')
}

/// Whether a character closes a quotation or a bracket if it directly follows a terminator.
pub(crate) fn is_closer(character: char) -> bool {
    matches!(
        character,
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

/// Whether a character opens a quotation or a bracket. In some languages, some of these quotation marks close a
/// quotation.
pub(crate) fn is_opener(character: char) -> bool {
    is_opening_quote(character)
        || matches!(character, '(' | '[' | '{' | '（' | '【' | '《' | '〈' | '〔' | '〖' | '［' | '｛')
}

/// Whether a character opens a quotation.
pub(crate) fn is_opening_quote(character: char) -> bool {
    matches!(character, '“' | '‘' | '«' | '‹' | '„' | '‚' | '‟' | '「' | '『' | '｢' | '\u{301d}')
}

/// Whether a character never begins a sentence, so that the current sentence continues.
pub(crate) fn continues_sentence(character: char) -> bool {
    matches!(character, ',' | ';' | ':' | '،' | '؛' | '、' | '，' | '；' | '：' | '､' | '՝' | '၊' | '፣' | '፤')
}

/// Whether a character is a hyphen, a dash or a minus sign.
pub(crate) fn is_dash(character: char) -> bool {
    matches!(character, '-' | '‐'..='―' | '−')
}

/// Whether a character belongs to a script without spaces between words: Thai, Lao, Burmese, Khmer, Chinese or
/// Japanese, or is full-width punctuation of the last two.
pub(crate) fn is_unspaced_script(character: char) -> bool {
    matches!(
        character,
        '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
            | '\u{ff5f}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// Returns the approximate number of columns that a character takes in a terminal: two for Chinese, Japanese and
/// Korean.
pub(crate) fn columns(character: char) -> usize {
    match character {
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff60}'
        | '\u{20000}'..='\u{3ffff}' => 2,
        _ => 1,
    }
}

/// Returns the character that ends at a byte offset, or `None` at the start of the text.
pub(crate) fn char_before(text: &str, offset: usize) -> Option<char> {
    text[..offset].chars().next_back()
}

/// Returns the character that starts at a byte offset, or `None` at the end of the text.
pub(crate) fn char_at(text: &str, offset: usize) -> Option<char> {
    text[offset..].chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_segmentation::UnicodeSegmentation;

    #[test]
    fn terminators_are_those_of_the_unicode_standard() {
        for character in '\0'..=char::MAX {
            let text = format!("aa{character} Bb");
            let splits = text.split_sentence_bounds().count() > 1 && class(character) != Class::LineBreak;
            match character {
                '…' => assert!(is_terminator(character) && !splits),
                '\u{104a}' => assert!(!is_terminator(character) && splits),
                _ => assert_eq!(is_terminator(character), splits, "U+{:04X}", u32::from(character)),
            }
        }
    }

    #[test]
    fn every_character_with_a_class_begins_with_a_candidate_byte() {
        for character in '\0'..=char::MAX {
            if class(character) != Class::Other {
                let first_byte = character.encode_utf8(&mut [0; 4]).as_bytes()[0];
                assert!(IS_CANDIDATE[first_byte as usize], "U+{:04X}", u32::from(character));
            }
        }
    }

    #[test]
    fn line_breaks_are_those_of_the_unicode_standard() {
        // In the standard, the line tabulation (U+000B) and the form feed (U+000C) are spaces.
        for character in '\0'..=char::MAX {
            let splits = format!("aa{character}bb").split_sentence_bounds().count() > 1;
            let is_line_break =
                class(character) == Class::LineBreak && !matches!(character, '\u{b}' | '\u{c}');
            assert_eq!(
                is_line_break,
                splits && !is_terminator(character) && character != '\u{104a}',
                "U+{:04X}",
                u32::from(character)
            );
        }
    }
}
