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
