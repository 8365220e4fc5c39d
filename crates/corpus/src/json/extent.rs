use memchr::memchr2;

/// Finds where a JSON value ends, over data that may grow between calls. Whether the value is sound inside is
/// left to its parser.
#[derive(Debug, Default)]
pub(crate) struct Extent {
    at: usize,
    depth: u64,
    in_string: bool,
}

impl Extent {
    /// The length of the value at the start of `data`; none if it goes on behind. `data` begins with what it
    /// was at the call before.
    pub fn find(&mut self, data: &[u8]) -> Option<usize> {
        while self.at < data.len() {
            if self.in_string {
                match memchr2(b'"', b'\\', &data[self.at..]) {
                    None => self.at = data.len(),
                    Some(found) if data[self.at + found] == b'\\' => self.at += found + 2,
                    Some(found) => {
                        self.at += found + 1;
                        self.in_string = false;
                        if self.depth == 0 {
                            return Some(self.at);
                        }
                    }
                }
                continue;
            }
            match data[self.at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' | b',' if self.depth == 0 => return Some(self.at),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(self.at + 1);
                    }
                }
                space if self.depth == 0 && is_space(space) => return Some(self.at),
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    /// How much was looked at.
    pub fn seen(&self) -> usize {
        self.at
    }

    /// Adjusts the position after the caller dropped the first `count` bytes, which must have been scanned.
    pub fn drop_front(&mut self, count: usize) {
        self.at -= count;
    }
}

/// Whether a byte is JSON's white space.
pub(crate) fn is_space(byte: u8) -> bool {
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
        fn data_that_comes_in_pieces_gives_the_same(text in "[\\[\\]{}\",:1 a\\\\]{0,20}", cut in 0usize..20) {
            let (text, mut whole, mut pieces) = (text.as_bytes(), Extent::default(), Extent::default());
            let first = pieces.find(&text[..cut.min(text.len())]);
            prop_assert_eq!(first.or_else(|| pieces.find(text)), whole.find(text));
        }
    }
}
