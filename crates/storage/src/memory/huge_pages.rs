/// Asks the system to back memory with pages of 2 MiB, which are found faster than ones of 4 KiB. It concerns what is
/// written there for the first time afterwards; content and lifetime are as before. Without effect outside Linux, or
/// on less than such a page.
pub fn prefer_huge_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 2 << 20;
        let bytes = memory.as_ptr_range();
        let start = bytes.start.addr().next_multiple_of(PAGE);
        let end = bytes.end.addr() / PAGE * PAGE;
        if start < end {
            let pages = bytes.start.with_addr(start).cast_mut().cast();
            #[expect(unsafe_code, reason = "the one call that advises about memory")]
            // SAFETY: the pages lie inside the slice, and this advice changes neither what they hold nor whether they
            // are there.
            let advised =
                unsafe { rustix::mm::madvise(pages, end - start, rustix::mm::Advice::LinuxHugepage) };
            // A system without such pages works as well, only slower.
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
    fn content_stays_as_it_is() {
        let mut memory: Vec<u64> = Vec::with_capacity(1 << 20);
        memory.extend(0..1 << 19);
        prefer_huge_pages(&memory);
        prefer_huge_pages::<u8>(&[]);
        memory.extend(1 << 19..1 << 20);
        assert!(memory.iter().copied().eq(0..1 << 20));
    }
}
