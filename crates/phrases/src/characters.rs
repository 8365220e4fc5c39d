//! What single characters do: end sentences, close and open what is quoted, end lines.

/// What a character may mean to the scan over a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// It may end a sentence.
    Terminator,
    /// It ends a line.
    Line,
    /// A letter of Thai or Lao, whose sentences are told by spaces.
    Spaced,
    /// `;`, the question mark of Greek.
    Semicolon,
    Nothing,
}

/// First bytes of characters that may be of a class other than `Nothing`.
pub(crate) const LEADS: [bool; 256] = leads();

const fn leads() -> [bool; 256] {
    let mut leads = [false; 256];
    let bytes =
        b".!?;\n\r\x0b\x0c\xc2\xcd\xd6\xd8\xdb\xdc\xdf\xe0\xe1\xe2\xe3\xea\xef\xf0";
    let mut at = 0;
    while at < bytes.len() {
        leads[bytes[at] as usize] = true;
        at += 1;
    }
    leads
}

pub(crate) fn class(letter: char) -> Class {
    match letter {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Class::Line,
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}' => Class::Spaced,
        ';' | '\u{37e}' => Class::Semicolon,
        _ if is_terminator(letter) => Class::Terminator,
        _ => Class::Nothing,
    }
}

/// Unicode's `Sentence_Terminal`, with the ellipsis, without the Burmese comma.
pub(crate) fn is_terminator(letter: char) -> bool {
    match letter {
        '.' | '!' | '?' | '…' => true,
        '\0'..='\u{588}' | '\u{104a}' => false,
        _ => is_rare_terminator(letter),
    }
}

#[rustfmt::skip]
fn is_rare_terminator(letter: char) -> bool {
    matches!(
        letter,
        '\u{589}' | '\u{61d}'..='\u{61f}' | '\u{6d4}' | '\u{700}'..='\u{702}' | '\u{7f9}' | '\u{837}' | '\u{839}'
        | '\u{83d}'..='\u{83e}' | '\u{964}'..='\u{965}' | '\u{104b}' | '\u{1362}' | '\u{1367}'..='\u{1368}'
        | '\u{166e}' | '\u{1735}'..='\u{1736}' | '\u{17d4}'..='\u{17d5}' | '\u{1803}' | '\u{1809}'
        | '\u{1944}'..='\u{1945}' | '\u{1aa8}'..='\u{1aab}' | '\u{1b4e}'..='\u{1b4f}' | '\u{1b5a}'..='\u{1b5b}'
        | '\u{1b5e}'..='\u{1b5f}' | '\u{1b7d}'..='\u{1b7f}' | '\u{1c3b}'..='\u{1c3c}' | '\u{1c7e}'..='\u{1c7f}'
        | '\u{2024}' | '\u{203c}'..='\u{203d}' | '\u{2047}'..='\u{2049}' | '\u{2cf9}'..='\u{2cfb}' | '\u{2e2e}'
        | '\u{2e3c}' | '\u{2e53}'..='\u{2e54}' | '\u{3002}' | '\u{a4ff}' | '\u{a60e}'..='\u{a60f}' | '\u{a6f3}'
        | '\u{a6f7}' | '\u{a876}'..='\u{a877}' | '\u{a8ce}'..='\u{a8cf}' | '\u{a92f}' | '\u{a9c8}'..='\u{a9c9}'
        | '\u{aa5d}'..='\u{aa5f}' | '\u{aaf0}'..='\u{aaf1}' | '\u{abeb}' | '\u{fe12}' | '\u{fe15}'..='\u{fe16}'
        | '\u{fe52}' | '\u{fe56}'..='\u{fe57}' | '\u{ff01}' | '\u{ff0e}' | '\u{ff1f}' | '\u{ff61}'
        | '\u{10a56}'..='\u{10a57}' | '\u{10f55}'..='\u{10f59}' | '\u{10f86}'..='\u{10f89}'
        | '\u{11047}'..='\u{11048}' | '\u{110be}'..='\u{110c1}' | '\u{11141}'..='\u{11143}'
        | '\u{111c5}'..='\u{111c6}' | '\u{111cd}' | '\u{111de}'..='\u{111df}' | '\u{11238}'..='\u{11239}'
        | '\u{1123b}'..='\u{1123c}' | '\u{112a9}' | '\u{113d4}'..='\u{113d5}' | '\u{1144b}'..='\u{1144c}'
        | '\u{115c2}'..='\u{115c3}' | '\u{115c9}'..='\u{115d7}' | '\u{11641}'..='\u{11642}'
        | '\u{1173c}'..='\u{1173e}' | '\u{11944}' | '\u{11946}' | '\u{11a42}'..='\u{11a43}'
        | '\u{11a9b}'..='\u{11a9c}' | '\u{11c41}'..='\u{11c42}' | '\u{11ef7}'..='\u{11ef8}'
        | '\u{11f43}'..='\u{11f44}' | '\u{16a6e}'..='\u{16a6f}' | '\u{16af5}' | '\u{16b37}'..='\u{16b38}'
        | '\u{16b44}' | '\u{16d6e}'..='\u{16d6f}' | '\u{16e98}' | '\u{1bc9f}' | '\u{1da88}'
    )
}

