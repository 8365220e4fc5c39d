//! [`ValueId`].

/// The number of a value of a [`Graph`](super::graph::Graph).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ValueId(pub(super) usize);

impl ValueId {
    /// The position of the value among all values of the graph.
    pub fn index(self) -> usize {
        self.0
    }
}
