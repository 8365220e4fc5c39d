//! The extent of JSON values.

use memchr::memchr2;

/// Finds the end of a JSON value in data that may grow between calls. It does not validate the value.
#[derive(Debug, Default)]
pub(super) struct Extent {
    /// Number of bytes that were scanned.
    scanned: usize,
    /// Number of open brackets and braces.
    depth: u64,
    in_string: bool,
}

impl Extent {
    /// Returns the length of the value at the start of `data`, or `None` if its end is not in `data`. Each call must pass the
    /// data of the previous call, possibly extended.
    pub fn find(&mut self, data: &[u8]) -> Option<usize> {
        while self.scanned < data.len() {
            if self.in_string {
                match memchr2(b'"', b'\\', &data[self.scanned..]) {
                    None => self.scanned = data.len(),
                    Some(found) if data[self.scanned + found] == b'\\' => self.scanned += found + 2,
                    Some(found) => {
                        self.scanned += found + 1;
                        self.in_string = false;
                        if self.depth == 0 {
                            return Some(self.scanned);
                        }
                    }
                }
                continue;
            }
            match data[self.scanned] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' | b',' if self.depth == 0 => return Some(self.scanned),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(self.scanned + 1);
                    }
                }
                space if self.depth == 0 && is_space(space) => return Some(self.scanned),
                _ => {}
            }
            self.scanned += 1;
        }
        None
    }

    /// Number of bytes that were scanned.
    pub fn scanned(&self) -> usize {
        self.scanned
    }

    /// Adjusts the state after the caller dropped the first `count` bytes, which must have been scanned.
    pub fn drop_front(&mut self, count: usize) {
        self.scanned -= count;
    }
}

/// Whether a byte is white space in JSON.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_ends_where_its_parser_would_end_it() {
        for (text, length) in
            [("[1, \"]\\\"\"], 2", 10), ("\"a\\\\\" ", 5), ("12}", 2), ("null\n", 4), ("{\"a\": {}}{}", 9)]
        {
            assert_eq!(Extent::default().find(text.as_bytes()), Some(length), "{text}");
        }
        assert_eq!(Extent::default().find(b"[\"]"), None);
    }

    proptest! {
        #[test]
        fn data_in_pieces_gives_the_same_result(text in "[\\[\\]{}\",:1 a\\\\]{0,20}", cut in 0usize..20) {
            let (text, mut whole, mut pieces) = (text.as_bytes(), Extent::default(), Extent::default());
            let first = pieces.find(&text[..cut.min(text.len())]);
            prop_assert_eq!(first.or_else(|| pieces.find(text)), whole.find(text));
        }
    }
}
