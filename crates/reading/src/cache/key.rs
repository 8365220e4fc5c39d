//! The key of a reading.

use sha2::{Digest, Sha256};

/// Identifies a question and a passage, by 128 bits of SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReadingKey(pub(super) u128);

impl ReadingKey {
    /// The key of the texts that the reader is given. A missing title and an empty title have the same key.
    #[must_use]
    pub fn of(question: &str, title: Option<&str>, text: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [question, title.unwrap_or_default(), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        Self(u128::from_le_bytes(digest[..16].try_into().expect("sixteen bytes")))
    }
}
