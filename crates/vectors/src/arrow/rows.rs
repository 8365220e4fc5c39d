//! Reads the rows of an Arrow file or stream.

use std::path::{Path, PathBuf};

use super::body::{Body, Buffer, Node, read, skip};
use super::file::{ArrowFile, corrupt, offsets};
use super::schema::{ColumnStart, Kind};
use crate::Error;
use crate::element::Element;
use crate::input::Input;
use crate::source::{Batch, RowSource};

/// Reads the rows of an [`ArrowFile`] in order. Vectors are read in pieces, as the caller asks for rows; the ids of a
/// record batch are read all at once.
pub(crate) struct ArrowRows<'a> {
    file: &'a ArrowFile,
    path: PathBuf,
    element: Element,
    /// Index of the next record batch.
    next_body: usize,
    current: Option<Current>,
    /// Number of the next row in the file, from 0.
    next_row: u64,
    /// Numbers as read, before they are converted.
    bytes: Vec<u8>,
}

/// The current record batch.
struct Current {
    rows_left: u64,
    /// The buffer with the numbers of the vectors; reading continues after the rows that were already returned.
    vectors: Buffer,
    /// The ids that have not been returned yet; empty if there is no id column.
    ids: std::vec::IntoIter<String>,
}

impl<'a> ArrowRows<'a> {
    pub fn new(file: &'a ArrowFile, input: Input) -> Self {
        let element = file.fields[file.vectors].list_element().expect("the column was chosen by its type");
        let path = input.path().to_path_buf();
        Self { file, path, element, next_body: 0, current: None, next_row: 0, bytes: Vec::new() }
    }

    /// Checks the vector column of a record batch, opens this column's buffer of numbers, and reads the batch's ids.
    fn open_body(&self, body: &Body) -> Result<Current, Error> {
        let (path, file, dim) = (&self.path, self.file, self.file.dim());
        let start = file.column_start(body, file.vectors);
        let rows = body.rows;
        check_node(path, body, start, rows, self.next_row)?;
        // The position in the buffer of numbers at which the first row begins, counted in numbers.
        let first = match file.fields[file.vectors].kind {
            Kind::FixedSizeList { .. } => 0,
            _ => {
                let offsets = file.list_offsets(path, body, rows)?;
                let mismatch = offsets.windows(2).position(|pair| pair[1] - pair[0] != dim as u64);
                if let Some(row) = mismatch {
                    let expected = format!("lists of {dim} numbers, like the first one");
                    let got =
                        format!("{} at row {}", offsets[row + 1] - offsets[row], self.next_row + row as u64);
                    return Err(Error::format(path, expected, got));
                }
                offsets[0]
            }
        };
        let numbers = ColumnStart { node: start.node + 1, ..start };
        let expected = first.checked_add(rows.saturating_mul(dim as u64));
        if body
            .nodes
            .get(numbers.node)
            .is_none_or(|node| expected.is_none_or(|expected| node.length < expected))
        {
            return Err(corrupt(path, format!("too few numbers for {rows} lists of {dim}")));
        }
        check_node(path, body, numbers, body.nodes[numbers.node].length, self.next_row)?;
        // The buffer of numbers comes after the validity bitmap of the lists (which of them are null), the offsets of
        // the lists unless they have a fixed size, and the validity bitmap of the numbers.
        let buffers_before =
            if matches!(file.fields[file.vectors].kind, Kind::FixedSizeList { .. }) { 2 } else { 3 };
        let mut vectors = body.buffer(path, start.buffer + buffers_before)?;
        let skipped = first.checked_mul(self.element.width() as u64);
        skip(path, &mut vectors, skipped.ok_or_else(|| corrupt(path, "lists beyond the end".to_owned()))?)?;
        let ids = match file.ids {
            Some(column) => self.ids(body, column)?,
            None => Vec::new(),
        };
        Ok(Current { rows_left: rows, vectors, ids: ids.into_iter() })
    }

