//! All kinds of kernels choose an instruction set in the same way.

use kernels::Kernels;
use kernels::half::HalfKernels;
use kernels::impacts::ImpactKernels;
use kernels::int4::Int4Kernels;
use kernels::int8::Int8Kernels;
use kernels::signs::SignKernels;

/// The name of the chosen instruction set, and those of all available ones.
macro_rules! names {
    ($kind:ident) => {
        ($kind::detect().name(), $kind::available().iter().map(|kernels| kernels.name()).collect::<Vec<_>>())
    };
}

#[test]
fn the_first_instruction_set_is_chosen_and_scalar_comes_last() {
    let kinds = [
        names!(Kernels),
        names!(HalfKernels),
        names!(Int8Kernels),
        names!(Int4Kernels),
        names!(SignKernels),
        names!(ImpactKernels),
    ];
    for (chosen, names) in kinds {
        assert_eq!(names.first(), Some(&chosen));
        assert_eq!(names.last(), Some(&"scalar"));
        assert!(
            names.iter().all(|name| names.iter().filter(|other| *other == name).count() == 1),
            "{names:?}"
        );
    }
}
