use std::path::{Path, PathBuf};

use super::body::{Body, Buffer, read, skip};
use super::file::{ArrowFile, damaged, ends};
use super::schema::{Kind, Place};
use crate::Error;
use crate::element::Element;
use crate::input::Input;
use crate::source::{Batch, RowSource};

/// Reads the rows of an [`ArrowFile`] in order: the vectors as a stream, a record batch's ids at once.
pub(crate) struct ArrowRows<'a> {
    file: &'a ArrowFile,
    path: PathBuf,
    element: Element,
    next_body: usize,
    current: Option<Current>,
    next_row: u64,
    bytes: Vec<u8>,
}

/// The record batch that is being read.
struct Current {
    left: u64,
    vectors: Buffer,
    ids: std::vec::IntoIter<String>,
}

impl<'a> ArrowRows<'a> {
    pub fn new(file: &'a ArrowFile, input: Input) -> Self {
        let element = file.fields[file.vectors].list_element().expect("the column was chosen by its type");
        let path = input.path().to_path_buf();
        Self { file, path, element, next_body: 0, current: None, next_row: 0, bytes: Vec::new() }
    }

    fn open_body(&self, body: &Body) -> Result<Current, Error> {
        let (path, file, dim) = (&self.path, self.file, self.file.dim());
        let place = self.place(body, file.vectors);
        let rows = body.rows;
        check_nodes(path, body, place, rows, self.next_row)?;
        let first = match file.fields[file.vectors].kind {
            Kind::FixedSizeList { .. } => 0,
            _ => {
                let ends = file.list_ends(path, body, rows)?;
                let other = ends.windows(2).position(|pair| pair[1] - pair[0] != dim as u64);
                if let Some(row) = other {
                    let expected = format!("lists of {dim} numbers, as the first one");
                    let got = format!("{} at row {}", ends[row + 1] - ends[row], self.next_row + row as u64);
                    return Err(Error::format(path, expected, got));
                }
                ends[0]
            }
        };
        let list = Place { node: place.node + 1, ..place };
        let expected = first.checked_add(rows.saturating_mul(dim as u64));
        if body
            .nodes
            .get(list.node)
            .is_none_or(|&(length, _)| expected.is_none_or(|expected| length < expected))
        {
            return Err(damaged(path, format!("fewer numbers than {rows} lists of {dim} have")));
        }
        check_nodes(path, body, list, body.nodes[list.node].0, self.next_row)?;
        // Before the numbers stand the lists' validity, for lists of any length their ends, and the numbers' validity.
        let buffers =
            if matches!(file.fields[file.vectors].kind, Kind::FixedSizeList { .. }) { 2 } else { 3 };
        let mut vectors = body.buffer(path, place.buffer + buffers)?;
        let skipped = first.checked_mul(self.element.width() as u64);
        skip(path, &mut vectors, skipped.ok_or_else(|| damaged(path, "lists beyond the end".to_owned()))?)?;
        let ids = match file.ids {
            Some(column) => self.ids(body, column)?,
            None => Vec::new(),
        };
        Ok(Current { left: rows, vectors, ids: ids.into_iter() })
    }

    fn place(&self, body: &Body, column: usize) -> Place {
        self.file.fields[..column]
            .iter()
            .fold(Place::default(), |place, field| field.after(place, &body.views))
    }

