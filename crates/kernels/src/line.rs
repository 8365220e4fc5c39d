/// 64 bytes at a multiple of 64: what a CPU fetches at once. Rows of whole lines are fetched with none to spare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u8; 64]);

impl Line {
    /// A line of zeros.
    pub const ZERO: Self = Self([0; 64]);

    /// The bytes of lines.
    #[must_use]
    pub fn bytes(lines: &[Self]) -> &[u8] {
        // SAFETY: a line is 64 bytes without padding, so the slice is as many readable bytes, which any byte may be.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
    }

    /// The bytes of lines, to be written.
    #[must_use]
    pub fn bytes_mut(lines: &mut [Self]) -> &mut [u8] {
        // SAFETY: as in `bytes`; every value of the bytes is a line, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_their_bytes() {
        let mut lines = vec![Line::ZERO; 2];
        Line::bytes_mut(&mut lines)[64] = 7;
        assert_eq!(lines[1].0[0], 7);
        assert_eq!((Line::bytes(&lines).len(), Line::bytes(&lines)[64]), (128, 7));
        assert!(lines.as_ptr().addr().is_multiple_of(64));
    }
}
