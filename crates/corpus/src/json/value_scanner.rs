//! Finds where a JSON value ends, without parsing it.

use memchr::memchr2;

/// Finds the end of one JSON value in data that arrives in pieces. Each byte is scanned only once. The value is not
/// validated: only brackets, braces, commas, white space and quoted strings matter.
#[derive(Debug, Default)]
pub(super) struct ValueScanner {
    /// Offset of the next byte to scan. If the data ends with a backslash in a string, the offset is one past the end
    /// of the data, because the escaped character is skipped.
    position: usize,
    /// Number of brackets and braces that are open.
    depth: u64,
    in_string: bool,
}

impl ValueScanner {
    /// Returns the length of the value at the start of `data`, or `None` if the end of the value is not in `data`. In
    /// each call, `data` must begin with the data of the previous call; only the added bytes are scanned. If the caller
    /// removes bytes from the front of the data between two calls, it must call [`drop_front`](Self::drop_front).
    pub fn find_end(&mut self, data: &[u8]) -> Option<usize> {
        while self.position < data.len() {
            if self.in_string {
                match memchr2(b'"', b'\\', &data[self.position..]) {
                    None => self.position = data.len(),
                    Some(found) if data[self.position + found] == b'\\' => self.position += found + 2,
                    Some(found) => {
                        self.position += found + 1;
                        self.in_string = false;
                        if self.depth == 0 {
                            return Some(self.position);
                        }
                    }
                }
                continue;
            }
            match data[self.position] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' | b',' if self.depth == 0 => return Some(self.position),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(self.position + 1);
                    }
                }
                space if self.depth == 0 && is_space(space) => return Some(self.position),
                _ => {}
            }
            self.position += 1;
        }
        None
    }

    /// Offset of the next byte to scan. All bytes before it belong to the value.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Adjusts the position after the caller has removed the first `count` bytes of the data. These bytes must have
    /// been scanned.
    pub fn drop_front(&mut self, count: usize) {
        self.position -= count;
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
    fn the_end_of_a_value_is_where_a_parser_would_stop() {
        for (text, length) in
            [("[1, \"]\\\"\"], 2", 10), ("\"a\\\\\" ", 5), ("12}", 2), ("null\n", 4), ("{\"a\": {}}{}", 9)]
        {
            assert_eq!(ValueScanner::default().find_end(text.as_bytes()), Some(length), "{text}");
        }
        assert_eq!(ValueScanner::default().find_end(b"[\"]"), None);
    }

    proptest! {
        #[test]
        fn the_end_is_the_same_if_the_data_arrives_in_two_pieces(text in "[\\[\\]{}\",:1 a\\\\]{0,20}", cut in 0usize..20) {
            let (text, mut one_piece, mut two_pieces) = (text.as_bytes(), ValueScanner::default(), ValueScanner::default());
            let first = two_pieces.find_end(&text[..cut.min(text.len())]);
            prop_assert_eq!(first.or_else(|| two_pieces.find_end(text)), one_piece.find_end(text));
        }
    }
}
