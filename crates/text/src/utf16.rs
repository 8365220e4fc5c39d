//! Offsets as JavaScript counts them.
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

/// Bytes between two remembered offsets.
const STEP: usize = 64;

/// Converts byte offsets of one text into offsets in UTF-16 code units, in any order and in constant
/// time each, after one pass over the text; none over a text of ASCII, where the two are the same.
#[derive(Debug, Clone)]
pub struct Utf16Offsets<'t> {
    text: &'t str,
    /// Code units before byte `STEP * i`, counting a character where it starts; empty for ASCII.
    units: Vec<usize>,
}

impl<'t> Utf16Offsets<'t> {
    /// Counts the text's code units.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let mut units = Vec::new();
        if !text.is_ascii() {
            let mut total = 0;
            units.extend(text.as_bytes().chunks(STEP).map(|chunk| {
                let before = total;
                total += units_in(chunk);
                before
            }));
        }
        Self { text, units }
    }

    /// Code units before a byte offset; the text's end is an offset too.
    ///
    /// # Errors
    ///
    /// [`Error::Offset`] if the offset is inside a character or beyond the text.
    pub fn of(&self, byte_offset: usize) -> Result<usize, Error> {
        if !self.text.is_char_boundary(byte_offset) {
            return Err(Error::Offset { offset: byte_offset, bytes: self.text.len() });
        }
        let Some(last) = self.units.len().checked_sub(1) else { return Ok(byte_offset) };
        let step = (byte_offset / STEP).min(last);
        Ok(self.units[step] + units_in(&self.text.as_bytes()[step * STEP..byte_offset]))
    }
}

/// Code units of the characters that start in these bytes: one, or two for those of four bytes.
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
        fn every_offset_counts_what_is_before_it(text in r"([a-z ]{0,20}|\PC){0,60}") {
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
