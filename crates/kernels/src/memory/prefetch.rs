//! Prefetches: requests to the CPU to load data into its caches before a program reads the data. They never change
//! results, and do nothing on CPUs other than x86-64 and 64-bit ARM.
//!
//! A request is for one cache line: [`LINE_BYTES`] bytes.

/// The number of bytes of a cache line that prefetches assume: 128 on Apple's CPUs, 64 elsewhere.
const LINE_BYTES: usize = if cfg!(target_vendor = "apple") { 128 } else { 64 };

/// Prefetches all of `values` into the L1 cache.
///
/// With lines of 64 bytes, one line is requested per 64 bytes, beginning with that of the first byte. The rows of graphs
/// start at the start of a line. If a range does not, its last few bytes may be in a line that is not requested.
#[inline]
pub fn prefetch<T>(values: &[T]) {
    for_each_line(values, LINE_BYTES, size_of_val(values), request_in_l1);
}

/// Prefetches the first 512 bytes of `values` into the L1 cache. The hardware prefetcher continues from there.
#[inline]
pub fn prefetch_start<T>(values: &[T]) {
    for_each_line(values, LINE_BYTES, size_of_val(values).min(512), request_in_l1);
}

/// Prefetches all of `bytes` into the L2 cache.
#[inline]
pub(crate) fn prefetch_to_l2(bytes: &[u8]) {
    for_each_line(bytes, LINE_BYTES, bytes.len(), request_in_l2);
}

/// Calls `request` with an address in each cache line of the first `count` bytes of `values`.
#[inline]
fn for_each_line<T>(values: &[T], line_bytes: usize, count: usize, mut request: impl FnMut(*const u8)) {
    let start = values.as_ptr().cast::<u8>();
    // Rows of whole lines of 64 bytes may start in the middle of a line of 128 bytes.
    let bytes_before = if line_bytes > 64 { start.addr() % line_bytes } else { 0 };
    let mut offset = 0;
    while offset < bytes_before + count {
        request(start.wrapping_sub(bytes_before).wrapping_add(offset));
        offset += line_bytes;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Line;

    #[test]
    fn every_line_is_requested_once() {
        let memory = [Line::ZERO; 16];
        for line_bytes in [64, 128] {
            for (first, end) in (0..16).flat_map(|first| (first + 1..=16).map(move |end| (first, end))) {
                let values = &memory[first..end];
                let expected = (values.as_ptr().addr() / line_bytes)
                    ..=(values.as_ptr_range().end.addr() - 1) / line_bytes;
                let mut requested = Vec::new();
                for_each_line(values, line_bytes, size_of_val(values), |address| {
                    requested.push(address.addr() / line_bytes);
                });
                assert_eq!(requested, expected.collect::<Vec<_>>(), "{first}..{end}, {line_bytes}");
            }
        }
    }
}
