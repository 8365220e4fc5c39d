//! Prefetches: requests to the CPU to load data into its caches before a program reads the data. They never change
//! results, and do nothing on CPUs other than x86-64 and 64-bit ARM.
//!
//! Functions that prefetch a range of bytes request one cache line per 64 bytes, beginning with the line of the first
//! byte. If the range does not start at the start of a line, its last few bytes may be in a line that is not requested.
//! Apple's CPUs have lines of 128 bytes; half of the requests are then for a line that is on its way already, and cost
//! little.

/// Prefetches the first 512 bytes of `row` into the L1 cache. The hardware prefetcher continues from there.
#[inline]
pub fn prefetch(row: &[f32]) {
    // Eight lines of 64 bytes, which have 16 floats each.
    for line in row.chunks(16).take(8) {
        request_in_l1(line.as_ptr());
    }
}

/// Prefetches all of `row` into the L1 cache.
#[inline]
pub fn prefetch_bytes(row: &[u8]) {
    for line in row.chunks(64) {
        request_in_l1(line.as_ptr());
    }
}

/// Prefetches the cache line that contains the first byte of `value` into the L1 cache.
#[inline]
pub fn prefetch_value<T>(value: &T) {
    request_in_l1(std::ptr::from_ref(value));
}

/// Prefetches all of `bytes` into the L2 cache.
#[inline]
pub(crate) fn prefetch_to_l2(bytes: &[u8]) {
    for line in bytes.chunks(64) {
        request_in_l2(line.as_ptr());
    }
}

/// A loop that reads memory sequentially calls [`prefetch_ahead`] once per this many bytes.
pub(crate) const PREFETCH_INTERVAL: usize = 512;

/// Prefetches one cache line into the L2 cache: the line that is 12 KiB after byte `offset` of `row`. A loop that reads
/// consecutive rows reaches this line within a few microseconds. The line may be past the end of the last row.
///
/// One such request per [`PREFETCH_INTERVAL`] makes the hardware prefetcher start on the following pages early. Without
/// these requests, it starts on a page only after a few cache misses. Prefetching every line is slower, because each
/// request occupies one of the few line fill buffers of the L1 cache.
#[inline]
pub(crate) fn prefetch_ahead<T>(row: &[T], offset: usize) {
    const DISTANCE: usize = 12 << 10;
    request_in_l2(row.as_ptr().wrapping_byte_add(DISTANCE + offset));
}

/// Requests the cache line of an address in the L1 cache.
#[inline]
fn request_in_l1<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch cannot fault, whatever the address; SSE is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: `prfm` cannot fault, whatever the address, and changes no register. Its intrinsic is not stable.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(readonly, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Requests the cache line of an address in the L2 cache.
#[inline]
fn request_in_l2<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch cannot fault, whatever the address; SSE is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: `prfm` cannot fault, whatever the address, and changes no register. Its intrinsic is not stable.
    unsafe {
        std::arch::asm!("prfm pldl2keep, [{}]", in(reg) address, options(readonly, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}
