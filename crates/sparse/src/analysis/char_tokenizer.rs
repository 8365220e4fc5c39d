//! Runs of characters, as Lucene's CharTokenizer finds them.

use crate::analysis::standard_tokenizer::LONGEST;

/// Calls `visit` with every run of characters that `belongs` takes. A run of more than 255 UTF-16 code units is
/// cut once it has at least so many.
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
        if units >= LONGEST {
            visit(&text[start..at + c.len_utf8()]);
            units = 0;
        }
    }
    if units > 0 {
        visit(&text[start..]);
    }
}
