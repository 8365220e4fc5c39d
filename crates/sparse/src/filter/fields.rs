//! The fields of a passage: named values that filters test and that can be read back. BM25 does not search them. This
//! file defines and checks fields, and converts them to and from the JSON object in which tantivy stores them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tantivy::schema::OwnedValue;
use tantivy::{DocId, TantivyDocument};

use crate::Error;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;

/// Maximum number of bytes of a field's name.
const MAX_NAME_BYTES: usize = 255;

/// Maximum number of bytes of a text. tantivy accepts terms of about twice this length.
const MAX_TEXT_BYTES: usize = 32_000;

/// Maximum number of fields of a passage.
const MAX_FIELDS: usize = 256;

/// Maximum number of texts in a field.
const MAX_TEXTS: usize = 10_000;

/// The fields of a passage by their names: at most 256, with names of 1 to 255 bytes. A name may contain any character.
/// Each distinct name takes some space in every segment that has it, so an index should have few distinct names. A
/// field may have many distinct values.
pub type PassageFields = BTreeMap<String, FieldValue>;

/// The value of a field. Passages may have values of different types under the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// One value.
    One(Scalar),
    /// At most 10,000 texts of at most 32,000 bytes each. Their order is kept.
    Many(Vec<String>),
}

/// A text, number or boolean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// In a passage, at most 32,000 bytes. Texts are compared byte by byte.
    Text(String),
    /// A finite number. −0 is stored as 0.
    Number(f64),
    /// True or false, which differ from the numbers 1 and 0.
    Boolean(bool),
}

impl<T: Into<Scalar>> From<T> for FieldValue {
    fn from(value: T) -> Self {
        Self::One(value.into())
    }
}

