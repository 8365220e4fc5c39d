use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type};
use parquet::schema::types::SchemaDescriptor;

use crate::Error;
use crate::element::ELEMENTS;

/// The column of lists of floating point numbers that is named, or the only one.
pub(super) fn vector_column(
    path: &Path,
    schema: &SchemaDescriptor,
    name: Option<&str>,
) -> Result<usize, Error> {
    let fits = |leaf: &usize| is_list_of_floats(schema, *leaf);
    match name {
        Some(name) => {
            let mut leaves = leaves_of(path, schema, name)?;
            leaves.find(fits).ok_or_else(|| {
                let expected = format!("lists of {ELEMENTS} in column \"{name}\"");
                Error::format(path, expected, described(schema, name))
            })
        }
        None => {
            let found: Vec<usize> = (0..schema.num_columns()).filter(fits).collect();
            let [only] = found[..] else {
                let expected =
                    format!("one column of lists of {ELEMENTS}, or the option column with its name");
                let got = format!("{} among the columns {}", found.len(), columns(schema));
                return Err(Error::format(path, expected, got));
            };
            Ok(only)
        }
    }
}

/// The column of strings or whole numbers that is named.
pub(super) fn id_column(path: &Path, schema: &SchemaDescriptor, name: &str) -> Result<usize, Error> {
    let leaf = leaves_of(path, schema, name)?.find(|&leaf| {
        let column = schema.column(leaf);
        let logical =
            matches!(column.logical_type_ref(), None | Some(LogicalType::String | LogicalType::Integer(_)));
        let converted = !matches!(
            column.converted_type(),
            ConvertedType::DECIMAL
                | ConvertedType::DATE
                | ConvertedType::TIME_MILLIS
                | ConvertedType::TIME_MICROS
                | ConvertedType::TIMESTAMP_MILLIS
                | ConvertedType::TIMESTAMP_MICROS
        );
        let physical = matches!(column.physical_type(), Type::BYTE_ARRAY | Type::INT32 | Type::INT64);
        physical && logical && converted && column.max_rep_level() == 0 && column.path().parts().len() == 1
    });
    leaf.ok_or_else(|| {
        let expected = format!("strings or whole numbers in column \"{name}\"");
        Error::format(path, expected, described(schema, name))
    })
}

/// The leaves below the column of that name.
fn leaves_of<'a>(
    path: &Path,
    schema: &'a SchemaDescriptor,
    name: &'a str,
) -> Result<impl Iterator<Item = usize> + use<'a>, Error> {
    let mut leaves =
        (0..schema.num_columns()).filter(move |&leaf| schema.get_column_root(leaf).name() == name).peekable();
    if leaves.peek().is_none() {
        let got = format!("the columns {}", columns(schema));
        return Err(Error::format(path, format!("a column \"{name}\""), got));
    }
    Ok(leaves)
}

fn is_list_of_floats(schema: &SchemaDescriptor, leaf: usize) -> bool {
    let column = schema.column(leaf);
    let number = match column.physical_type() {
        Type::FLOAT | Type::DOUBLE => true,
        Type::FIXED_LEN_BYTE_ARRAY => matches!(column.logical_type_ref(), Some(LogicalType::Float16)),
        _ => false,
    };
    let root = schema.get_column_root(leaf).get_basic_info();
    // A list is `column.list.element`, or of old a repeated field.
    let list = match column.path().parts().len() {
        1 => root.has_repetition() && root.repetition() == Repetition::REPEATED,
        2 | 3 => {
            root.converted_type() == ConvertedType::LIST
                || matches!(root.logical_type_ref(), Some(LogicalType::List))
        }
        _ => false,
    };
    number && list && column.max_rep_level() == 1
}

/// Whether a column's whole numbers have no sign.
pub(super) fn is_unsigned(schema: &SchemaDescriptor, leaf: usize) -> bool {
    matches!(
        schema.column(leaf).converted_type(),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
    )
}

/// What a column has, for error messages.
fn described(schema: &SchemaDescriptor, name: &str) -> String {
    let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root(leaf).name() == name);
    let column = schema.column(leaf.expect("the caller found the column"));
    let physical = column.physical_type();
    match (column.path().parts().len(), column.max_rep_level()) {
        (1, 0) => physical.to_string(),
        (2 | 3, 1) => format!("lists of {physical}"),
        _ => format!("nested {physical}"),
    }
}

/// The columns' names, for error messages.
fn columns(schema: &SchemaDescriptor) -> String {
    let mut names: Vec<String> = (0..schema.num_columns())
        .map(|leaf| format!("\"{}\"", schema.get_column_root(leaf).name()))
        .collect();
    names.dedup();
    names.join(", ")
}
