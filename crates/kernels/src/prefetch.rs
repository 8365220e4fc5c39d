/// Asks the CPU to fetch the first bytes of `row`, which is about to be read. Without effect on results, and
/// without any effect on CPUs other than x86-64.
#[inline]
pub fn prefetch(row: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // Eight lines of 64 bytes; the CPU's own prefetcher goes on from there.
        for line in row.chunks(16).take(8) {
            // SAFETY: a prefetch reads nothing and cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// Asks the CPU to fetch all of `bytes` as far as the second cache level.
#[inline]
pub(crate) fn prefetch_far(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        for line in bytes.chunks(64) {
            // SAFETY: a prefetch reads nothing and cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// How many bytes apart [`prefetch_beyond`] is best called.
pub(crate) const APART: usize = 512;

/// Asks the CPU to fetch, as far as the second cache level, one line of what is read a few microseconds after the
/// byte `offset` of `row`. It may lie beyond all rows.
///
/// That sets the prefetcher of that level going on the next pages, where it would begin only after a few misses. A
/// request for every line is slower: each holds a place among the few misses of the first level.
#[inline]
pub(crate) fn prefetch_beyond<T>(row: &[T], offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        const DISTANCE: usize = 12 << 10;
        let place = row.as_ptr().wrapping_byte_add(DISTANCE + offset);
        // SAFETY: a prefetch reads nothing and cannot fault, whatever the address; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, offset);
}

/// Asks the CPU to fetch all of `row`, which is about to be read; as [`prefetch`].
#[inline]
pub fn prefetch_bytes(row: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in row.chunks(64) {
            // SAFETY: a prefetch reads nothing and cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// Asks the CPU to fetch a value of up to a line of 64 bytes; as [`prefetch`].
#[inline]
pub fn prefetch_value<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing and cannot fault; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
