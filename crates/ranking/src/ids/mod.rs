//! Ids of passages: [`PassageIds`] looks them up, and [`Interner`] assigns numbers to them and to other strings.

mod interner;
mod passage_ids;

pub use interner::Interner;
pub use passage_ids::PassageIds;
