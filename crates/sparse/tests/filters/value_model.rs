//! A reference implementation of counting the values of a field and of sorting by a field, directly from the
//! definitions.

use std::cmp::Ordering;

use sparse::{FieldValue, PassageFields, Scalar};

/// Passages with their ords, in the order of the ords.
pub type Passages<'a> = [(u32, &'a PassageFields)];

/// Returns the values of a passage's field; empty if the passage does not have the field.
fn values(fields: &PassageFields, field: &str) -> Vec<Scalar> {
    match fields.get(field) {
        None => Vec::new(),
        Some(FieldValue::One(value)) => vec![value.clone()],
        Some(FieldValue::Many(texts)) => texts.iter().map(|text| text.as_str().into()).collect(),
    }
}

/// Compares values: numbers come first, then strings in the order of their code points, then booleans.
fn compare(a: &Scalar, b: &Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Number(a), Scalar::Number(b)) => a.partial_cmp(b).expect("finite numbers"),
        (Scalar::Text(a), Scalar::Text(b)) => a.chars().cmp(b.chars()),
        (Scalar::Boolean(a), Scalar::Boolean(b)) => a.cmp(b),
        (Scalar::Number(_), _) | (Scalar::Text(_), Scalar::Boolean(_)) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// Counts the passages with each value of a field. Returns the `max` most frequent values with their counts, most
/// frequent first; values with equal counts are sorted by value.
pub fn value_counts(passages: &Passages<'_>, field: &str, max: usize) -> Vec<(Scalar, u64)> {
    let mut counts: Vec<(Scalar, u64)> = Vec::new();
    for (_, fields) in passages {
        let mut distinct: Vec<Scalar> = Vec::new();
        for value in values(fields, field) {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        for value in distinct {
            match counts.iter_mut().find(|(other, _)| *other == value) {
                Some((_, count)) => *count += 1,
                None => counts.push((value, 1)),
            }
        }
    }
    counts.sort_by(|a, b| compare(&a.0, &b.0));
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts.truncate(max);
    counts
}

/// Sorts the passages by the value of a field, skips `offset` of them, and returns the ords of the next `k`. A passage
/// with several values is sorted by the value that comes first in the chosen direction; passages without a value come
/// last.
pub fn sorted_by(
    passages: &Passages<'_>,
    field: &str,
    descending: bool,
    offset: usize,
    k: usize,
) -> Vec<u32> {
    let directed = |a: &Scalar, b: &Scalar| if descending { compare(b, a) } else { compare(a, b) };
    let first = |fields: &PassageFields| values(fields, field).into_iter().min_by(|a, b| directed(a, b));
    let mut with_values: Vec<(u32, Option<Scalar>)> =
        passages.iter().map(|(ord, fields)| (*ord, first(fields))).collect();
    // The sort is stable, so equal values stay in the order of their ords.
    with_values.sort_by(|(_, a), (_, b)| match (a, b) {
        (Some(a), Some(b)) => directed(a, b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    with_values.into_iter().map(|(ord, _)| ord).skip(offset).take(k).collect()
}
