//! Requests to the CPU to load memory into its caches before it is read. They never change results, and do nothing on CPUs
//! other than x86-64.

/// Prefetches the first 512 bytes of `row` into the first-level cache. The CPU's own prefetcher continues from there.
#[inline]
pub fn prefetch(row: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // Eight lines of 64 bytes.
        for line in row.chunks(16).take(8) {
            // SAFETY: a prefetch cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// Prefetches all of `row` into the first-level cache.
#[inline]
pub fn prefetch_bytes(row: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in row.chunks(64) {
            // SAFETY: a prefetch cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// Prefetches the cache line in which `value` starts into the first-level cache.
#[inline]
pub fn prefetch_value<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch cannot fault; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Prefetches all of `bytes` into the second-level cache.
#[inline]
pub(crate) fn prefetch_to_l2(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        for line in bytes.chunks(64) {
            // SAFETY: a prefetch cannot fault; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Number of bytes after which a sequential reader calls [`prefetch_ahead`] again.
pub(crate) const PREFETCH_INTERVAL: usize = 512;

/// Prefetches the line 12 KiB behind the byte `offset` of `row` into the second-level cache: a reader of consecutive rows
/// gets there within a few microseconds. The address may lie behind the last row.
///
/// One line per [`PREFETCH_INTERVAL`] makes the CPU's own prefetcher start on the next pages, where it would otherwise wait
/// for a few cache misses. Prefetching every line is slower, because each request occupies one of the few miss buffers of
/// the first-level cache.
#[inline]
pub(crate) fn prefetch_ahead<T>(row: &[T], offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        const DISTANCE: usize = 12 << 10;
        let address = row.as_ptr().wrapping_byte_add(DISTANCE + offset);
        // SAFETY: a prefetch cannot fault, whatever the address; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, offset);
}
