//! Encodes and decodes one passage, in the format that [`store`](crate::store) describes.

use crate::types::Passage;

/// A passage that is borrowed from a [`PassageStore`](crate::PassageStore) or a
/// [`PassageTexts`](crate::PassageTexts).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassageRef<'a> {
    /// The id, which no other passage of the same store or `PassageTexts` has.
    pub id: &'a str,
    /// Title of the document that the passage is from.
    pub title: Option<&'a str>,
    /// Text of the passage.
    pub text: &'a str,
}

impl PassageRef<'_> {
    /// Returns a copy of the passage.
    #[must_use]
    pub fn to_passage(&self) -> Passage {
        Passage { id: self.id.to_owned(), title: self.title.map(str::to_owned), text: self.text.to_owned() }
    }
}

/// Appends the record of a passage to `bytes`.
pub(super) fn encode(bytes: &mut Vec<u8>, id: &str, title: Option<&str>, text: &str) {
    push_number(bytes, id.len() as u64);
    push_number(bytes, title.map_or(0, |title| title.len() as u64 + 1));
    bytes.extend_from_slice(id.as_bytes());
    bytes.extend_from_slice(title.unwrap_or_default().as_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// Decodes only the id of a record, without checking that it is UTF-8. Returns `None` if the record is invalid.
pub(super) fn id(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = take_number(bytes)?;
    let (_, rest) = take_number(rest)?;
    rest.get(..usize::try_from(length).ok()?)
}

/// Decodes a record. Returns `None` if it is invalid.
pub(super) fn decode(bytes: &[u8]) -> Option<PassageRef<'_>> {
    let (id_length, rest) = take_number(bytes)?;
    let (title_code, rest) = take_number(rest)?;
    let (id, rest) = rest.split_at_checked(usize::try_from(id_length).ok()?)?;
    let title_length = usize::try_from(title_code.saturating_sub(1)).ok()?;
    let (title, text) = rest.split_at_checked(title_length)?;
    let string = |bytes| str::from_utf8(bytes).ok();
    let title = string(title)?;
    Some(PassageRef { id: string(id)?, title: (title_code > 0).then_some(title), text: string(text)? })
}

/// Appends a number in LEB128.
fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Decodes the LEB128 number at the start of `bytes`. Returns the number and the remaining bytes, or `None` if the
/// number does not end within `bytes` or has more than 9 bytes.
fn take_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_passage_is_decoded_as_it_was_encoded(id in ".{1,200}", title in any::<Option<String>>(), text in any::<String>()) {
            let mut bytes = Vec::new();
            encode(&mut bytes, &id, title.as_deref(), &text);
            prop_assert_eq!(super::id(&bytes), Some(id.as_bytes()));
            let expected = PassageRef { id: &id, title: title.as_deref(), text: &text };
            prop_assert_eq!(decode(&bytes), Some(expected));
        }

        #[test]
        fn any_bytes_are_decoded_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..30)) {
            let _ = (decode(&bytes), super::id(&bytes));
        }
    }
}
