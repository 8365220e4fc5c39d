//! Creates passage ids from titles and paths.

use std::fmt::Write;
use std::path::{Component, Path};

/// Appends a name to an id. White space, control characters, `%` and invalid UTF-8 are percent-encoded, so that the id
/// fits into one column of a TREC file and different names get different ids.
pub(crate) fn push_encoded(id: &mut String, name: &[u8]) {
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_whitespace() || character.is_control() || character == '%' {
                let mut bytes = [0; 4];
                push_percent(id, character.encode_utf8(&mut bytes).as_bytes());
            } else {
                id.push(character);
            }
        }
        push_percent(id, chunk.invalid());
    }
}

/// Converts a relative path to an id: its encoded components, separated by `/`.
pub(crate) fn path_id(path: &Path) -> String {
    let mut id = String::new();
    for part in path.components() {
        if let Component::Normal(name) = part {
            if !id.is_empty() {
                id.push('/');
            }
            push_encoded(&mut id, name.as_encoded_bytes());
        }
    }
    id
}

/// Appends each byte as `%` and two hexadecimal digits.
fn push_percent(id: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(id, "%{byte:02X}").expect("memory is writable");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_control_characters_percent_signs_and_invalid_utf8_are_encoded() {
        assert_eq!(path_id(Path::new("a b/c\u{a0}d\n.md")), "a%20b/c%C2%A0d%0A.md");
        assert_eq!(path_id(Path::new("./100%/é.txt")), "100%25/é.txt");
        let mut id = String::new();
        push_encoded(&mut id, b"caf\xe9");
        assert_eq!(id, "caf%E9");
    }
}
