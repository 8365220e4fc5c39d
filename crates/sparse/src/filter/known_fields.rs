//! Rejects filters with a condition that no passage of the index can match, because the name of the field or the type
//! of the value is wrong.
//!
//! Such a condition would silently match nothing, or everything if it is inside a [`Filter::Not`]. Names and types are
//! read from tantivy's columns of all segments, so the fields of a deleted passage count until its segment is merged.

use std::collections::{BTreeSet, HashMap};

use tantivy::columnar::ColumnType;

use crate::Error;
use crate::filter::expression::{Filter, Rejection, check_all, type_name};
use crate::filter::fields::{Scalar, tantivy_name, unescaped_name};
use crate::index::schema::FIELDS;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;

/// Maximum number of field names in an error message.
const MAX_LISTED: usize = 12;

/// The types and names of fields that passages of the index have, as far as the check of a filter needs them.
struct KnownFields<'a> {
    /// The types of the values of each field that the filter has a condition on: string, number, boolean; empty for a
    /// field that no passage has.
    types: HashMap<&'a str, BTreeSet<&'static str>>,
    /// The names of all fields of the index; read only if the filter has a condition on an unknown field.
    names: BTreeSet<String>,
}

/// Fails for conditions on a field that no passage has, and for values of a type that none of the field's values has.
/// [`Filter::Exists`] accepts any field. The index must have passages, because in an empty index every field is
/// unknown.
pub(crate) fn check_known(filter: &Filter, index: &Snapshot) -> Result<(), Error> {
    let mut known = KnownFields { types: HashMap::new(), names: BTreeSet::new() };
    known.read(filter, index)?;
    if known.types.values().any(BTreeSet::is_empty) {
        known.names = field_names(index)?;
    }
    known.check(filter).map_err(|Rejection { path, expected, got }| Error::Part {
        path: format!("filter{path}"),
        expected,
        got,
    })
}

/// Fails if no passage of the index has this field. Accepts every field if the index has no passages. The path in the
/// error is `field`.
pub(crate) fn check_known_field(field: &str, index: &Snapshot) -> Result<(), Error> {
    if index.payload.passages == 0 {
        return Ok(());
    }
    let mut known = KnownFields { types: HashMap::new(), names: BTreeSet::new() };
    known.read_field(field, index)?;
    if known.types.values().any(BTreeSet::is_empty) {
        known.names = field_names(index)?;
    }
    known.check_name(field).map_err(|Rejection { expected, got, .. }| Error::Part {
        path: "field".to_owned(),
        expected,
        got,
    })
}

impl<'a> KnownFields<'a> {
    /// Reads the types of all fields that a filter has conditions on.
    fn read(&mut self, filter: &'a Filter, index: &Snapshot) -> Result<(), Error> {
        match filter {
            Filter::Ids(_) | Filter::Exists { .. } => Ok(()),
            Filter::Equals { field, .. } | Filter::In { field, .. } | Filter::Prefix { field, .. } => {
                self.read_field(field, index)
            }
            Filter::Range(range) => self.read_field(&range.field, index),
            Filter::And(parts) | Filter::Or(parts) => {
                parts.iter().try_for_each(|part| self.read(part, index))
            }
            Filter::Not(part) => self.read(part, index),
        }
    }

    fn read_field(&mut self, field: &'a str, index: &Snapshot) -> Result<(), Error> {
        if self.types.contains_key(field) {
            return Ok(());
        }
        let name = format!("{FIELDS}.{}", tantivy_name(field));
        let mut types = BTreeSet::new();
        for segment in &index.segments {
            let columns = segment.reader.fast_fields().dynamic_column_handles(&name);
            let columns = columns.map_err(|error| tantivy_error("read", &index.path, error))?;
            types.extend(columns.iter().map(|column| match column.column_type() {
                ColumnType::Str => "string",
                ColumnType::Bool => "boolean",
                _ => "number",
            }));
        }
        self.types.insert(field, types);
        Ok(())
    }

