//! The parameters and the state of staging, by which a large batch is added in slices and then published as a whole
//! (`staging.rs`).

use crate::similarity::squared_length;

/// Which ids a batch may have. A batch is staged in slices, and all slices are then published together. Searches find
/// staged rows only after they are published:
///
/// ```
/// use control::Control;
/// use dense::{HnswIndex, HnswOptions, Put, Similarity};
///
/// let control = Control::new();
/// let mut index = HnswIndex::new(1, Similarity::Dot, HnswOptions::default(), serde_json::Value::Null)?;
/// index.add(vec!["a".into()], &[1.0], 1, &control)?;
/// index.check_rows(Put::Upsert, &["a", "b"], &[3.0, 2.0])?;
/// index.stage(Put::Upsert, vec!["a".into()], &[3.0], 1, &control)?;
/// index.stage(Put::Upsert, vec!["b".into()], &[2.0], 1, &control)?;
/// assert_eq!((index.live_len(), index.search(&[1.0], 9, 9, &control)?[0].score), (1, 1.0));
/// assert_eq!(index.publish(), [(0, 1)]);
/// assert_eq!((index.live_len(), index.search(&[1.0], 9, 9, &control)?[0].score), (2, 3.0));
/// # Ok::<(), dense::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// Only ids that are not in the index.
    Add,
    /// Only ids that are in the index; their vectors are replaced.
    Update,
    /// Any ids; the vectors of ids that are in the index are replaced.
    Upsert,
}

impl Put {
    /// Returns the name of the operation in error messages.
    pub(crate) fn operation(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update | Self::Upsert => "update",
        }
    }
}

/// The length of the longest vector of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Longest {
    pub(crate) squared_length: f32,
}

impl Longest {
    /// Returns the length of the longest of the vectors `[n * dim]`.
    #[must_use]
    pub fn of(dim: usize, vectors: &[f32]) -> Self {
        let squared_lengths = vectors.chunks_exact(dim).map(|vector| squared_length(vector) as f32);
        Self { squared_length: squared_lengths.fold(0.0, f32::max) }
    }
}

/// The staged rows of an index.
#[derive(Debug)]
pub(crate) struct Staged {
    /// The ord of the first staged row. All later rows are staged too.
    pub first: usize,
    /// Which ids the staged rows may have.
    pub put: Put,
    /// Whether a slice is being added at the moment.
    pub is_open: bool,
    /// Pairs of a row that publishing deletes and the staged row that replaces it.
    pub replaced: Vec<(u32, u32)>,
}
