/// Why passages were not read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which parameter.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it was.
        got: String,
    },
    /// Arrays of one passage that do not belong together.
    #[error("passage {passage}: expected {expected} tokens in every array, got {got}")]
    Shape {
        /// Position of the passage.
        passage: usize,
        /// Length of the first array.
        expected: usize,
        /// Another length.
        got: usize,
    },
}
