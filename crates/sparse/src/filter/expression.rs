//! Filters: conditions on ids and fields, combined with `and`, `or` and `not`. This file also rejects invalid filters.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::filter::fields::{Scalar, invalid_name};

/// Maximum number of levels of nested filters.
const MAX_DEPTH: usize = 32;

/// A condition that passages must match to be found. In JSON, it is an object with the variant as its only key:
/// `{"and": [{"equals": {"field": "language", "value": "en"}}, {"range": {"field": "year", "gte": 2000}}]}`.
///
/// If a passage lacks a field, every condition on that field is false, and [`Not`](Self::Not) of such a condition is
/// true. A field with several texts matches a condition if one of the texts does; a field with an empty list of texts
/// counts as missing. Values of different types (text, number, boolean) are never equal, and a range of one type
/// contains no values of another type.
///
/// Unless the index is empty, a search fails for [`Equals`](Self::Equals), [`In`](Self::In), [`Range`](Self::Range) and
/// [`Prefix`](Self::Prefix) on a field that no passage has, and for values of a type that the field never has: such a
/// condition is a mistake, because no passage could match it. [`Exists`](Self::Exists) accepts any field. For these
/// checks, the fields of a deleted passage count until its segment is merged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Filter {
    /// Passages with one of these ids; unknown ids are ignored.
    Ids(Vec<String>),
    /// Passages whose field has this value.
    Equals {
        /// The name of the field.
        field: String,
        /// The value.
        value: Scalar,
    },
    /// Passages whose field has one of these values.
    In {
        /// The name of the field.
        field: String,
        /// The values. An empty list matches no passage.
        values: Vec<Scalar>,
    },
    /// Passages whose field has a value within bounds.
    Range(Range),
    /// Passages whose field has a text that starts with these characters. The comparison is case-sensitive. Every text
    /// starts with the empty prefix.
    Prefix {
        /// The name of the field.
        field: String,
        /// The first characters; `value` in JSON.
        #[serde(rename = "value")]
        prefix: String,
    },
    /// Passages that have the field.
    Exists {
        /// The name of the field.
        field: String,
    },
    /// Passages that match all of these filters. An empty list matches every passage.
    And(Vec<Filter>),
    /// Passages that match at least one of these filters. An empty list matches no passage.
    Or(Vec<Filter>),
    /// Passages that do not match this filter.
    Not(Box<Filter>),
}

/// One or two bounds for the values of a field: at most one of `gte` and `gt`, and at most one of `lte` and `lt`.
/// Bounds are numbers or texts, not booleans, and two bounds must have the same type. Texts are ordered by the code
/// points of their characters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The name of the field.
    pub field: String,
    /// Values are greater than or equal to this bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gte: Option<Scalar>,
    /// Values are greater than this bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gt: Option<Scalar>,
    /// Values are less than or equal to this bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lte: Option<Scalar>,
    /// Values are less than this bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lt: Option<Scalar>,
}

impl Filter {
    /// Rejects filters that are invalid for every index.
    ///
    /// # Errors
    ///
    /// [`Error::Part`] with the path of the invalid part, such as `filter.and[1].range`: a field name that is empty or
    /// longer than 255 bytes, a number that is not finite, bounds that a [`Range`] cannot have, or more than 32 levels
    /// of nested filters.
    pub fn check(&self) -> Result<(), Error> {
        self.check_at(1).map_err(|Rejection { path, expected, got }| Error::Part {
            path: format!("filter{path}"),
            expected,
            got,
        })
    }

