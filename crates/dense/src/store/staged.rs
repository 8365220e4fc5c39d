use crate::similarity::squared_length;

/// What ids may be put in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// New ones only.
    Add,
    /// Only those that are there, whose vectors are replaced.
    Update,
    /// Either.
    Upsert,
}

impl Put {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update | Self::Upsert => "update",
        }
    }
}

/// The length of the longest vector of a batch, squared.
#[derive(Debug, Clone, Copy)]
pub struct Longest(pub(crate) f32);

impl Longest {
    /// Of the vectors `[n * dim]`.
    #[must_use]
    pub fn of(dim: usize, vectors: &[f32]) -> Self {
        let lengths = vectors.chunks_exact(dim).map(|vector| squared_length(vector) as f32);
        Self(lengths.fold(0.0, f32::max))
    }
}

/// Rows that nobody sees yet.
#[derive(Debug)]
pub(crate) struct Staged {
    /// They are the rows from this one on.
    pub first: usize,
    pub put: Put,
    /// Whether some are being added now. They are then linked like others.
    pub open: bool,
    /// Rows and those that will stand for their ids.
    pub replaced: Vec<(u32, u32)>,
}
