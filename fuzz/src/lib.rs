//! Helpers that the fuzz targets share: writing seeds and temporary files, limits on memory, checks of search results,
//! and a mutator for containers that corrects checksums.

mod container;
mod harness;
mod index;
mod memory;
mod mutate;
mod random;

pub use container::Container;
pub use harness::{Scratch, checked, start};
pub use index::{bits, check_hits, is_even};
pub use memory::Memory;
pub use mutate::mutate;
pub use random::Random;

/// Maximum dimension of an index for which a target makes all its checks; in an index with more dimensions, it searches
/// only once. The dimension comes from the mutated file, so it may be huge.
pub const MAX_DIM: usize = 4096;

/// Defines the entry points of a target that reads container files. libFuzzer derives inputs with [`mutate`] from
/// the seeds that the function `$seeds` returns. Each input is written to a file, and the function `$use_all` is called
/// with the path and the length of this file.
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
