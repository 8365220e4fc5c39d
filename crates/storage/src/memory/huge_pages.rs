//! Huge pages (Linux).

/// Asks the system to use pages of 2 MiB for `memory`. Such pages need fewer entries of the translation lookaside
/// buffer (TLB) than pages of 4 KiB.
///
/// Call this function before writing to the memory: the system chooses the size of a page when the page is first
/// written, and replaces smaller pages only later, if at all. The content of the memory does not change. The function
/// has no effect on systems other than Linux, or if `memory` contains no whole page of 2 MiB.
pub fn prefer_huge_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 2 << 20;
        let bytes = memory.as_ptr_range();
        let start = bytes.start.addr().next_multiple_of(PAGE);
        let end = bytes.end.addr() / PAGE * PAGE;
        if start < end {
            let pages = bytes.start.with_addr(start).cast_mut().cast();
            #[expect(unsafe_code, reason = "`rustix::mm::madvise` is unsafe")]
            // SAFETY: the pages are inside the slice, and this advice changes neither their content nor whether they
            // are mapped.
            let advised =
                unsafe { rustix::mm::madvise(pages, end - start, rustix::mm::Advice::LinuxHugepage) };
            // Huge pages only make access faster, so an error is ignored.
            let _ = advised;
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferring_huge_pages_does_not_change_the_content_of_memory() {
        let mut memory: Vec<u64> = Vec::with_capacity(1 << 20);
        memory.extend(0..1 << 19);
        prefer_huge_pages(&memory);
        prefer_huge_pages::<u8>(&[]);
        memory.extend(1 << 19..1 << 20);
        assert!(memory.iter().copied().eq(0..1 << 20));
    }
}
