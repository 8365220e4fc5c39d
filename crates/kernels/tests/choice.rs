//! All structs of kernels choose an instruction set in the same way.

use kernels::Kernels;
use kernels::half::HalfKernels;
use kernels::impacts::ImpactKernels;
use kernels::int4::Int4Kernels;
use kernels::int8::Int8Kernels;
use kernels::logits::LogitKernels;
use kernels::signs::SignKernels;

/// The name of the chosen instruction set, and the names of all available ones. Every struct of kernels has the same
/// functions, but no common trait.
macro_rules! names {
    ($kernels:ident) => {
        ($kernels::detect().name(), $kernels::available().iter().map(|set| set.name()).collect::<Vec<_>>())
    };
}

#[test]
fn the_first_instruction_set_is_chosen_and_scalar_comes_last() {
    let choices = [
        names!(Kernels),
        names!(HalfKernels),
        names!(Int8Kernels),
        names!(Int4Kernels),
        names!(SignKernels),
        names!(ImpactKernels),
        names!(LogitKernels),
    ];
    for (chosen, names) in choices {
        assert_eq!(names.first(), Some(&chosen));
        assert_eq!(names.last(), Some(&"scalar"));
        assert!(
            names.iter().all(|name| names.iter().filter(|other| *other == name).count() == 1),
            "{names:?}"
        );
    }
}
