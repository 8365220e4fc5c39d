//! The key by which a cache finds the reading of a passage for a question.

use sha2::{Digest, Sha256};

/// Identifies a question and a passage: the first 128 bits of a SHA-256 over their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReadingKey(pub(super) u128);

impl ReadingKey {
    /// Returns the key for a question and a passage. A missing title and an empty title give the same key.
    #[must_use]
    pub fn of(question: &str, title: Option<&str>, text: &str) -> Self {
        let mut hash = Sha256::new();
        // Without the lengths, the same characters split differently between the texts would have the same key.
        for part in [question, title.unwrap_or_default(), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        Self(u128::from_le_bytes(digest[..16].try_into().expect("sixteen bytes")))
    }
}
