//! What is done with rows of 16-bit floats: they are widened as they are loaded, for the loop of all instruction sets.

/// Defines `KERNELS` from an instruction set's lanes.
///
/// In scope must be what `define_tiles` needs and the functions `store`, `widened` (of `WIDTH` halves) and `narrowed`.
macro_rules! define_half {
    ($name:literal, $queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        /// The entry points of this instruction set.
        pub(in crate::half) static KERNELS: $crate::half::HalfKernels = $crate::half::HalfKernels {
            name: $name,
            dot: [f16::block::<false>, bf16::block::<false>],
            squared_l2: [f16::block::<true>, bf16::block::<true>],
            widen: [f16::widen, bf16::widen],
            narrow: [f16::narrow, bf16::narrow],
        };

        define_format!(f16: false, $queries x $rows $(, #[$feature])?);
        define_format!(bf16: true, $queries x $rows $(, #[$feature])?);
    };
}

/// Defines the module of a format.
macro_rules! define_format {
    ($format:ident: $bf16:literal, $queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        mod $format {
            use super::*;
            use $crate::half::format;

            define_tiles!(u16: load_row, load_row_part; $queries x $rows $(, #[$feature])?);

            $(#[$feature])?
            #[inline]
            fn load_row(halves: &[u16; WIDTH]) -> Lanes {
                widened::<$bf16>(halves)
            }

            /// Fewer than `WIDTH` halves, then zeros.
            $(#[$feature])?
            #[inline]
            fn load_row_part(halves: &[u16]) -> Lanes {
                let mut chunk = [0; WIDTH];
                chunk[..halves.len()].copy_from_slice(halves);
                widened::<$bf16>(&chunk)
            }

            $(#[$feature])?
            pub(super) fn widen(halves: &[u16], values: &mut [f32]) {
                let (chunks, rest) = halves.as_chunks::<WIDTH>();
                let (into, last) = values.as_chunks_mut::<WIDTH>();
                for (chunk, into) in chunks.iter().zip(into) {
                    *into = store(widened::<$bf16>(chunk));
                }
                for (&half, value) in rest.iter().zip(last) {
                    *value = format::widen::<$bf16>(half);
                }
            }

            $(#[$feature])?
            pub(super) fn narrow(values: &[f32], halves: &mut [u16]) {
                let (chunks, rest) = values.as_chunks::<WIDTH>();
                let (into, last) = halves.as_chunks_mut::<WIDTH>();
                for (chunk, into) in chunks.iter().zip(into) {
                    *into = narrowed::<$bf16>(chunk);
                }
                for (&value, half) in rest.iter().zip(last) {
                    *half = format::narrow::<$bf16>(value);
                }
            }
        }
    };
}
