//! Converts byte offsets to the UTF-16 offsets of JavaScript strings.
//!
//! ```
//! use text::Utf16Offsets;
//!
//! let offsets = Utf16Offsets::new("🚁é!");
//! assert_eq!(offsets.of(4), Ok(2)); // the helicopter: four bytes, two code units
//! assert_eq!(offsets.of(6), Ok(3));
//! assert!(offsets.of(5).is_err()); // inside é
//! ```

use crate::error::Error;

/// Number of bytes of text per entry of `units_before`.
const STEP: usize = 64;

/// Converts byte offsets of one text to offsets in UTF-16 code units, in any order and in constant time.
///
/// Creating it takes one pass over the text. ASCII text needs no table, because its byte offsets and UTF-16 offsets are
/// equal.
#[derive(Debug, Clone)]
pub struct Utf16Offsets<'t> {
    text: &'t str,
    /// `units_before[i]`: number of code units of the characters that start before byte `STEP * i`. Empty for ASCII.
    units_before: Vec<usize>,
}

impl<'t> Utf16Offsets<'t> {
    /// Counts the code units of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let mut units_before = Vec::new();
        if !text.is_ascii() {
            let mut total = 0;
            units_before.extend(text.as_bytes().chunks(STEP).map(|chunk| {
                let before = total;
                total += units_in(chunk);
                before
            }));
        }
        Self { text, units_before }
    }

    /// Returns the number of UTF-16 code units before a byte offset, which may be the end of the text.
    ///
    /// # Errors
    ///
    /// [`Error::Offset`] if the offset is inside a character or beyond the text.
    pub fn of(&self, byte_offset: usize) -> Result<usize, Error> {
        if !self.text.is_char_boundary(byte_offset) {
            return Err(Error::Offset { offset: byte_offset, bytes: self.text.len() });
        }
        let Some(last) = self.units_before.len().checked_sub(1) else { return Ok(byte_offset) };
        let chunk = (byte_offset / STEP).min(last);
        Ok(self.units_before[chunk] + units_in(&self.text.as_bytes()[chunk * STEP..byte_offset]))
    }
}

/// Number of UTF-16 code units of the characters that start in these bytes: two for a character of four bytes, which
/// starts with 0xf0 or above, and one for any other. Bytes from 0x80 to 0xbf start no character.
fn units_in(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_offset_inside_a_character_or_beyond_the_end_is_refused() {
        let offsets = Utf16Offsets::new("é");
        assert_eq!(offsets.of(0), Ok(0));
        assert_eq!(offsets.of(2), Ok(1));
        let inside = offsets.of(1).expect_err("it is inside é").to_string();
        assert_eq!(
            inside,
            "byte offset: expected a character's start or the end of a text of 2 bytes, got 1"
        );
        assert!(offsets.of(3).is_err());
        assert!(Utf16Offsets::new("ab").of(3).is_err());
        assert_eq!(Utf16Offsets::new("").of(0), Ok(0));
    }

    proptest! {
        #[test]
        fn every_offset_counts_the_code_units_before_it(text in r"([a-z ]{0,20}|\PC){0,60}") {
            let offsets = Utf16Offsets::new(&text);
            for byte in 0..=text.len() + 1 {
                match text.get(..byte) {
                    Some(before) => prop_assert_eq!(offsets.of(byte), Ok(before.encode_utf16().count())),
                    None => prop_assert!(offsets.of(byte).is_err()),
                }
            }
        }
    }
}