    fn check(&self, filter: &Filter) -> Result<(), Rejection> {
        match filter {
            Filter::Ids(_) | Filter::Exists { .. } => Ok(()),
            Filter::Equals { field, value } => self
                .check_name(field)
                .and_then(|()| self.check_type(field, value).map_err(|rejection| rejection.within(".value")))
                .map_err(|rejection| rejection.within(".equals")),
            Filter::In { field, values } => {
                self.check_name(field).map_err(|rejection| rejection.within(".in"))?;
                check_all(values, ".in.values", |value| self.check_type(field, value))
            }
            Filter::Prefix { field, prefix } => self
                .check_name(field)
                .and_then(|()| {
                    let checked = self.check_type(field, &prefix.as_str().into());
                    checked.map_err(|rejection| rejection.within(".value"))
                })
                .map_err(|rejection| rejection.within(".prefix")),
            Filter::Range(range) => self
                .check_name(&range.field)
                .and_then(|()| {
                    range.named_bounds().try_for_each(|(name, bound)| {
                        let checked = self.check_type(&range.field, bound);
                        checked.map_err(|rejection| rejection.within(&format!(".{name}")))
                    })
                })
                .map_err(|rejection| rejection.within(".range")),
            Filter::And(parts) => check_all(parts, ".and", |part| self.check(part)),
            Filter::Or(parts) => check_all(parts, ".or", |part| self.check(part)),
            Filter::Not(part) => self.check(part).map_err(|rejection| rejection.within(".not")),
        }
    }

    fn check_name(&self, field: &str) -> Result<(), Rejection> {
        if self.types[field].is_empty() {
            let got = format!("\"{field}\"{}", hint(field, &self.names));
            return Err(Rejection::new(known_names(&self.names), got).within(".field"));
        }
        Ok(())
    }

    fn check_type(&self, field: &str, value: &Scalar) -> Result<(), Rejection> {
        let types = &self.types[field];
        if types.contains(type_name(value)) {
            return Ok(());
        }
        let types: Vec<_> = types.iter().map(|name| format!("a {name}")).collect();
        let expected = format!("{} like all values of \"{field}\"", types.join(" or "));
        let got = match value {
            Scalar::Text(text) => format!("the string \"{text}\""),
            Scalar::Number(number) => format!("the number {number}"),
            Scalar::Boolean(value) => format!("the boolean {value}"),
        };
        Err(Rejection::new(expected, got))
    }
}

/// Returns the names of all fields that passages have, in ascending order.
fn field_names(index: &Snapshot) -> Result<BTreeSet<String>, Error> {
    let mut names = BTreeSet::new();
    for segment in &index.segments {
        let metadata = segment.reader.fields_metadata();
        let metadata = metadata.map_err(|error| tantivy_error("read", &index.path, error))?;
        names.extend(metadata.iter().filter_map(|field| {
            let name = field.field_name.strip_prefix(FIELDS)?.strip_prefix('.')?;
            unescaped_name(name)
        }));
    }
    Ok(names)
}

/// Returns the part after "expected" of the error message for a field that no passage has.
fn known_names(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return "no condition on fields, because no passage of the index has fields".to_owned();
    }
    let listed: Vec<_> = names.iter().take(MAX_LISTED).map(|name| format!("\"{name}\"")).collect();
    let others = match names.len() - listed.len() {
        0 => String::new(),
        1 => " and 1 other".to_owned(),
        others => format!(" and {others} others"),
    };
    format!("a field that passages of the index have ({}{others})", listed.join(", "))
}

/// Suggests the most similar name if its edit distance is at most a third of the length of `field`, or at most 1 if
/// `field` has fewer than six characters. Otherwise returns an empty string.
fn hint(field: &str, names: &BTreeSet<String>) -> String {
    let max_distance = (field.chars().count() / 3).max(1);
    match names.iter().map(|name| (distance(field, name), name)).min() {
        Some((distance, name)) if distance <= max_distance => format!("; did you mean \"{name}\"?"),
        _ => String::new(),
    }
}

/// Returns the Levenshtein distance between two names, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_edits_and_ignore_case() {
        for (a, b, expected) in [
            ("year", "Year", 0),
            ("yeer", "year", 1),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("größe", "grösse", 2),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn a_similar_name_is_suggested_and_a_different_one_is_not() {
        let names: BTreeSet<_> = ["language", "year"].map(str::to_owned).into();
        assert_eq!(known_names(&names), "a field that passages of the index have (\"language\", \"year\")");
        assert_eq!(hint("yeer", &names), "; did you mean \"year\"?");
        assert_eq!(hint("author", &names), "");
        let many: BTreeSet<_> = (0..40).map(|at| format!("field {at:02}")).collect();
        assert!(known_names(&many).ends_with("\"field 11\" and 28 others)"));
    }
}
