//! NumPy's `.npy` files: magic bytes, a version, a Python dictionary with the type, order and shape of the array, and
//! the numbers (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).

use super::layout::Layout;
use crate::Error;
use crate::element::{ELEMENTS, Element};
use crate::input::Input;

/// Maximum number of bytes of a header. The header of an array of numbers takes about a hundred bytes.
const MAX_HEADER_BYTES: u32 = 1 << 20;

/// The entries of the dictionary, with NumPy's names.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    /// The type as written: `<f4`, for example, or a Python list of fields for an array of records.
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

/// Returns the layout of the array, which must have two dimensions.
pub(crate) fn layout(input: &mut Input) -> Result<Layout, Error> {
    let path = input.path().to_path_buf();
    let corrupt = |got: &str| Error::format(&path, "a valid header of a NumPy array", got);
    let mut start = [0; 12];
    let available = input.length().min(12) as usize;
    input.seek(0)?;
    input.read_exact(&mut start[..available])?;
    // Where the dictionary begins, and its length: 16 bits in version 1, 32 bits in versions 2 and 3.
    let (at, length) = match start[6] {
        1 => (10u32, u32::from(u16::from_le_bytes([start[8], start[9]]))),
        2 | 3 => (12, u32::from_le_bytes([start[8], start[9], start[10], start[11]])),
        other => {
            return Err(Error::format(&path, "version 1, 2 or 3 of the NumPy format", other.to_string()));
        }
    };
    let offset = u64::from(at) + u64::from(length);
    if length > MAX_HEADER_BYTES || offset > input.length() {
        return Err(corrupt(&format!("{length} bytes of header in a file of {}", input.length())));
    }
    let bytes = input.bytes_at(u64::from(at), length as usize)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| corrupt("one that is not text"))?;
    let header = parse(text).ok_or_else(|| corrupt(&format!("\"{}\"", text.trim_end().escape_debug())))?;
    let &[rows, dim] = &header.shape[..] else {
        let shape: Vec<_> = header.shape.iter().map(u64::to_string).collect();
        return Err(Error::format(
            &path,
            "an array of shape (rows, dim)",
            format!("shape ({})", shape.join(", ")),
        ));
    };
    if dim == 0 {
        return Err(Error::format(&path, "rows of one number or more", format!("shape ({rows}, 0)")));
    }
    let element = match header.descr.as_str() {
        "<f2" => Element::F16,
        "<f4" => Element::F32,
        "<f8" => Element::F64,
        other => return Err(Error::format(&path, format!("{ELEMENTS} (<f2, <f4, <f8)"), other)),
    };
    if header.fortran_order {
        let expected = "rows stored one after another (C order)";
        return Err(Error::format(&path, expected, "Fortran order; save numpy.ascontiguousarray(array)"));
    }
    let layout = usize::try_from(dim).ok().and_then(|dim| Layout::matrix(offset, rows, dim, element));
    let end = layout.as_ref().and_then(Layout::end);
    layout.filter(|_| end == Some(input.length())).ok_or_else(|| {
        let expected = end.map_or_else(|| "a possible shape".to_owned(), |end| format!("{end} bytes"));
        let got = format!("{} bytes for shape ({rows}, {dim}) of {}", input.length(), header.descr);
        Error::format(&path, expected, got)
    })
}

/// Parses the dictionary, whose three entries may be in any order.
fn parse(text: &str) -> Option<Header> {
    let mut rest = text.trim().strip_prefix('{')?;
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('}') {
            after.is_empty().then_some(())?;
            return Some(Header { descr: descr?, fortran_order: fortran_order?, shape: shape? });
        }
        let (key, after) = quoted(rest)?;
        rest = after.trim_start().strip_prefix(':')?.trim_start();
        let end = value_end(rest)?;
        let value = rest[..end].trim_end();
        rest = rest[end..].strip_prefix(',').unwrap_or(&rest[end..]);
        match key {
            "descr" => descr = Some(quoted(value).map_or(value, |(inner, _)| inner).to_owned()),
            "fortran_order" => {
                fortran_order = Some(match value {
                    "True" => true,
                    "False" => false,
                    _ => return None,
                })
            }
            "shape" => {
                let numbers = value.strip_prefix('(')?.strip_suffix(')')?.split(',').map(str::trim);
                // Python 2 wrote `3L` for 3.
                let number = |number: &str| number.strip_suffix('L').unwrap_or(number).parse().ok();
                shape = Some(numbers.filter(|number| !number.is_empty()).map(number).collect::<Option<_>>()?);
            }
            _ => return None,
        }
    }
}

/// Returns the content of the quoted string at the start of `text`, and the text after it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// Returns the byte offset of the end of the value at the start of `text`: the first comma or closing brace outside of
/// brackets and quotes.
fn value_end(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0u32, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, ',' | '}') if depth == 0 => return Some(at),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dictionaries_with_any_order_and_spacing_are_read_and_broken_ones_are_refused() {
        let header = |descr: &str, fortran_order, shape: &[u64]| {
            Some(Header { descr: descr.to_owned(), fortran_order, shape: shape.to_vec() })
        };
        assert_eq!(
            parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }    \n"),
            header("<f4", false, &[3, 4])
        );
        assert_eq!(
            parse("{\"shape\":(7L,),\"fortran_order\":True,\"descr\":\">f8\"}"),
            header(">f8", true, &[7])
        );
        assert_eq!(
            parse("{'descr': [('a, }', '<f4', (2,))], 'fortran_order': False, 'shape': ()}"),
            header("[('a, }', '<f4', (2,))]", false, &[])
        );
        for broken in [
            "",
            "{",
            "{}",
            "{'shape': (1, 2)}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 2)}",
            "{'descr'",
        ] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[{}()\\[\\]'\",:a-fL0-9 é]{0,60}") {
            let _ = parse(&text);
        }
    }
}
