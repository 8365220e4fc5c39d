//! What the fuzz targets share: seeds, scratch files, limits on memory, and a mutator for containers that corrects
//! checksums.

mod container;
mod harness;
mod index;
mod memory;
mod mutate;
mod random;

pub use container::Container;
pub use harness::{Scratch, checked, start};
pub use index::{bits, check_hits, even};
pub use memory::Memory;
pub use mutate::mutate;
pub use random::Random;

/// Maximum dimension of vectors that a target creates, so that they do not take much memory.
pub const MAX_DIM: usize = 4096;

/// Defines the entry points of a target. Calls `use_all` with the path and the length of a file that the fuzzer derived
/// from the `seeds`. Inputs are mutated by [`mutate`].
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
            $crate::mutate(data, size, max_size, seed)
        });
    };
}
