//! The columns and record batches of an Arrow file or stream.

use std::path::Path;

use polars_arrow_format::ipc::{Endianness, MessageHeaderRef, SchemaRef, planus};

use super::body::Body;
use super::messages::Messages;
use super::schema::{ColumnStart, Field, Kind};
use crate::Error;
use crate::element::ELEMENTS;
use crate::input::Input;

/// The columns of an Arrow file or stream, its record batches, and its shape.
#[derive(Debug)]
pub(crate) struct ArrowFile {
    pub fields: Vec<Field>,
    /// Index of the vector column.
    pub vectors: usize,
    /// Index of the id column, if the ids are a column.
    pub ids: Option<usize>,
    pub bodies: Vec<Body>,
    rows: u64,
    dim: usize,
}

impl ArrowFile {
    /// Reads the metadata of all messages. `column` is the name of the vector column; without it, the file must have
    /// only one suitable column. `id_column` is the name of the id column, if the ids are a column.
    pub fn open(input: &mut Input, column: Option<&str>, id_column: Option<&str>) -> Result<Self, Error> {
        let (path, file_length) = (input.path().to_path_buf(), input.length());
        let unreadable = |error: planus::Error| corrupt(&path, error.to_string());
        let mut messages = Messages::new(input)?;
        let first = messages.next()?.ok_or_else(|| corrupt(&path, "no message".to_owned()))?;
        let fields = match first.header().map_err(unreadable)? {
            Some(MessageHeaderRef::Schema(schema)) => fields(&path, schema)?,
            _ => return Err(corrupt(&path, "a first message that is not a schema".to_owned())),
        };
        let vectors = vector_column(&path, &fields, column)?;
        let ids = id_column.map(|name| id_column_position(&path, &fields, name)).transpose()?;
        let mut bodies = Vec::new();
        while let Some(message) = messages.next()? {
            if let Some(MessageHeaderRef::RecordBatch(batch)) = message.header().map_err(unreadable)? {
                let body = Body::new(batch, message.body_offset, file_length).map_err(unreadable)?;
                bodies.push(body.ok_or_else(|| corrupt(&path, "a record batch beyond the end".to_owned()))?);
            }
        }
        let rows = bodies.iter().try_fold(0u64, |rows, body| rows.checked_add(body.rows));
        let rows = rows.ok_or_else(|| corrupt(&path, "more rows than can be counted".to_owned()))?;
        let mut file = Self { fields, vectors, ids, bodies, rows, dim: 0 };
        file.dim = match file.fields[vectors].kind {
            Kind::FixedSizeList { length } => length,
            _ => file.first_length(&path)?,
        };
        if file.dim == 0 && rows > 0 {
            return Err(Error::format(&path, "lists of one number or more", "an empty list at row 0"));
        }
        Ok(file)
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the length of the first list, or 0 if there is none.
    fn first_length(&self, path: &Path) -> Result<usize, Error> {
        match self.bodies.iter().find(|body| body.rows > 0) {
            Some(body) => {
                let offsets = self.list_offsets(path, body, 1)?;
                Ok(usize::try_from(offsets[1] - offsets[0]).unwrap_or(0))
            }
            None => Ok(0),
        }
    }

    /// Reads the offsets of the first `rows` lists of a batch: `rows` + 1 numbers that do not decrease.
    pub fn list_offsets(&self, path: &Path, body: &Body, rows: u64) -> Result<Vec<u64>, Error> {
        let start = self.column_start(body, self.vectors);
        let is_64_bit = matches!(self.fields[self.vectors].kind, Kind::List { has_64_bit_offsets: true });
        offsets(path, body, start.buffer + 1, is_64_bit, rows)
    }

    /// Returns the first node and buffer of a column in a record batch.
    pub fn column_start(&self, body: &Body, column: usize) -> ColumnStart {
        self.fields[..column]
            .iter()
            .fold(ColumnStart::default(), |start, field| field.next_start(start, &body.view_counts))
    }
}

/// Reads `rows` + 1 offsets of strings or lists. Fails if an offset is negative or less than the one before it.
pub(crate) fn offsets(
    path: &Path,
    body: &Body,
    buffer: usize,
    is_64_bit: bool,
    rows: u64,
) -> Result<Vec<u64>, Error> {
    let count = rows.checked_add(1).and_then(|count| count.checked_mul(if is_64_bit { 8 } else { 4 }));
    let count = count.ok_or_else(|| corrupt(path, "more rows than can be counted".to_owned()))?;
    let bytes = body.bytes(path, buffer, 0, count)?;
    let numbers: Vec<i64> = if is_64_bit {
        bytes.as_chunks().0.iter().map(|&chunk| i64::from_le_bytes(chunk)).collect()
    } else {
        bytes.as_chunks().0.iter().map(|&chunk| i64::from(i32::from_le_bytes(chunk))).collect()
    };
    let unsigned: Option<Vec<u64>> = numbers.iter().map(|&number| u64::try_from(number).ok()).collect();
    unsigned
        .filter(|offsets| offsets.is_sorted())
        .ok_or_else(|| corrupt(path, "offsets that are negative or decrease".to_owned()))
}

/// Returns the columns of a schema, which must be little-endian.
fn fields(path: &Path, schema: SchemaRef<'_>) -> Result<Vec<Field>, Error> {
    let unreadable = |error: planus::Error| corrupt(path, error.to_string());
    if schema.endianness().map_err(unreadable)? != Endianness::Little {
        return Err(Error::format(path, "little-endian numbers", "big-endian ones"));
    }
    Field::all(schema).map_err(unreadable)
}

/// Finds the column of lists of floating point numbers with this name, or, without a name, the only such column.
fn vector_column(path: &Path, fields: &[Field], name: Option<&str>) -> Result<usize, Error> {
    if let Some(name) = name {
        let column = position(path, fields, name)?;
        return fields[column].list_element().map(|_| column).ok_or_else(|| {
            let expected = format!("lists of {ELEMENTS} in column \"{name}\"");
            Error::format(path, expected, fields[column].description())
        });
    }
    let found: Vec<usize> = (0..fields.len()).filter(|&at| fields[at].list_element().is_some()).collect();
    let [only] = found[..] else {
        let expected = format!("one column of lists of {ELEMENTS}, or the option column set to its name");
        return Err(Error::format(
            path,
            expected,
            format!("{} among the columns {}", found.len(), names(fields)),
        ));
    };
    Ok(only)
}

/// Finds the column of strings or integers with this name.
fn id_column_position(path: &Path, fields: &[Field], name: &str) -> Result<usize, Error> {
    let column = position(path, fields, name)?;
    match fields[column].kind {
        Kind::Int { .. } | Kind::Text { .. } | Kind::TextView => Ok(column),
        _ => {
            let expected = format!("strings or integers in column \"{name}\"");
            Err(Error::format(path, expected, fields[column].description()))
        }
    }
}

/// Returns the index of the column with this name.
fn position(path: &Path, fields: &[Field], name: &str) -> Result<usize, Error> {
    fields.iter().position(|field| field.name == name).ok_or_else(|| {
        Error::format(path, format!("a column \"{name}\""), format!("the columns {}", names(fields)))
    })
}

/// Lists the names of the columns, for error messages.
fn names(fields: &[Field]) -> String {
    fields.iter().map(|field| format!("\"{}\"", field.name)).collect::<Vec<_>>().join(", ")
}

/// Returns the error for an invalid Arrow file.
pub(crate) fn corrupt(path: &Path, got: String) -> Error {
    Error::format(path, "valid Arrow messages", got)
}