    fn check_at(&self, depth: usize) -> Result<(), Rejection> {
        if depth > MAX_DEPTH {
            return Err(Rejection::new("at most 32 levels of nested filters", "more".to_owned()));
        }
        match self {
            Self::Ids(_) => Ok(()),
            Self::Equals { field, value } => check_name(field)
                .and_then(|()| check_value(value))
                .map_err(|rejection| rejection.within(".equals")),
            Self::In { field, values } => {
                check_name(field).map_err(|rejection| rejection.within(".in"))?;
                check_all(values, ".in.values", check_value)
            }
            Self::Range(range) => range.check().map_err(|rejection| rejection.within(".range")),
            Self::Prefix { field, .. } => check_name(field).map_err(|rejection| rejection.within(".prefix")),
            Self::Exists { field } => check_name(field).map_err(|rejection| rejection.within(".exists")),
            Self::And(parts) => check_all(parts, ".and", |part| part.check_at(depth + 1)),
            Self::Or(parts) => check_all(parts, ".or", |part| part.check_at(depth + 1)),
            Self::Not(part) => part.check_at(depth + 1).map_err(|rejection| rejection.within(".not")),
        }
    }

    /// Returns the approximate number of bytes of memory that the filter takes.
    pub(crate) fn bytes(&self) -> usize {
        let text = |text: &String| size_of::<String>() + text.len();
        let scalar = |value: &Scalar| match value {
            Scalar::Text(value) => text(value),
            Scalar::Number(_) | Scalar::Boolean(_) => size_of::<Scalar>(),
        };
        size_of::<Self>()
            + match self {
                Self::Ids(ids) => ids.iter().map(text).sum(),
                Self::Equals { field, value } => text(field) + scalar(value),
                Self::In { field, values } => text(field) + values.iter().map(scalar).sum::<usize>(),
                Self::Range(range) => text(&range.field) + range.bounds().map(scalar).sum::<usize>(),
                Self::Prefix { field, prefix } => text(field) + text(prefix),
                Self::Exists { field } => text(field),
                Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::bytes).sum(),
                Self::Not(part) => part.bytes(),
            }
    }
}

impl Range {
    fn bounds(&self) -> impl Iterator<Item = &Scalar> {
        self.named_bounds().map(|(_, bound)| bound)
    }

    pub(crate) fn named_bounds(&self) -> impl Iterator<Item = (&'static str, &Scalar)> {
        let bounds = [("gte", &self.gte), ("gt", &self.gt), ("lte", &self.lte), ("lt", &self.lt)];
        bounds.into_iter().filter_map(|(name, bound)| Some((name, bound.as_ref()?)))
    }

    fn check(&self) -> Result<(), Rejection> {
        check_name(&self.field)?;
        self.bounds().try_for_each(check_value)?;
        let types: Vec<&str> = self.bounds().map(type_name).collect();
        let reject = |expected, got: &str| Err(Rejection::new(expected, got.to_owned()));
        if self.gte.is_some() && self.gt.is_some() {
            return reject("one of gte and gt", "both");
        }
        if self.lte.is_some() && self.lt.is_some() {
            return reject("one of lte and lt", "both");
        }
        match types[..] {
            [] => reject("at least one of gte, gt, lte and lt", "none"),
            [first, second] if first != second => {
                reject("bounds that are both numbers or both strings", &format!("a {first} and a {second}"))
            }
            ["boolean", ..] => reject("numbers or strings as bounds", "a boolean"),
            _ => Ok(()),
        }
    }
}

/// What is invalid in a filter, and where.
pub(crate) struct Rejection {
    /// The path from the filter to the invalid part, such as `.and[1].range`.
    pub path: String,
    pub expected: Cow<'static, str>,
    pub got: String,
}

impl Rejection {
    pub fn new(expected: impl Into<Cow<'static, str>>, got: String) -> Self {
        Self { path: String::new(), expected: expected.into(), got }
    }

    /// Prepends a step, such as `.range`, to the path.
    pub fn within(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }
}

/// Checks each part of a list. The path of a rejected part starts with `step` and the index of the part.
pub(crate) fn check_all<T>(
    parts: &[T],
    step: &str,
    check: impl Fn(&T) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let mut parts = parts.iter().enumerate();
    parts.try_for_each(|(at, part)| {
        check(part).map_err(|rejection| rejection.within(&format!("{step}[{at}]")))
    })
}

