//! The model: the passages that an index must contain after each operation.

use crate::operation::{IDS, Operation};

/// A passage's id and the number of the operation that added it, which is part of a term of its text.
pub type Passage = (u8, u64);

/// The passages that an index must contain, in the order in which they were added.
#[derive(Debug, Default, Clone)]
pub struct Model {
    /// The passages of the last commit.
    pub committed: Vec<Passage>,
    /// The passages that the index will contain after the next commit.
    pub pending: Vec<Passage>,
    /// True if the next commit replaces the index.
    pub is_overwriting: bool,
    /// Number of operations so far.
    pub operation_count: u64,
}

impl Model {
    /// Returns true if the index will contain a passage with this id after the next commit.
    pub fn has(&self, id: u8) -> bool {
        self.pending.iter().any(|&(other, _)| other == id)
    }

    /// Removes a passage. Returns true if it existed.
    fn remove(&mut self, id: u8) -> bool {
        let before = self.pending.len();
        self.pending.retain(|&(other, _)| other != id);
        self.pending.len() < before
    }

    /// Adds a passage.
    fn put(&mut self, id: u8) {
        self.pending.push((id, self.operation_count));
    }

    /// Changes the model as an operation must change the index.
    pub fn apply(&mut self, operation: &Operation) {
        self.operation_count += 1;
        match *operation {
            Operation::Add(id) if !self.has(id) => self.put(id),
            Operation::Update(id) => {
                self.remove(id);
                self.put(id);
            }
            Operation::Delete(id) => drop(self.remove(id)),
            Operation::Commit => {
                self.committed.clone_from(&self.pending);
                self.is_overwriting = false;
            }
            Operation::Commits(count) => {
                for step in 0..count {
                    self.apply(&Operation::Update(step % IDS));
                    self.apply(&Operation::Commit);
                }
            }
            Operation::Rollback | Operation::Interrupt if self.is_overwriting => self.pending.clear(),
            Operation::Rollback | Operation::Interrupt => self.pending.clone_from(&self.committed),
            Operation::Close | Operation::Drop | Operation::Kill => {
                self.pending.clone_from(&self.committed);
                self.is_overwriting = false;
            }
            Operation::Overwrite => {
                self.pending.clear();
                self.is_overwriting = true;
            }
            Operation::Add(_) | Operation::Merge | Operation::MergeInBackground(_) => {}
        }
    }
}
