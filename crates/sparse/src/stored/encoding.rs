//! Encodes the title and the text of a passage as bytes:
//!
//! ```text
//! title length in bytes + 1, or 0 without a title: u32, little-endian │ title │ text
//! ```

use crate::Error;

/// Encodes a title and a text.
///
/// # Errors
///
/// [`Error::Argument`] if the title's length plus 1 does not fit in 32 bits.
pub(crate) fn encode(title: Option<&str>, text: &str) -> Result<Vec<u8>, Error> {
    let header = title.map_or(Some(0), |title| u32::try_from(title.len()).ok()?.checked_add(1));
    let Some(header) = header else {
        let got = format!("{} bytes", title.map_or(0, str::len));
        return Err(Error::Argument { what: "title", expected: "less than 4 GiB", got });
    };
    Ok([&header.to_le_bytes(), title.unwrap_or_default().as_bytes(), text.as_bytes()].concat())
}

/// Decodes a title and a text. Returns `None` for bytes that [`encode`] cannot return.
pub(crate) fn decode(bytes: &[u8]) -> Option<(Option<String>, String)> {
    let (header, rest) = bytes.split_first_chunk()?;
    let header = u32::from_le_bytes(*header) as usize;
    let (title, text) = rest.split_at_checked(header.saturating_sub(1))?;
    let [title, text] = [title, text].map(|bytes| String::from_utf8(bytes.to_vec()).ok());
    Some((if header == 0 { None } else { Some(title?) }, text?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_texts_are_restored_and_an_empty_title_differs_from_none() {
        for (title, text) in
            [(None, ""), (Some(""), ""), (None, "a"), (Some("größe"), "日本\0"), (Some("a"), "")]
        {
            let bytes = encode(title, text).expect("a short title");
            assert_eq!(decode(&bytes), Some((title.map(str::to_owned), text.to_owned())));
        }
    }

    #[test]
    fn incomplete_and_invalid_bytes_are_rejected() {
        let bytes = encode(Some("é"), "x").expect("a short title");
        assert_eq!(decode(&bytes[..3]), None, "part of the title's length");
        assert_eq!(decode(&bytes[..5]), None, "part of the title");
        assert_eq!(decode(&[0, 0, 0, 0, 0xff]), None, "not UTF-8");
    }
}
