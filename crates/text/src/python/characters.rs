//! Python's word characters and white space.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Python's `\s` as members of a character class of the crate `regex`: Unicode's `White_Space` and the four ASCII
/// separators U+001C to U+001F.
pub(crate) const SPACE: &str = r"\s\x1c-\x1f";

/// Python's `\w` as members of a character class of the crate `regex`: letters, numbers and the underscore. Unlike
/// Unicode's definition of word characters, it excludes marks, so a combining accent ends a word.
pub(crate) const WORD: &str = r"\p{L}\p{N}_";

/// Whether Python's `str.isspace` is true for the character.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Whether `\w` of Python's `re` matches the character.
pub(crate) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

#[cfg(test)]
mod tests {
    use unicode_properties::GeneralCategory;

    use super::*;

    #[test]
    fn the_functions_and_the_pattern_classes_agree_on_every_character() {
        let space = regex::Regex::new(&format!("^[{SPACE}]$")).expect("the class is valid");
        let word = regex::Regex::new(&format!("^[{WORD}]$")).expect("the class is valid");
        let unassigned = regex::Regex::new(r"^\p{Cn}$").expect("the class is valid");
        for c in '\0'..=char::MAX {
            let text = c.encode_utf8(&mut [0; 4]).to_owned();
            // The Unicode versions of the two crates differ; characters that one of them does not know are skipped.
            if c.general_category() == GeneralCategory::Unassigned || unassigned.is_match(&text) {
                continue;
            }
            assert_eq!(space.is_match(&text), is_space(c), "{c:?} as space");
            assert_eq!(word.is_match(&text), is_word(c), "{c:?} as word");
        }
    }
}
