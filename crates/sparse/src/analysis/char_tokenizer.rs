//! Finds runs of characters of one kind, such as letters, as Lucene's CharTokenizer does.

use crate::analysis::standard_tokenizer::MAX_WORD_UNITS;

/// Calls `visit` with every maximal run of characters for which `belongs` is true. Runs of more than 255 UTF-16 code
/// units are split: each piece ends with the character with which it reaches 255 units.
pub(crate) fn for_each_run(text: &str, belongs: impl Fn(char) -> bool, mut visit: impl FnMut(&str)) {
    let (mut start, mut units) = (0, 0);
    for (at, c) in text.char_indices() {
        if !belongs(c) {
            if units > 0 {
                visit(&text[start..at]);
            }
            units = 0;
            continue;
        }
        if units == 0 {
            start = at;
        }
        units += c.len_utf16();
        if units >= MAX_WORD_UNITS {
            visit(&text[start..at + c.len_utf8()]);
            units = 0;
        }
    }
    if units > 0 {
        visit(&text[start..]);
    }
}
