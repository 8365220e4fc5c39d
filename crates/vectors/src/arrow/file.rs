use std::path::Path;

use polars_arrow_format::ipc::{Endianness, MessageHeaderRef, SchemaRef, planus};

use super::body::Body;
use super::messages::Messages;
use super::schema::{Field, Kind};
use crate::Error;
use crate::element::ELEMENTS;
use crate::input::Input;

/// An Arrow file or stream with the columns that are read and the places of its record batches.
#[derive(Debug)]
pub(crate) struct ArrowFile {
    pub fields: Vec<Field>,
    /// Position of the vectors' column.
    pub vectors: usize,
    pub ids: Option<usize>,
    pub bodies: Vec<Body>,
    rows: u64,
    dim: usize,
}

impl ArrowFile {
    pub fn open(input: &mut Input, column: Option<&str>, id_column: Option<&str>) -> Result<Self, Error> {
        let (path, end) = (input.path().to_path_buf(), input.length());
        let unreadable = |error: planus::Error| damaged(&path, error.to_string());
        let mut messages = Messages::new(input)?;
        let first = messages.next()?.ok_or_else(|| damaged(&path, "none".to_owned()))?;
        let fields = match first.header().map_err(unreadable)? {
            Some(MessageHeaderRef::Schema(schema)) => fields(&path, schema)?,
            _ => return Err(damaged(&path, "a first message that is no schema".to_owned())),
        };
        let vectors = vector_column(&path, &fields, column)?;
        let ids = id_column.map(|name| id_position(&path, &fields, name)).transpose()?;
        let mut bodies = Vec::new();
        while let Some(message) = messages.next()? {
            if let Some(MessageHeaderRef::RecordBatch(batch)) = message.header().map_err(unreadable)? {
                let body = Body::new(batch, message.body, end).map_err(unreadable)?;
                bodies.push(body.ok_or_else(|| damaged(&path, "a record batch beyond the end".to_owned()))?);
            }
        }
        let rows = bodies.iter().try_fold(0u64, |rows, body| rows.checked_add(body.rows));
        let rows = rows.ok_or_else(|| damaged(&path, "more rows than can be counted".to_owned()))?;
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

    /// The length of the first list; 0 if there is none.
    fn first_length(&self, path: &Path) -> Result<usize, Error> {
        match self.bodies.iter().find(|body| body.rows > 0) {
            Some(body) => {
                let ends = self.list_ends(path, body, 1)?;
                Ok(usize::try_from(ends[1] - ends[0]).unwrap_or(0))
            }
            None => Ok(0),
        }
    }

    /// Where the first `rows` lists of a batch begin and the last of them ends, never decreasing.
    pub fn list_ends(&self, path: &Path, body: &Body, rows: u64) -> Result<Vec<u64>, Error> {
        let place = self.fields[..self.vectors]
            .iter()
            .fold(Default::default(), |place, field| field.after(place, &body.views));
        let long = matches!(self.fields[self.vectors].kind, Kind::List { long: true });
        ends(path, body, place.buffer + 1, long, rows)
    }
}

/// The `rows` + 1 offsets of strings or lists, 32 or 64 bits each, never negative and never decreasing.
pub(crate) fn ends(
    path: &Path,
    body: &Body,
    buffer: usize,
    long: bool,
    rows: u64,
) -> Result<Vec<u64>, Error> {
    let count = rows.checked_add(1).and_then(|count| count.checked_mul(if long { 8 } else { 4 }));
    let count = count.ok_or_else(|| damaged(path, "more rows than can be counted".to_owned()))?;
    let bytes = body.bytes(path, buffer, 0, count)?;
    let numbers: Vec<i64> = if long {
        bytes.as_chunks().0.iter().map(|&chunk| i64::from_le_bytes(chunk)).collect()
    } else {
        bytes.as_chunks().0.iter().map(|&chunk| i64::from(i32::from_le_bytes(chunk))).collect()
    };
    let unsigned: Option<Vec<u64>> = numbers.iter().map(|&number| u64::try_from(number).ok()).collect();
    unsigned.filter(|ends| ends.is_sorted()).ok_or_else(|| damaged(path, "offsets that decrease".to_owned()))
}

fn fields(path: &Path, schema: SchemaRef<'_>) -> Result<Vec<Field>, Error> {
    let unreadable = |error: planus::Error| damaged(path, error.to_string());
    if schema.endianness().map_err(unreadable)? != Endianness::Little {
        return Err(Error::format(path, "little-endian numbers", "big-endian ones"));
    }
    Field::of_schema(schema).map_err(unreadable)
}

fn vector_column(path: &Path, fields: &[Field], name: Option<&str>) -> Result<usize, Error> {
    if let Some(name) = name {
        let position = position(path, fields, name)?;
        return fields[position].list_element().map(|_| position).ok_or_else(|| {
            let expected = format!("lists of {ELEMENTS} in column \"{name}\"");
            Error::format(path, expected, fields[position].described())
        });
    }
    let found: Vec<usize> = (0..fields.len()).filter(|&at| fields[at].list_element().is_some()).collect();
    let [only] = found[..] else {
        let expected = format!("one column of lists of {ELEMENTS}, or the option column with its name");
        return Err(Error::format(
            path,
            expected,
            format!("{} among the columns {}", found.len(), names(fields)),
        ));
    };
    Ok(only)
}

fn id_position(path: &Path, fields: &[Field], name: &str) -> Result<usize, Error> {
    let position = position(path, fields, name)?;
    match fields[position].kind {
        Kind::Int { .. } | Kind::Text { .. } | Kind::TextView => Ok(position),
        _ => {
            let expected = format!("strings or whole numbers in column \"{name}\"");
            Err(Error::format(path, expected, fields[position].described()))
        }
    }
}

fn position(path: &Path, fields: &[Field], name: &str) -> Result<usize, Error> {
    fields.iter().position(|field| field.name == name).ok_or_else(|| {
        Error::format(path, format!("a column \"{name}\""), format!("the columns {}", names(fields)))
    })
}

fn names(fields: &[Field]) -> String {
    fields.iter().map(|field| format!("\"{}\"", field.name)).collect::<Vec<_>>().join(", ")
}

/// An error for what is no sound Arrow file.
pub(crate) fn damaged(path: &Path, got: String) -> Error {
    Error::format(path, "sound Arrow messages", got)
}