/// A full stop, which is ambiguous: it also ends abbreviations.
pub(crate) fn is_full_stop(letter: char) -> bool {
    matches!(letter, '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}')
}

/// A terminator after which no space is expected: those of scripts other than Latin, Greek, Cyrillic and their kin.
pub(crate) fn is_wide_terminator(letter: char) -> bool {
    letter > '\u{588}' && !matches!(letter, '\u{2024}' | '…' | '\u{203c}'..='\u{203d}' | '\u{2047}'..='\u{2049}')
}

/// What closes a quotation or a bracket when it follows a terminator at once.
pub(crate) fn is_closer(letter: char) -> bool {
    matches!(
        letter,
        '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»' | '›' | '」' | '』' | '）' | '】' | '》' | '〉' | '〕' | '〗'
            | '］' | '｝' | '｣' | '\u{301e}' | '\u{301f}' | '\u{fd3e}' | '\u{ff02}' | '\u{ff07}'
    )
}

/// What opens a quotation or a bracket; some languages close with the quotation marks among them.
pub(crate) fn is_opener(letter: char) -> bool {
    is_opening_quote(letter) || matches!(letter, '(' | '[' | '{' | '（' | '【' | '《' | '〈' | '〔' | '〖' | '［' | '｛')
}

pub(crate) fn is_opening_quote(letter: char) -> bool {
    matches!(letter, '“' | '‘' | '«' | '‹' | '„' | '‚' | '‟' | '「' | '『' | '｢' | '\u{301d}')
}

/// What never begins a sentence, and shows that the one before goes on.
pub(crate) fn goes_on(letter: char) -> bool {
    matches!(letter, ',' | ';' | ':' | '،' | '؛' | '、' | '，' | '；' | '：' | '､' | '՝' | '၊' | '፣' | '፤')
}

pub(crate) fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '‐'..='―' | '−')
}

/// Letters of scripts that put no spaces between words, and the punctuation of the East Asian ones.
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
            | '\u{ff5f}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// Columns that a character takes on a screen, nearly.
pub(crate) fn columns(letter: char) -> usize {
    match letter {
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}' => 2,
        _ => 1,
    }
}

/// The character that ends at a place.
pub(crate) fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// The character that starts at a place.
pub(crate) fn after(text: &str, at: usize) -> Option<char> {
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
            let splits = text.split_sentence_bounds().count() > 1 && class(letter) != Class::Line;
            match letter {
                '…' => assert!(is_terminator(letter) && !splits),
                '\u{104a}' => assert!(!is_terminator(letter) && splits),
                _ => assert_eq!(is_terminator(letter), splits, "U+{:04X}", u32::from(letter)),
            }
        }
    }

    #[test]
    fn the_scan_stops_at_every_character_that_may_mean_something() {
        for letter in '\0'..=char::MAX {
            if class(letter) != Class::Nothing {
                let lead = letter.encode_utf8(&mut [0; 4]).as_bytes()[0];
                assert!(LEADS[lead as usize], "U+{:04X}", u32::from(letter));
            }
        }
    }

    #[test]
    fn what_ends_a_line_does_so_for_the_unicode_standard_too() {
        // The line tabulation and the form feed are spaces there, and end lines for who prints.
        for letter in '\0'..=char::MAX {
            let splits = format!("aa{letter}bb").split_sentence_bounds().count() > 1;
            let line = class(letter) == Class::Line && !matches!(letter, '\u{b}' | '\u{c}');
            assert_eq!(line, splits && !is_terminator(letter) && letter != '\u{104a}', "U+{:04X}", u32::from(letter));
        }
    }
}
