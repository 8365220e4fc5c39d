/// Asks the CPU to fetch the first bytes of `row`, which is about to be read. Without effect on results, and
/// without any effect on CPUs other than x86-64.
#[inline]
pub fn prefetch(row: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // Four lines of 64 bytes; the CPU's own prefetcher goes on from there.
        for line in row.chunks(16).take(4) {
            // SAFETY: a prefetch reads nothing and cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// Asks the CPU to fetch all of `values` as far as the second cache level.
#[inline]
pub(crate) fn prefetch_far(values: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        for line in values.chunks(16) {
            // SAFETY: a prefetch reads nothing and cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

/// Asks the CPU to fetch, as far as the second cache level, `COUNT` floats from `offset` floats behind the place
/// that is read a few microseconds after `row`. That may lie beyond all rows.
///
/// The CPU's own prefetchers follow one stream well and several short ones badly; they also stop at each page. Of
/// the second level and the first, the second has the room for this many lines on their way.
#[inline]
pub(crate) fn prefetch_beyond<const COUNT: usize>(row: &[f32], offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        const DISTANCE: usize = (16 << 10) / size_of::<f32>();
        let place = row.as_ptr().wrapping_add(DISTANCE + offset);
        for line in (0..COUNT).step_by(16) {
            // SAFETY: a prefetch reads nothing and cannot fault, whatever the address; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(place.wrapping_add(line).cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, offset);
}
