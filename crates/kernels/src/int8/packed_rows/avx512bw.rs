//! Packed rows with AVX-512 without VNNI: packed rows are multiplied with AVX2, and others with AVX-512.

use super::avx2::packed_products;
use super::{LANES, MIN_QUERIES};
use crate::int8::x86_64::avx512bw;
use crate::int8::{Int8Kernels, Int8Queries, Int8Rows};

pub(in crate::int8) static KERNELS: Int8Kernels = Int8Kernels { products, ..avx512bw::KERNELS };

/// Multiplies all queries with all rows; see [`Int8Kernels::products`].
#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn products(queries: &Int8Queries, rows: Int8Rows<'_>, ords: &[u32], out: &mut [i32]) {
    if queries.len() >= MIN_QUERIES && rows.len() >= LANES && queries.have_small_groups() {
        packed_products(queries, rows, out);
    } else {
        avx512bw::products(queries, rows, ords, out);
    }
}