    /// Reads the ids of a record batch.
    fn ids(&self, body: &Body, column: usize) -> Result<Vec<String>, Error> {
        let (path, rows) = (&self.path, body.rows);
        let start = self.file.column_start(body, column);
        check_node(path, body, start, rows, self.next_row)?;
        let utf8 = |bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(id) => Ok(id.to_owned()),
            Err(error) => Err(Error::format(path, "ids in UTF-8", error.to_string())),
        };
        match self.file.fields[column].kind {
            Kind::Int { width, is_signed } => {
                let bytes = body.bytes(path, start.buffer + 1, 0, rows.saturating_mul(width as u64))?;
                Ok(bytes.chunks_exact(width).map(|number| decimal(number, is_signed)).collect())
            }
            Kind::Text { has_64_bit_offsets } => {
                let offsets = offsets(path, body, start.buffer + 1, has_64_bit_offsets, rows)?;
                let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
                let bytes = body.bytes(path, start.buffer + 2, first, last - first)?;
                offsets
                    .windows(2)
                    .map(|pair| utf8(&bytes[(pair[0] - first) as usize..(pair[1] - first) as usize]))
                    .collect()
            }
            Kind::TextView => {
                let views = body.bytes(path, start.buffer + 1, 0, rows.saturating_mul(16))?;
                let buffer_count = body
                    .view_counts
                    .get(start.views)
                    .and_then(|&count| usize::try_from(count).ok())
                    .unwrap_or(0);
                let texts = (0..buffer_count).map(|number| self.read_buffer(body, start.buffer + 2 + number));
                let texts = texts.collect::<Result<Vec<_>, _>>()?;
                let outside = || corrupt(path, "a view of a missing string".to_owned());
                views
                    .as_chunks()
                    .0
                    .iter()
                    .map(|view| utf8(view_text(view, &texts).ok_or_else(outside)?))
                    .collect()
            }
            _ => unreachable!("the column was chosen by its type"),
        }
    }

    /// Reads a whole buffer.
    fn read_buffer(&self, body: &Body, number: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = body.buffer(&self.path, number)?.read_to_end(&mut bytes);
        read.map_err(|error| Error::format(&self.path, "valid Arrow buffers", error.to_string()))?;
        Ok(bytes)
    }
}

impl RowSource for ArrowRows<'_> {
    fn read(&mut self, max_rows: usize, batch: &mut Batch) -> Result<(), Error> {
        let mut count_read = 0;
        while count_read < max_rows {
            if self.current.as_ref().is_none_or(|current| current.rows_left == 0) {
                let Some(body) = self.file.bodies.get(self.next_body) else {
                    break;
                };
                self.current = Some(self.open_body(body)?);
                self.next_body += 1;
                continue;
            }
            let current = self.current.as_mut().expect("opened above");
            let count = usize::try_from(current.rows_left)
                .map_or(max_rows - count_read, |left| left.min(max_rows - count_read));
            let bytes = (count * self.element.width()) as u64 * self.file.dim() as u64;
            read(&self.path, &mut current.vectors, bytes, &mut self.bytes)?;
            self.element.append(&self.bytes, &mut batch.vectors);
            batch.ids.extend(current.ids.by_ref().take(count));
            current.rows_left -= count as u64;
            self.next_row += count as u64;
            count_read += count;
        }
        Ok(())
    }
}

/// Checks that the column or nested column at `start` has `length` values and no nulls. `row` is the number in the
/// file of the record batch's first row, for error messages.
fn check_node(path: &Path, body: &Body, start: ColumnStart, length: u64, row: u64) -> Result<(), Error> {
    match body.nodes.get(start.node) {
        Some(&Node { length: found, null_count: 0 }) if found == length => Ok(()),
        Some(&Node { length: found, null_count: 0 }) => {
            Err(corrupt(path, format!("{found} values in {length} rows")))
        }
        Some(Node { null_count, .. }) => {
            let got = format!("nulls: {null_count} of the {length} values from row {row} on");
            Err(Error::format(path, "columns of vectors and ids without nulls", got))
        }
        None => Err(corrupt(path, format!("only {} nodes in a record batch", body.nodes.len()))),
    }
}

/// Returns the decimal digits of a little-endian integer of 1, 2, 4 or 8 bytes.
fn decimal(number: &[u8], is_signed: bool) -> String {
    let is_negative = is_signed && number.last().is_some_and(|&byte| byte >= 0x80);
    let mut bytes = [if is_negative { 0xff } else { 0 }; 8];
    bytes[..number.len()].copy_from_slice(number);
    if is_signed { i64::from_le_bytes(bytes).to_string() } else { u64::from_le_bytes(bytes).to_string() }
}

/// Returns the string of a view, or `None` if the string is not in the buffers `texts`.
///
/// A view begins with the length of the string. If the length is at most 12 bytes, the string follows. Otherwise, the
/// first four bytes of the string, the number of its buffer and its offset in this buffer follow.
fn view_text<'a>(view: &'a [u8; 16], texts: &'a [Vec<u8>]) -> Option<&'a [u8]> {
    let number =
        |at: usize| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]) as usize;
    let length = number(0);
    if length <= 12 {
        return Some(&view[4..4 + length]);
    }
    texts.get(number(8))?.get(number(12)..)?.get(..length)
}