fn check_name(name: &str) -> Result<(), Rejection> {
    invalid_name(name).map_or(Ok(()), |(expected, got)| Err(Rejection::new(expected, got)))
}

fn check_value(value: &Scalar) -> Result<(), Rejection> {
    match value {
        Scalar::Number(number) if !number.is_finite() => {
            Err(Rejection::new("finite numbers", number.to_string()))
        }
        _ => Ok(()),
    }
}

/// Returns the name of a value's type.
pub(crate) fn type_name(value: &Scalar) -> &'static str {
    match value {
        Scalar::Text(_) => "string",
        Scalar::Number(_) => "number",
        Scalar::Boolean(_) => "boolean",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a range filter on the field `year`. `bounds` is JSON, such as `, "gte": 1`.
    fn range(bounds: &str) -> Filter {
        serde_json::from_str(&format!(r#"{{"range": {{"field": "year"{bounds}}}}}"#)).expect("a range")
    }

    #[test]
    fn errors_name_the_path_of_the_invalid_part() {
        let refused = |filter: Filter| filter.check().expect_err("an invalid filter").to_string();
        let equals = |field: &str, value: Scalar| Filter::Equals { field: field.to_owned(), value };
        assert_eq!(
            refused(Filter::And(vec![equals("a", true.into()), range("")])),
            "filter.and[1].range: expected at least one of gte, gt, lte and lt, got none"
        );
        let nested = Filter::Not(Box::new(Filter::Or(vec![equals("a", f64::INFINITY.into())])));
        assert_eq!(refused(nested), "filter.not.or[0].equals: expected finite numbers, got inf");
        let values = vec![Scalar::from(1.0), Scalar::from(f64::NAN)];
        assert_eq!(
            refused(Filter::In { field: "a".to_owned(), values }),
            "filter.in.values[1]: expected finite numbers, got NaN"
        );
        assert_eq!(
            refused(Filter::Exists { field: String::new() }),
            "filter.exists: expected field names of 1 to 255 bytes, got 0 bytes"
        );
        for (bounds, expected) in [
            (r#", "gte": 1, "gt": 1"#, "one of gte and gt, got both"),
            (r#", "lte": 1, "lt": 1"#, "one of lte and lt, got both"),
            (
                r#", "gte": 1, "lt": "b""#,
                "bounds that are both numbers or both strings, got a number and a string",
            ),
            (r#", "gte": true"#, "numbers or strings as bounds, got a boolean"),
        ] {
            assert_eq!(refused(range(bounds)), format!("filter.range: expected {expected}"));
        }
        let deep = |depth| (1..depth).fold(Filter::Ids(Vec::new()), |part, _| Filter::Not(Box::new(part)));
        assert!(deep(32).check().is_ok());
        assert!(refused(deep(33)).ends_with(".not: expected at most 32 levels of nested filters, got more"));
    }

    #[test]
    fn a_filter_in_json_is_an_object_with_its_variant_as_the_only_key() {
        let json = r#"{"and":[{"ids":["a"]},{"equals":{"field":"f","value":true}},{"in":{"field":"f","values":["x",1.5]}},{"range":{"field":"f","gte":0.0,"lt":9.0}},{"not":{"exists":{"field":"g"}}},{"prefix":{"field":"f","value":"x"}},{"or":[]}]}"#;
        let filter: Filter = serde_json::from_str(json).expect("a filter");
        assert!(filter.check().is_ok());
        assert_eq!(serde_json::to_string(&filter).expect("JSON"), json);
        for bad in [
            r#"{"ids":[1]}"#,
            r#"{"prefix":{"field":"f","value":1}}"#,
            r#"{"prefix":{"field":"f"}}"#,
            r#"{"exists":{"field":"f","x":1}}"#,
            r#"{"or":[],"and":[]}"#,
            "{}",
            "[]",
        ] {
            assert!(serde_json::from_str::<Filter>(bad).is_err(), "{bad}");
        }
    }
}
