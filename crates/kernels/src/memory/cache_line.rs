//! [`Line`]: memory in whole cache lines.

/// A cache line: 64 bytes at an address that is a multiple of 64, the unit in which most CPUs read memory. Reading a
/// row that consists of whole lines does not load parts of other rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u8; 64]);

impl Line {
    /// A line of zeros.
    pub const ZERO: Self = Self([0; 64]);

    /// Returns the bytes of all `lines`.
    #[must_use]
    pub fn bytes(lines: &[Self]) -> &[u8] {
        // SAFETY: a line is 64 bytes without padding, so the pointer is valid for reading that many bytes, and every
        // bit pattern is a valid `u8`.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
    }

    /// Returns the bytes of all `lines`, for writing.
    #[must_use]
    pub fn bytes_mut(lines: &mut [Self]) -> &mut [u8] {
        // SAFETY: as in `bytes`; the borrow is unique, and every value of the bytes is a valid line.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_can_be_read_and_written_as_bytes() {
        let mut lines = vec![Line::ZERO; 2];
        Line::bytes_mut(&mut lines)[64] = 7;
        assert_eq!(lines[1].0[0], 7);
        assert_eq!((Line::bytes(&lines).len(), Line::bytes(&lines)[64]), (128, 7));
        assert!(lines.as_ptr().addr().is_multiple_of(64));
    }
}
