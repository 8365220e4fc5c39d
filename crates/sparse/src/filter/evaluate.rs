//! Evaluating a filter: the set of passages of each segment that meet it.

use std::ops::Bound;

use control::Control;
use ranking::BitSet;
use tantivy::Term;
use tantivy::columnar::NumericalValue;
use tantivy::query::{EnableScoring, ExistsQuery, Query, RangeQuery, TermSetQuery};

use crate::Error;
use crate::filter::expression::{Filter, Range};
use crate::filter::fields::{Scalar, normalize_zero, tantivy_name};
use crate::index::schema::FIELDS;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;

/// The passages of each segment that meet a filter. The filter must have been checked.
pub(crate) fn evaluate(filter: &Filter, index: &Snapshot, control: &Control) -> Result<Vec<BitSet>, Error> {
    control.check()?;
    match filter {
        Filter::Ids(ids) => {
            let terms = ids.iter().map(|id| Term::from_field_text(index.fields.id, id));
            run(&TermSetQuery::new(terms), index)
        }
        Filter::Equals { field, value } => run(&TermSetQuery::new([term(index, field, value)]), index),
        Filter::In { field, values } => {
            run(&TermSetQuery::new(values.iter().map(|value| term(index, field, value))), index)
        }
        Filter::Range(range) => run(&range_query(index, range), index),
        Filter::Exists { field } => {
            run(&ExistsQuery::new(format!("{FIELDS}.{}", tantivy_name(field)), false), index)
        }
        Filter::And(parts) => {
            let mut sets = full_sets(index);
            for part in parts {
                if sets.iter().all(BitSet::is_empty) {
                    break;
                }
                let others = evaluate(part, index, control)?;
                sets.iter_mut().zip(&others).for_each(|(set, other)| *set = set.intersection(other));
            }
            Ok(sets)
        }
        Filter::Or(parts) => {
            let mut sets = empty_sets(index);
            for part in parts {
                let others = evaluate(part, index, control)?;
                sets.iter_mut().zip(&others).for_each(|(set, other)| *set = set.union(other));
            }
            Ok(sets)
        }
        Filter::Not(part) => {
            let sets = evaluate(part, index, control)?;
            Ok(full_sets(index).iter().zip(&sets).map(|(full, set)| full.difference(set)).collect())
        }
    }
}

fn empty_sets(index: &Snapshot) -> Vec<BitSet> {
    index.segments.iter().map(|segment| BitSet::empty(segment.reader.max_doc() as usize)).collect()
}

/// All passages of each segment, including deleted ones.
fn full_sets(index: &Snapshot) -> Vec<BitSet> {
    index.segments.iter().map(|segment| BitSet::full(segment.reader.max_doc() as usize)).collect()
}

/// Runs a query of tantivy.
fn run(query: &dyn Query, index: &Snapshot) -> Result<Vec<BitSet>, Error> {
    let mut sets = empty_sets(index);
    let Some(first) = index.segments.first() else { return Ok(sets) };
    let error = |error| tantivy_error("read", &index.path, error);
    let weight = query.weight(EnableScoring::disabled_from_schema(first.reader.schema())).map_err(error)?;
    for (segment, set) in index.segments.iter().zip(&mut sets) {
        let insert = &mut |docs: &[_]| {
            docs.iter().for_each(|&doc| {
                set.insert(doc);
            })
        };
        weight.for_each_no_score(&segment.reader, insert).map_err(error)?;
    }
    Ok(sets)
}

/// The term of a field's value in tantivy's term dictionary, which has whole numbers as integers.
fn term(index: &Snapshot, field: &str, value: &Scalar) -> Term {
    let mut term = Term::from_field_json_path(index.fields.fields, &tantivy_name(field), false);
    match value {
        Scalar::Text(text) => term.append_type_and_str(text),
        Scalar::Boolean(value) => term.append_type_and_fast_value(*value),
        Scalar::Number(number) => match NumericalValue::F64(normalize_zero(*number)).normalize() {
            NumericalValue::I64(number) => term.append_type_and_fast_value(number),
            NumericalValue::U64(number) => term.append_type_and_fast_value(number),
            NumericalValue::F64(number) => term.append_type_and_fast_value(number),
        },
    }
    term
}

/// A range query over tantivy's columns, which hold all numbers as floating-point numbers.
fn range_query(index: &Snapshot, range: &Range) -> RangeQuery {
    let term = |value: &Scalar| match value {
        Scalar::Number(number) => {
            let mut term =
                Term::from_field_json_path(index.fields.fields, &tantivy_name(&range.field), false);
            term.append_type_and_fast_value(normalize_zero(*number));
            term
        }
        value => term(index, &range.field, value),
    };
    let bound = |including: &Option<Scalar>, excluding: &Option<Scalar>| match (including, excluding) {
        (Some(value), _) => Bound::Included(term(value)),
        (None, Some(value)) => Bound::Excluded(term(value)),
        (None, None) => Bound::Unbounded,
    };
    RangeQuery::new(bound(&range.gte, &range.gt), bound(&range.lte, &range.lt))
}
