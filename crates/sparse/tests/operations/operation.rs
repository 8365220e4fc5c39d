//! The operations of a writer, a proptest strategy for them, and their encoding for the command line of a child
//! process.

use proptest::prelude::*;

/// Number of different ids. It is small, so that most operations concern existing passages.
pub const IDS: u8 = 12;

/// An operation of a writer. The number of an addition, update or deletion is the id of the passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    Add(u8),
    Update(u8),
    Delete(u8),
    Commit,
    /// This many commits, each with one addition or update. Four segments are enough for a background merge.
    Commits(u8),
    Rollback,
    /// Interrupts the writer, and rolls it back.
    Interrupt,
    Merge,
    /// Sets whether the writer merges segments in the background.
    MergeInBackground(bool),
    /// Closes the writer and opens a new one.
    Close,
    /// The same as `Close`, without waiting for merges.
    Drop,
    /// Opens a writer that replaces the index at its first commit.
    Overwrite,
    /// Kills the writer's process.
    Kill,
}

impl Operation {
    /// Encodes the operation as a letter and a number.
    pub fn encode(&self) -> String {
        match *self {
            Self::Add(id) => format!("a{id}"),
            Self::Update(id) => format!("u{id}"),
            Self::Delete(id) => format!("d{id}"),
            Self::Commit => "c0".to_owned(),
            Self::Commits(count) => format!("s{count}"),
            Self::Rollback => "r0".to_owned(),
            Self::Interrupt => "i0".to_owned(),
            Self::Merge => "m0".to_owned(),
            Self::MergeInBackground(merges) => format!("b{}", u8::from(merges)),
            Self::Close => "x0".to_owned(),
            Self::Drop => "y0".to_owned(),
            Self::Overwrite => "o0".to_owned(),
            Self::Kill => "k0".to_owned(),
        }
    }

    /// Decodes what [`encode`](Self::encode) returned.
    pub fn decode(code: &str) -> Self {
        let number: u8 = code[1..].parse().expect("a number");
        match code.as_bytes()[0] {
            b'a' => Self::Add(number),
            b'u' => Self::Update(number),
            b'd' => Self::Delete(number),
            b'c' => Self::Commit,
            b's' => Self::Commits(number),
            b'r' => Self::Rollback,
            b'i' => Self::Interrupt,
            b'm' => Self::Merge,
            b'b' => Self::MergeInBackground(number == 1),
            b'x' => Self::Close,
            b'y' => Self::Drop,
            b'o' => Self::Overwrite,
            b'k' => Self::Kill,
            other => panic!("an operation, not {other}"),
        }
    }
}

/// A random operation other than `Kill`.
pub fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => (0..IDS).prop_map(Operation::Add),
        8 => (0..IDS).prop_map(Operation::Update),
        12 => (0..IDS).prop_map(Operation::Delete),
        10 => Just(Operation::Commit),
        1 => (2..10u8).prop_map(Operation::Commits),
        4 => Just(Operation::Rollback),
        2 => Just(Operation::Interrupt),
        10 => Just(Operation::Merge),
        2 => any::<bool>().prop_map(Operation::MergeInBackground),
        4 => Just(Operation::Close),
        4 => Just(Operation::Drop),
        2 => Just(Operation::Overwrite),
    ]
}
