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

/// Vectors that a target itself makes are not to be what takes memory.
pub const MOST_DIM: usize = 4096;

/// Defines the entry points of a target: `use_all` is given a file with what the fuzzer made of the `seeds`, and the length of
/// that. Containers are changed by [`change`].
#[macro_export]
macro_rules! file_target {
    ($seeds:expr, $use_all:expr) => {
        libfuzzer_sys::fuzz_target!(
            init: $crate::start($seeds),
            |data: &[u8]| {
                thread_local!(static SCRATCH: $crate::Scratch = $crate::Scratch::new());
                let path = SCRATCH.with(|scratch| scratch.write("file", data));
                $crate::checked(data.len(), || $use_all(&path, data.len()));
            }
        );

        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::change(data, size, max_size, seed)
        });
    };
}
