//! What the targets have in common: seeds, files, the limits that nothing may pass, and changes to a container that
//! leave its checksums right.

mod change;
mod container;
mod index;
mod memory;
mod random;
mod run;

pub use change::change;
pub use container::Container;
pub use index::{bits, check_hits, even};
pub use memory::Memory;
pub use random::Random;
pub use run::{Scratch, checked, start};
