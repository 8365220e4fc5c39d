//! Fields of a passage: what it carries beside its text, to filter by and to read again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tantivy::schema::OwnedValue;
use tantivy::{DocId, TantivyDocument};

use crate::Error;
use crate::index::integrity::engine_error;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;

/// Bytes of a field's name.
const LONGEST_NAME: usize = 255;

/// Bytes of a text; the engine takes no terms twice as long.
const LONGEST_TEXT: usize = 32_000;

const MOST_FIELDS: usize = 256;

const MOST_TEXTS: usize = 10_000;

/// The fields of a passage by their names: at most 256, each name of 1 to 255 bytes. Any character is allowed in a
/// name. Each name costs every segment a little, so names should be few, and values many.
pub type PassageFields = BTreeMap<String, FieldValue>;

/// The value of a field. Passages may have values of different kinds under one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// One value.
    One(Scalar),
    /// At most 10,000 texts of at most 32,000 bytes, in their order.
    Many(Vec<String>),
}

/// One text, number or truth value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// At most 32,000 bytes in a passage, compared byte by byte.
    Text(String),
    /// Finite. −0 is kept as 0.
    Number(f64),
    /// Neither 0 nor 1, but of its own kind.
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

/// Refuses what could not be kept, or not be found again.
pub(crate) fn check_fields(id: &str, fields: &PassageFields) -> Result<(), Error> {
    let refused = |path: &str, expected: &'static str, got| {
        let path = format!("passage \"{id}\": fields{path}");
        Err(Error::Part { path, expected: expected.into(), got })
    };
    if fields.len() > MOST_FIELDS {
        return refused("", "at most 256 fields", fields.len().to_string());
    }
    for (name, value) in fields {
        if let Some((expected, got)) = bad_name(name) {
            return refused("", expected, got);
        }
        let path = || format!(".{name}");
        let texts = match value {
            FieldValue::One(Scalar::Number(number)) if !number.is_finite() => {
                return refused(&path(), "a finite number", number.to_string());
            }
            FieldValue::One(Scalar::Number(_) | Scalar::Boolean(_)) => &[],
            FieldValue::One(Scalar::Text(text)) => std::slice::from_ref(text),
            FieldValue::Many(texts) => texts.as_slice(),
        };
        if texts.len() > MOST_TEXTS {
            return refused(&path(), "at most 10,000 texts", texts.len().to_string());
        }
        if let Some(text) = texts.iter().find(|text| text.len() > LONGEST_TEXT) {
            return refused(&path(), "texts of at most 32,000 bytes", format!("{} bytes", text.len()));
        }
    }
    Ok(())
}

/// What a name should be and what it is, if it cannot be a field's.
pub(crate) fn bad_name(name: &str) -> Option<(&'static str, String)> {
    let bytes = name.len();
    (bytes == 0 || bytes > LONGEST_NAME).then(|| ("field names of 1 to 255 bytes", format!("{bytes} bytes")))
}

/// The fields as the engine keeps them. Numbers are always floating-point, so that a column has one kind of them.
pub(crate) fn to_engine(fields: &PassageFields) -> BTreeMap<String, OwnedValue> {
    let value = |value: &FieldValue| match value {
        FieldValue::One(Scalar::Text(text)) => OwnedValue::Str(text.clone()),
        FieldValue::One(Scalar::Number(number)) => OwnedValue::F64(without_sign(*number)),
        FieldValue::One(Scalar::Boolean(value)) => OwnedValue::Bool(*value),
        FieldValue::Many(texts) => OwnedValue::Array(texts.iter().cloned().map(OwnedValue::Str).collect()),
    };
    fields.iter().map(|(name, field)| (engine_name(name).into_owned(), value(field))).collect()
}

/// Reads the fields of a passage; none if it has none.
pub(crate) fn read_fields(index: &Snapshot, segment: &Segment, doc: DocId) -> Result<PassageFields, Error> {
    let error = |error| engine_error("read", &index.path, error);
    let store = segment.reader.get_store_reader(1).map_err(|failed| error(failed.into()))?;
    let stored: TantivyDocument = store.get(doc).map_err(error)?;
    let Some(stored) = stored.get_first(index.fields.fields) else { return Ok(PassageFields::new()) };
    from_engine(OwnedValue::from(stored))
        .ok_or_else(|| Error::corrupt(&index.path, "fields of a passage", "other values"))
}

fn from_engine(stored: OwnedValue) -> Option<PassageFields> {
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
    stored.into_iter().map(|(name, field)| Some((passage_name(&name)?, value(field)?))).collect()
}

/// −0 stands below 0 in the engine's columns, and beside it in its terms.
pub(crate) fn without_sign(number: f64) -> f64 {
    number + 0.0
}

/// A name without the characters that mean something in the engine's paths.
pub(crate) fn engine_name(name: &str) -> Cow<'_, str> {
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

/// The name that [`engine_name`] was given; `None` for what it never gives.
pub(crate) fn passage_name(escaped: &str) -> Option<String> {
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
    fn names_survive_whatever_characters_they_have() {
        for name in ["year", "a.b", "..", "100%", "%2e", "back\\slash\\", "\0\u{1}", "größe", "日 本"] {
            let escaped = engine_name(name);
            assert!(!escaped.contains(['.', '\\', '\0', '\u{1}']), "{escaped}");
            assert_eq!(passage_name(&escaped).as_deref(), Some(name));
        }
        assert_eq!((passage_name("%"), passage_name("%zz"), passage_name("%é")), (None, None, None));
    }

    #[test]
    fn what_cannot_be_kept_is_refused_by_name() {
        let error = |name: &str, value: FieldValue| {
            check_fields("p", &PassageFields::from([(name.to_owned(), value)]))
                .map_err(|error| error.to_string())
        };
        let refused = |name: &str, value: FieldValue| error(name, value).expect_err("a bad field");
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
            "passage \"p\": fields.text: expected texts of at most 32,000 bytes, got 32001 bytes"
        );
        let texts = vec![String::new(); 10_001];
        assert_eq!(
            refused("tags", texts.into()),
            "passage \"p\": fields.tags: expected at most 10,000 texts, got 10001"
        );
        assert!(error(&"x".repeat(256), 1.0.into()).is_err());
        assert_eq!(error(&"x".repeat(255), "x".repeat(32_000).into()), Ok(()));
        let many = (0..257).map(|at| (at.to_string(), at.to_string().into())).collect();
        assert!(check_fields("p", &many).is_err());
    }

    #[test]
    fn values_are_read_from_json_as_what_they_are() {
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