    /// The ids of a record batch.
    fn ids(&self, body: &Body, column: usize) -> Result<Vec<String>, Error> {
        let (path, rows) = (&self.path, body.rows);
        let place = self.place(body, column);
        check_nodes(path, body, place, rows, self.next_row)?;
        let utf8 = |bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(id) => Ok(id.to_owned()),
            Err(error) => Err(Error::format(path, "ids in UTF-8", error.to_string())),
        };
        match self.file.fields[column].kind {
            Kind::Int { width, signed } => {
                let bytes = body.bytes(path, place.buffer + 1, 0, rows.saturating_mul(width as u64))?;
                Ok(bytes.chunks_exact(width).map(|number| shown(number, signed)).collect())
            }
            Kind::Text { long } => {
                let ends = ends(path, body, place.buffer + 1, long, rows)?;
                let (first, last) = (ends[0], ends[ends.len() - 1]);
                let bytes = body.bytes(path, place.buffer + 2, first, last - first)?;
                ends.windows(2)
                    .map(|pair| utf8(&bytes[(pair[0] - first) as usize..(pair[1] - first) as usize]))
                    .collect()
            }
            Kind::TextView => {
                let views = body.bytes(path, place.buffer + 1, 0, rows.saturating_mul(16))?;
                let buffers =
                    body.views.get(place.views).and_then(|&count| usize::try_from(count).ok()).unwrap_or(0);
                let texts = (0..buffers).map(|number| self.whole(body, place.buffer + 2 + number));
                let texts = texts.collect::<Result<Vec<_>, _>>()?;
                let outside = || damaged(path, "a view of a string that is not there".to_owned());
                views
                    .as_chunks()
                    .0
                    .iter()
                    .map(|view| utf8(viewed(view, &texts).ok_or_else(outside)?))
                    .collect()
            }
            _ => unreachable!("the column was chosen by its type"),
        }
    }

    fn whole(&self, body: &Body, number: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = body.buffer(&self.path, number)?.read_to_end(&mut bytes);
        read.map_err(|error| Error::format(&self.path, "sound Arrow buffers", error.to_string()))?;
        Ok(bytes)
    }
}

impl RowSource for ArrowRows<'_> {
    fn read(&mut self, most: usize, batch: &mut Batch) -> Result<(), Error> {
        let mut taken = 0;
        while taken < most {
            if self.current.as_ref().is_none_or(|current| current.left == 0) {
                let Some(body) = self.file.bodies.get(self.next_body) else {
                    break;
                };
                self.current = Some(self.open_body(body)?);
                self.next_body += 1;
                continue;
            }
            let current = self.current.as_mut().expect("opened above");
            let count = usize::try_from(current.left).map_or(most - taken, |left| left.min(most - taken));
            let bytes = (count * self.element.width()) as u64 * self.file.dim() as u64;
            read(&self.path, &mut current.vectors, bytes, &mut self.bytes)?;
            self.element.append(&self.bytes, &mut batch.vectors);
            batch.ids.extend(current.ids.by_ref().take(count));
            current.left -= count as u64;
            self.next_row += count as u64;
            taken += count;
        }
        Ok(())
    }
}

/// That a column has as many values as its batch has rows or lists, and no nulls.
fn check_nodes(path: &Path, body: &Body, place: Place, length: u64, row: u64) -> Result<(), Error> {
    match body.nodes.get(place.node) {
        Some(&(found, 0)) if found == length => Ok(()),
        Some(&(found, 0)) => Err(damaged(path, format!("{found} values in {length} rows"))),
        Some((_, nulls)) => {
            let got = format!("{nulls} nulls among the {length} from row {row} on");
            Err(Error::format(path, "columns of vectors and ids without nulls", got))
        }
        None => Err(damaged(path, format!("{} columns in a record batch", body.nodes.len()))),
    }
}

/// A little-endian whole number of 1, 2, 4 or 8 bytes in digits.
fn shown(number: &[u8], signed: bool) -> String {
    let negative = signed && number.last().is_some_and(|&byte| byte >= 0x80);
    let mut bytes = [if negative { 0xff } else { 0 }; 8];
    bytes[..number.len()].copy_from_slice(number);
    if signed { i64::from_le_bytes(bytes).to_string() } else { u64::from_le_bytes(bytes).to_string() }
}

/// The string of a view: its length, then itself if it has at most 12 bytes, else its start, buffer and offset.
fn viewed<'a>(view: &'a [u8; 16], texts: &'a [Vec<u8>]) -> Option<&'a [u8]> {
    let number =
        |at: usize| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]) as usize;
    let length = number(0);
    if length <= 12 {
        return Some(&view[4..4 + length]);
    }
    texts.get(number(8))?.get(number(12)..)?.get(..length)
}
