//! A reference implementation of filters. It applies their definition to one passage at a time.

use std::collections::{BTreeMap, BTreeSet};

use sparse::{FieldValue, Filter, PassageFields, Range, Scalar};

/// The types of the values of each field: one or more of "string", "number" and "boolean".
pub type FieldTypes = BTreeMap<String, BTreeSet<&'static str>>;

fn type_of(value: &Scalar) -> &'static str {
    match value {
        Scalar::Text(_) => "string",
        Scalar::Number(_) => "number",
        Scalar::Boolean(_) => "boolean",
    }
}

/// Returns the types of the values of all fields of these passages.
pub fn field_types<'a>(passages: impl IntoIterator<Item = &'a PassageFields>) -> FieldTypes {
    let mut types = FieldTypes::new();
    for (name, value) in passages.into_iter().flatten() {
        let value_type = match value {
            FieldValue::One(value) => type_of(value),
            FieldValue::Many(texts) if texts.is_empty() => continue,
            FieldValue::Many(_) => "string",
        };
        types.entry(name.clone()).or_default().insert(value_type);
    }
    types
}

/// Returns true if each condition of a filter is on an existing field, with values of types that the field has. `Ids`
/// and `Exists` compare no values and are always accepted.
pub fn matches_types(filter: &Filter, types: &FieldTypes) -> bool {
    let known = |field: &str, values: &[&Scalar]| {
        types.get(field).is_some_and(|types| values.iter().all(|value| types.contains(type_of(value))))
    };
    match filter {
        Filter::Ids(_) | Filter::Exists { .. } => true,
        Filter::Equals { field, value } => known(field, &[value]),
        Filter::In { field, values } => known(field, &values.iter().collect::<Vec<_>>()),
        Filter::Prefix { field, .. } => known(field, &[&"".into()]),
        Filter::Range(Range { field, gte, gt, lte, lt }) => {
            known(field, &[gte, gt, lte, lt].into_iter().flatten().collect::<Vec<_>>())
        }
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(|part| matches_types(part, types)),
        Filter::Not(part) => matches_types(part, types),
    }
}

/// Returns true if a passage matches a filter.
pub fn matches(id: &str, fields: &PassageFields, filter: &Filter) -> bool {
    let any = |field: &str, holds: &dyn Fn(&Scalar) -> bool| match fields.get(field) {
        None => false,
        Some(FieldValue::One(value)) => holds(value),
        Some(FieldValue::Many(texts)) => texts.iter().any(|text| holds(&text.as_str().into())),
    };
    match filter {
        Filter::Ids(ids) => ids.iter().any(|other| other == id),
        Filter::Equals { field, value } => any(field, &|other| other == value),
        Filter::In { field, values } => any(field, &|other| values.contains(other)),
        Filter::Prefix { field, prefix } => {
            any(field, &|value| matches!(value, Scalar::Text(text) if text.starts_with(prefix)))
        }
        Filter::Exists { field } => any(field, &|_| true),
        Filter::And(parts) => parts.iter().all(|part| matches(id, fields, part)),
        Filter::Or(parts) => parts.iter().any(|part| matches(id, fields, part)),
        Filter::Not(part) => !matches(id, fields, part),
        Filter::Range(Range { field, gte, gt, lte, lt }) => any(field, &|value| {
            let compared = |bound: &Scalar| match (value, bound) {
                (Scalar::Number(value), Scalar::Number(bound)) => value.partial_cmp(bound),
                (Scalar::Text(value), Scalar::Text(bound)) => Some(value.cmp(bound)),
                _ => None,
            };
            let is_within = |bound: &Option<Scalar>, wanted: &dyn Fn(std::cmp::Ordering) -> bool| {
                bound.as_ref().is_none_or(|bound| compared(bound).is_some_and(wanted))
            };
            is_within(gte, &|order| order.is_ge())
                && is_within(gt, &|order| order.is_gt())
                && is_within(lte, &|order| order.is_le())
                && is_within(lt, &|order| order.is_lt())
        }),
    }
}
