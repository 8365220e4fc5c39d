//! The header of a cache file: the format, its version, and the identity of the reader that computed the readings.

use std::path::Path;

use crate::Error;

const MAGIC: [u8; 8] = *b"PKREAD\0\0";
/// Format version. Increase it when the format of records or the content of a stored reading changes.
const VERSION: u32 = 1;
/// What error messages call a cache file.
const NAME: &str = "cache of readings";
/// Number of bytes before the identity: the magic number, the version, and the length of the identity.
const FIXED_BYTES: usize = 16;

/// Returns the header of a cache with this identity.
pub(super) fn encode(identity: &str) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend((identity.len() as u32).to_le_bytes());
    header.extend(identity.as_bytes());
    header.extend(crc32fast::hash(&header).to_le_bytes());
    header
}

/// Returns the error that explains why a file that begins with `found` is not a cache with this identity. `found` must
/// not begin with the header that [`encode`] returns for this identity.
pub(super) fn mismatch(path: &Path, identity: &str, found: &[u8]) -> Error {
    if found.len() < FIXED_BYTES || found[..MAGIC.len()] != MAGIC {
        let got = found[..found.len().min(MAGIC.len())].escape_ascii().to_string();
        let got = format!("a file that begins with \"{got}\"");
        return storage::Error::corrupt(path, format!("a {NAME}"), got).into();
    }
    let u32_at = |offset: usize| {
        found.get(offset..offset + 4).and_then(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)))
    };
    let length = u32_at(12).unwrap_or_default() as usize;
    let identity_end = FIXED_BYTES + length;
    let is_valid = u32_at(identity_end).is_some_and(|crc| crc == crc32fast::hash(&found[..identity_end]));
    if !is_valid {
        let expected = "a complete header that matches its checksum";
        return storage::Error::corrupt(path, expected, "a shorter or different one").into();
    }
    let version = u32_at(8).unwrap_or_default();
    if version != VERSION {
        let (expected, got) = (VERSION, version);
        return storage::Error::Version { path: path.to_path_buf(), name: NAME, expected, got }.into();
    }
    let got = String::from_utf8_lossy(&found[FIXED_BYTES..identity_end]).into_owned();
    Error::OtherReader { path: path.to_path_buf(), expected: identity.to_owned(), got }
}