impl From<Vec<String>> for FieldValue {
    fn from(texts: Vec<String>) -> Self {
        Self::Many(texts)
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Scalar {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Scalar {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

/// Rejects fields beyond the limits of [`PassageFields`] and [`FieldValue`]. `id` is the id of the passage, for the
/// error message.
///
/// # Errors
///
/// [`Error::Part`] with the path of the invalid field.
pub fn check_fields(id: &str, fields: &PassageFields) -> Result<(), Error> {
    let reject = |path: &str, expected: &'static str, got| {
        let path = format!("passage \"{id}\": fields{path}");
        Err(Error::Part { path, expected: expected.into(), got })
    };
    if fields.len() > MAX_FIELDS {
        return reject("", "at most 256 fields", fields.len().to_string());
    }
    for (name, value) in fields {
        if let Some((expected, got)) = invalid_name(name) {
            return reject("", expected, got);
        }
        let path = || format!(".{name}");
        let texts = match value {
            FieldValue::One(Scalar::Number(number)) if !number.is_finite() => {
                return reject(&path(), "a finite number", number.to_string());
            }
            FieldValue::One(Scalar::Number(_) | Scalar::Boolean(_)) => &[],
            FieldValue::One(Scalar::Text(text)) => std::slice::from_ref(text),
            FieldValue::Many(texts) => texts.as_slice(),
        };
        if texts.len() > MAX_TEXTS {
            return reject(&path(), "at most 10,000 strings", texts.len().to_string());
        }
        if let Some(text) = texts.iter().find(|text| text.len() > MAX_TEXT_BYTES) {
            return reject(&path(), "strings of at most 32,000 bytes", format!("{} bytes", text.len()));
        }
    }
    Ok(())
}

/// Returns what was expected and found if a field's name is invalid; `None` if it is valid.
pub(crate) fn invalid_name(name: &str) -> Option<(&'static str, String)> {
    let bytes = name.len();
    (bytes == 0 || bytes > MAX_NAME_BYTES)
        .then(|| ("field names of 1 to 255 bytes", format!("{bytes} bytes")))
}

/// Converts fields to what tantivy stores. All numbers are floating-point, so that each column has a single numeric
/// type.
pub(crate) fn to_tantivy(fields: &PassageFields) -> BTreeMap<String, OwnedValue> {
    let value = |value: &FieldValue| match value {
        FieldValue::One(Scalar::Text(text)) => OwnedValue::Str(text.clone()),
        FieldValue::One(Scalar::Number(number)) => OwnedValue::F64(normalize_zero(*number)),
        FieldValue::One(Scalar::Boolean(value)) => OwnedValue::Bool(*value),
        FieldValue::Many(texts) => OwnedValue::Array(texts.iter().cloned().map(OwnedValue::Str).collect()),
    };
    fields.iter().map(|(name, field)| (tantivy_name(name).into_owned(), value(field))).collect()
}

/// Reads the fields of a passage; empty if it has none.
pub(crate) fn read_fields(index: &Snapshot, segment: &Segment, doc: DocId) -> Result<PassageFields, Error> {
    let error = |error| tantivy_error("read", &index.path, error);
    let stored: TantivyDocument = segment.store.get(doc).map_err(error)?;
    fields_in(&stored, index)
}

/// Returns the fields in a document that was read from tantivy; empty if it has none.
pub(crate) fn fields_in(stored: &TantivyDocument, index: &Snapshot) -> Result<PassageFields, Error> {
    let Some(stored) = stored.get_first(index.fields.fields) else { return Ok(PassageFields::new()) };
    from_tantivy(OwnedValue::from(stored))
        .ok_or_else(|| Error::corrupt(&index.path, "fields of a passage", "other values"))
}

/// Reverses [`to_tantivy`]. Returns `None` if tantivy has a value that is not valid for a field.
fn from_tantivy(stored: OwnedValue) -> Option<PassageFields> {
    let text = |value| if let OwnedValue::Str(text) = value { Some(text) } else { None };
    let value = |value| match value {
        OwnedValue::Str(text) => Some(Scalar::Text(text).into()),
        OwnedValue::F64(number) => Some(Scalar::Number(number).into()),
        OwnedValue::Bool(value) => Some(Scalar::Boolean(value).into()),
        OwnedValue::Array(texts) => {
            Some(FieldValue::Many(texts.into_iter().map(text).collect::<Option<_>>()?))
        }
        _ => None,
    };
    let OwnedValue::Object(stored) = stored else { return None };
    stored.into_iter().map(|(name, field)| Some((unescaped_name(&name)?, value(field)?))).collect()
}

/// Converts −0 to 0. tantivy sorts −0 before 0 in columns, and has different terms for them.
pub(crate) fn normalize_zero(number: f64) -> f64 {
    number + 0.0
}

/// Returns a field's name as it is passed to tantivy: characters with a meaning in tantivy's JSON paths, and `%`, are
/// escaped as `%` and two hexadecimal digits.
pub(crate) fn tantivy_name(name: &str) -> Cow<'_, str> {
    const SPECIAL: [char; 5] = ['%', '.', '\\', '\0', '\u{1}'];
    if !name.contains(SPECIAL) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() + 8);
    for character in name.chars() {
        if SPECIAL.contains(&character) {
            escaped.push_str(&format!("%{:02x}", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Reverses [`tantivy_name`]. Returns `None` if a `%` is not followed by two hexadecimal digits.
pub(crate) fn unescaped_name(escaped: &str) -> Option<String> {
    let mut parts = escaped.split('%');
    let mut name = parts.next()?.to_owned();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        name.push(char::from(u8::from_str_radix(code, 16).ok()?));
        name.push_str(rest);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_any_characters_are_restored() {
        for name in ["year", "a.b", "..", "100%", "%2e", "back\\slash\\", "\0\u{1}", "größe", "日 本"] {
            let escaped = tantivy_name(name);
            assert!(!escaped.contains(['.', '\\', '\0', '\u{1}']), "{escaped}");
            assert_eq!(unescaped_name(&escaped).as_deref(), Some(name));
        }
        assert_eq!((unescaped_name("%"), unescaped_name("%zz"), unescaped_name("%é")), (None, None, None));
    }

    #[test]
    fn errors_name_the_invalid_field_and_values_at_the_limits_are_accepted() {
        let check = |name: &str, value: FieldValue| {
            check_fields("p", &PassageFields::from([(name.to_owned(), value)]))
                .map_err(|error| error.to_string())
        };
        let refused = |name: &str, value: FieldValue| check(name, value).expect_err("an invalid field");
        assert_eq!(
            refused("year", f64::NAN.into()),
            "passage \"p\": fields.year: expected a finite number, got NaN"
        );
        assert_eq!(
            refused("", true.into()),
            "passage \"p\": fields: expected field names of 1 to 255 bytes, got 0 bytes"
        );
        assert_eq!(
            refused("text", "x".repeat(32_001).into()),
            "passage \"p\": fields.text: expected strings of at most 32,000 bytes, got 32001 bytes"
        );
        let texts = vec![String::new(); 10_001];
        assert_eq!(
            refused("tags", texts.into()),
            "passage \"p\": fields.tags: expected at most 10,000 strings, got 10001"
        );
        assert!(check(&"x".repeat(256), 1.0.into()).is_err());
        assert_eq!(check(&"x".repeat(255), "x".repeat(32_000).into()), Ok(()));
        let many = (0..257).map(|at| (at.to_string(), at.to_string().into())).collect();
        assert!(check_fields("p", &many).is_err());
    }

    #[test]
    fn values_are_read_from_json_with_their_types() {
        let json = r#"{"a":"2020","b":2020,"c":true,"d":["x","y"],"e":[],"f":1e300}"#;
        let fields: PassageFields = serde_json::from_str(json).expect("fields");
        let texts = |texts: &[&str]| FieldValue::Many(texts.iter().map(|&text| text.to_owned()).collect());
        let expected: [FieldValue; 6] =
            ["2020".into(), 2020.0.into(), true.into(), texts(&["x", "y"]), texts(&[]), 1e300.into()];
        assert_eq!(fields.into_values().collect::<Vec<_>>(), expected);
        for bad in [r#"{"a":null}"#, r#"{"a":{}}"#, r#"{"a":[1]}"#, r#"{"a":[["x"]]}"#] {
            assert!(serde_json::from_str::<PassageFields>(bad).is_err(), "{bad}");
        }
    }
}
