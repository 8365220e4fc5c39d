//! proptest strategies for random passages, filters and changes to an index.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sparse::{FieldValue, Filter, PassageFields, Range, Scalar};

/// The names of the fields that passages can have.
pub const NAMES: [&str; 4] = ["year", "a.b", "back\\slash%", "größe"];

/// A change to an index. Passages have ids from 0 to 11.
#[derive(Debug, Clone)]
pub enum Step {
    /// Adds a passage with this id, text and fields, or updates it if it exists.
    Put(u8, String, PassageFields),
    /// Deletes the passage with this id, if it exists.
    Delete(u8),
    /// Commits the changes.
    Commit,
}

/// A string that is the value of a field.
fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "2", "Z", "a", "ab", "é", "\u{1F600}", "x y"]).prop_map(str::to_owned)
}

/// A number that is the value of a field.
fn number() -> impl Strategy<Value = f64> {
    let max_exact_integer = 9_007_199_254_740_992.0; // 2^53
    prop::sample::select(vec![
        -0.0,
        0.0,
        2.0,
        2.5,
        3.0,
        -7.0,
        max_exact_integer,
        max_exact_integer - 1.0,
        -max_exact_integer,
        1e300,
        -1e300,
        5e-324, // the smallest positive number
        2e19,   // above the range of u64
    ])
}

/// A single value of a field: a string, a number or a boolean.
fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        text().prop_map(Scalar::Text),
        number().prop_map(Scalar::Number),
        any::<bool>().prop_map(Scalar::Boolean)
    ]
}

/// The name of a field.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned)
}

/// The fields of a passage, often none.
fn passage_fields() -> impl Strategy<Value = PassageFields> {
    let value = prop_oneof![
        3 => scalar().prop_map(FieldValue::One),
        1 => prop::collection::vec(text(), 0..4).prop_map(FieldValue::Many),
    ];
    prop_oneof![1 => Just(BTreeMap::new()), 3 => prop::collection::btree_map(name(), value, 0..4)]
}

/// A range with one or two bounds, which are numbers or strings.
fn range() -> impl Strategy<Value = Range> {
    let bounds = prop_oneof![
        (number().prop_map(Scalar::Number), number().prop_map(Scalar::Number)),
        (text().prop_map(Scalar::Text), text().prop_map(Scalar::Text)),
    ];
    // 0 means no bound, 1 an inclusive one, 2 an exclusive one.
    (name(), bounds, 0..3usize, 0..3usize).prop_map(|(field, (low, high), lower, upper)| {
        let (lower, upper) = if (lower, upper) == (0, 0) { (1, 0) } else { (lower, upper) };
        let pick = |bound: &Scalar, chosen: bool| chosen.then(|| bound.clone());
        Range {
            field,
            gte: pick(&low, lower == 1),
            gt: pick(&low, lower == 2),
            lte: pick(&high, upper == 1),
            lt: pick(&high, upper == 2),
        }
    })
}

/// A filter with up to three levels of `And`, `Or` and `Not`.
pub fn filter() -> impl Strategy<Value = Filter> {
    let leaf = prop_oneof![
        // No passage has the ids 12 and 13.
        prop::collection::vec(0u8..14, 0..6)
            .prop_map(|ids| Filter::Ids(ids.into_iter().map(|id| format!("p{id}")).collect())),
        (name(), scalar()).prop_map(|(field, value)| Filter::Equals { field, value }),
        (name(), prop::collection::vec(scalar(), 0..5))
            .prop_map(|(field, values)| Filter::In { field, values }),
        range().prop_map(Filter::Range),
        // No string begins with U+0001.
        (name(), prop_oneof![text(), Just("\u{1}".to_owned())])
            .prop_map(|(field, prefix)| Filter::Prefix { field, prefix }),
        name().prop_map(|field| Filter::Exists { field }),
        Just(Filter::Exists { field: "unknown".to_owned() }),
    ];
    leaf.prop_recursive(3, 12, 3, |part| {
        prop_oneof![
            prop::collection::vec(part.clone(), 0..3).prop_map(Filter::And),
            prop::collection::vec(part.clone(), 0..3).prop_map(Filter::Or),
            part.prop_map(|part| Filter::Not(Box::new(part))),
        ]
    })
}

/// The text of a passage: up to five words.
fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 0..6)
        .prop_map(|words| words.join(" "))
}

/// A change to an index, or a commit.
pub fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0u8..12, words(), passage_fields()).prop_map(|(id, text, fields)| Step::Put(id, text, fields)),
        2 => (0u8..12).prop_map(Step::Delete),
        1 => Just(Step::Commit),
    ]
}
