//! What a filter means, read from its definition and computed passage by passage.

use std::collections::{BTreeMap, BTreeSet};

use sparse::{FieldValue, Filter, PassageFields, Range, Scalar};

/// The kinds of values per field.
pub type Kinds = BTreeMap<String, BTreeSet<&'static str>>;

fn kind(value: &Scalar) -> &'static str {
    match value {
        Scalar::Text(_) => "text",
        Scalar::Number(_) => "number",
        Scalar::Boolean(_) => "boolean",
    }
}

pub fn kinds_of<'a>(passages: impl IntoIterator<Item = &'a PassageFields>) -> Kinds {
    let mut kinds = Kinds::new();
    for (name, value) in passages.into_iter().flatten() {
        let kind = match value {
            FieldValue::One(value) => kind(value),
            FieldValue::Many(texts) if texts.is_empty() => continue,
            FieldValue::Many(_) => "text",
        };
        kinds.entry(name.clone()).or_default().insert(kind);
    }
    kinds
}

/// Whether each condition of a filter is on an existing field, and with a kind of value that the field has.
pub fn has_meaning(filter: &Filter, kinds: &Kinds) -> bool {
    let known = |field: &str, values: &[&Scalar]| {
        kinds.get(field).is_some_and(|kinds| values.iter().all(|value| kinds.contains(kind(value))))
    };
    match filter {
        Filter::Ids(_) | Filter::Exists { .. } => true,
        Filter::Equals { field, value } => known(field, &[value]),
        Filter::In { field, values } => known(field, &values.iter().collect::<Vec<_>>()),
        Filter::Range(Range { field, gte, gt, lte, lt }) => {
            known(field, &[gte, gt, lte, lt].into_iter().flatten().collect::<Vec<_>>())
        }
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(|part| has_meaning(part, kinds)),
        Filter::Not(part) => has_meaning(part, kinds),
    }
}

/// Whether a passage meets a filter, by the definition.
pub fn meets(id: &str, fields: &PassageFields, filter: &Filter) -> bool {
    let any = |field: &str, holds: &dyn Fn(&Scalar) -> bool| match fields.get(field) {
        None => false,
        Some(FieldValue::One(value)) => holds(value),
        Some(FieldValue::Many(texts)) => texts.iter().any(|text| holds(&text.as_str().into())),
    };
    match filter {
        Filter::Ids(ids) => ids.iter().any(|other| other == id),
        Filter::Equals { field, value } => any(field, &|other| other == value),
        Filter::In { field, values } => any(field, &|other| values.contains(other)),
        Filter::Exists { field } => any(field, &|_| true),
        Filter::And(parts) => parts.iter().all(|part| meets(id, fields, part)),
        Filter::Or(parts) => parts.iter().any(|part| meets(id, fields, part)),
        Filter::Not(part) => !meets(id, fields, part),
        Filter::Range(Range { field, gte, gt, lte, lt }) => any(field, &|value| {
            let compared = |bound: &Scalar| match (value, bound) {
                (Scalar::Number(value), Scalar::Number(bound)) => value.partial_cmp(bound),
                (Scalar::Text(value), Scalar::Text(bound)) => Some(value.cmp(bound)),
                _ => None,
            };
            let holds = |bound: &Option<Scalar>, wanted: &dyn Fn(std::cmp::Ordering) -> bool| {
                bound.as_ref().is_none_or(|bound| compared(bound).is_some_and(wanted))
            };
            holds(gte, &|order| order.is_ge())
                && holds(gt, &|order| order.is_gt())
                && holds(lte, &|order| order.is_le())
                && holds(lt, &|order| order.is_lt())
        }),
    }
}
