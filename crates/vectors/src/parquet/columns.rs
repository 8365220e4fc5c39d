//! Finds columns in a Parquet schema. The values of a column are in its leaf columns: in the column itself, or in the
//! innermost columns nested in it.

use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type};
use parquet::schema::types::SchemaDescriptor;

use crate::Error;
use crate::element::ELEMENTS;

/// Finds the column of lists of floating point numbers with this name, or, without a name, the only such column.
/// Returns the index of its leaf column.
pub(super) fn vector_column(
    path: &Path,
    schema: &SchemaDescriptor,
    name: Option<&str>,
) -> Result<usize, Error> {
    let is_suitable = |leaf: &usize| is_list_of_floats(schema, *leaf);
    match name {
        Some(name) => {
            let mut leaves = leaves_of(path, schema, name)?;
            leaves.find(is_suitable).ok_or_else(|| {
                let expected = format!("lists of {ELEMENTS} in column \"{name}\"");
                Error::format(path, expected, description(schema, name))
            })
        }
        None => {
            let found: Vec<usize> = (0..schema.num_columns()).filter(is_suitable).collect();
            let [only] = found[..] else {
                let expected =
                    format!("one column of lists of {ELEMENTS}, or the option column set to its name");
                let got = format!("{} among the columns {}", found.len(), column_names(schema));
                return Err(Error::format(path, expected, got));
            };
            Ok(only)
        }
    }
}

/// Finds the column of strings or integers with this name. Returns the index of its leaf column.
pub(super) fn id_column(path: &Path, schema: &SchemaDescriptor, name: &str) -> Result<usize, Error> {
    let leaf = leaves_of(path, schema, name)?.find(|&leaf| {
        let column = schema.column(leaf);
        let logical_type_fits =
            matches!(column.logical_type_ref(), None | Some(LogicalType::String | LogicalType::Integer(_)));
        let converted_type_fits = !matches!(
            column.converted_type(),
            ConvertedType::DECIMAL
                | ConvertedType::DATE
                | ConvertedType::TIME_MILLIS
                | ConvertedType::TIME_MICROS
                | ConvertedType::TIMESTAMP_MILLIS
                | ConvertedType::TIMESTAMP_MICROS
        );
        let physical_type_fits =
            matches!(column.physical_type(), Type::BYTE_ARRAY | Type::INT32 | Type::INT64);
        physical_type_fits
            && logical_type_fits
            && converted_type_fits
            && column.max_rep_level() == 0
            && column.path().parts().len() == 1
    });
    leaf.ok_or_else(|| {
        let expected = format!("strings or integers in column \"{name}\"");
        Error::format(path, expected, description(schema, name))
    })
}

/// Returns the indexes of the leaf columns of the column with this name. Fails if there is no such column.
fn leaves_of<'a>(
    path: &Path,
    schema: &'a SchemaDescriptor,
    name: &'a str,
) -> Result<impl Iterator<Item = usize> + use<'a>, Error> {
    let mut leaves =
        (0..schema.num_columns()).filter(move |&leaf| schema.get_column_root(leaf).name() == name).peekable();
    if leaves.peek().is_none() {
        let got = format!("the columns {}", column_names(schema));
        return Err(Error::format(path, format!("a column \"{name}\""), got));
    }
    Ok(leaves)
}

/// Returns whether a leaf column has the numbers of a column of lists of floating point numbers.
fn is_list_of_floats(schema: &SchemaDescriptor, leaf: usize) -> bool {
    let column = schema.column(leaf);
    let is_float = match column.physical_type() {
        Type::FLOAT | Type::DOUBLE => true,
        Type::FIXED_LEN_BYTE_ARRAY => matches!(column.logical_type_ref(), Some(LogicalType::Float16)),
        _ => false,
    };
    let root = schema.get_column_root(leaf).get_basic_info();
    // The path of a list is `column.list.element`. In old files, a list may be a repeated field.
    let is_list = match column.path().parts().len() {
        1 => root.has_repetition() && root.repetition() == Repetition::REPEATED,
        2 | 3 => {
            root.converted_type() == ConvertedType::LIST
                || matches!(root.logical_type_ref(), Some(LogicalType::List))
        }
        _ => false,
    };
    is_float && is_list && column.max_rep_level() == 1
}

/// Returns whether the integers of a column are unsigned.
pub(super) fn is_unsigned(schema: &SchemaDescriptor, leaf: usize) -> bool {
    matches!(
        schema.column(leaf).converted_type(),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
    )
}

/// Returns a description of a column's content, for error messages.
fn description(schema: &SchemaDescriptor, name: &str) -> String {
    let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root(leaf).name() == name);
    let column = schema.column(leaf.expect("the caller found the column"));
    let physical = column.physical_type();
    match (column.path().parts().len(), column.max_rep_level()) {
        (1, 0) => physical.to_string(),
        (2 | 3, 1) => format!("lists of {physical}"),
        _ => format!("nested {physical}"),
    }
}

/// Returns the names of the columns, for error messages.
fn column_names(schema: &SchemaDescriptor) -> String {
    let mut names: Vec<String> = (0..schema.num_columns())
        .map(|leaf| format!("\"{}\"", schema.get_column_root(leaf).name()))
        .collect();
    names.dedup();
    names.join(", ")
}
