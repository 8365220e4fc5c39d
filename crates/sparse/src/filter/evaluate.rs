//! Evaluates a filter: finds the set of passages in each segment that match it. Conditions run as tantivy queries,
//! except for prefixes, which read a range of tantivy's term dictionary. `and`, `or` and `not` combine the sets of
//! their parts.

use std::ops::Bound;

use control::Control;
use ranking::BitSet;
use tantivy::columnar::NumericalValue;
use tantivy::query::{EnableScoring, ExistsQuery, Query, RangeQuery, TermSetQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{TERMINATED, Term};

use crate::Error;
use crate::filter::expression::{Filter, Range};
use crate::filter::fields::{Scalar, normalize_zero, tantivy_name};
use crate::index::schema::FIELDS;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;

/// Returns the set of passages in each segment that match a filter. The filter must have passed [`Filter::check`].
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
        Filter::Prefix { field, prefix } => {
            let prefix = term(index, field, &prefix.as_str().into());
            index.segments.iter().map(|segment| with_prefix(index, segment, &prefix, control)).collect()
        }
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

/// Returns all passages of each segment, including deleted ones.
fn full_sets(index: &Snapshot) -> Vec<BitSet> {
    index.segments.iter().map(|segment| BitSet::full(segment.reader.max_doc() as usize)).collect()
}

/// Runs a tantivy query on each segment.
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

/// Returns the passages of a segment that have a term with this prefix.
fn with_prefix(
    index: &Snapshot,
    segment: &Segment,
    prefix: &Term,
    control: &Control,
) -> Result<BitSet, Error> {
    let error = |error| tantivy_error("read", &index.path, error);
    let mut set = BitSet::empty(segment.reader.max_doc() as usize);
    let terms = segment.reader.inverted_index(index.fields.fields).map_err(error)?;
    let prefix = prefix.serialized_value_bytes();
    let stream = terms.terms().range().ge(prefix).into_stream();
    let mut stream = stream.map_err(|failed| error(failed.into()))?;
    while stream.advance() && stream.key().starts_with(prefix) {
        control.check()?;
        let postings = terms.read_block_postings_from_terminfo(stream.value(), IndexRecordOption::Basic);
        let mut postings = postings.map_err(|failed| error(failed.into()))?;
        while !postings.docs().is_empty() {
            // The last block is padded with `TERMINATED`.
            postings.docs().iter().filter(|&&doc| doc != TERMINATED).for_each(|&doc| {
                set.insert(doc);
            });
            postings.advance();
        }
    }
    Ok(set)
}

/// Returns the term for a field's value in tantivy's term dictionary, in which whole numbers are stored as integers.
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

/// Returns a range query over tantivy's columns, in which all numbers are stored as floating-point numbers.
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
