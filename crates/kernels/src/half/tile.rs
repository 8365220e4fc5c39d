//! The loop of `float/tile.rs` for rows of 16-bit floats, which are widened when they are loaded, and loops for
//! conversions.

/// Defines `KERNELS` for an instruction set.
///
/// Everything that `define_tiles` needs must be in scope, except the functions that load rows. Four more functions
/// must be in scope: `store`; `widened`, which converts `WIDTH` 16-bit floats to `f32`; `widened_part`, which converts
/// fewer of them and fills the other lanes with zeros; and `narrowed`, which converts `WIDTH` floats back.
macro_rules! define_half {
    ($name:literal, $queries:literal x $rows:literal $(, #[$feature:meta])?) => {
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

/// Defines the module of one format: the functions `block`, `widen` and `narrow`.
macro_rules! define_format {
    ($format:ident: $bf16:literal, $queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        mod $format {
            use super::*;
            use $crate::half::format;

            define_tiles!(u16: load_row, load_row_part; $queries x $rows $(, #[$feature])?);

            /// Loads `WIDTH` numbers as `f32`.
            $(#[$feature])?
            #[inline]
            fn load_row(halves: &[u16; WIDTH]) -> Lanes {
                widened::<$bf16>(halves)
            }

            /// Loads fewer than `WIDTH` numbers as `f32` and fills the other lanes with zeros.
            $(#[$feature])?
            #[inline]
            fn load_row_part(halves: &[u16]) -> Lanes {
                widened_part::<$bf16>(halves)
            }

            /// Converts 16-bit floats to `f32`.
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

            /// Converts `f32` to the nearest 16-bit floats.
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
