//! The columns (tantivy's fast fields) of one field in one segment, and the order of the values.

use std::cmp::Ordering;

use tantivy::columnar::{Column, DynamicColumn, NumericalType, StrColumn};

use crate::Error;
use crate::filter::fields::{Scalar, tantivy_name};
use crate::index::schema::FIELDS;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;

/// The values of one field in a segment, by type. Each passage has values of at most one type.
#[derive(Default)]
pub(crate) struct FieldColumns {
    pub numbers: Option<Column<f64>>,
    /// A passage may have several texts, or the same text several times.
    pub texts: Option<StrColumn>,
    pub booleans: Option<Column<bool>>,
}

impl FieldColumns {
    /// Opens the columns of a field.
    pub fn open(index: &Snapshot, segment: &Segment, field: &str) -> Result<Self, Error> {
        let error = |error| tantivy_error("read", &index.path, error);
        let name = format!("{FIELDS}.{}", tantivy_name(field));
        let mut columns = Self::default();
        for handle in segment.reader.fast_fields().dynamic_column_handles(&name).map_err(error)? {
            match handle.open().map_err(|failed| error(failed.into()))? {
                DynamicColumn::Str(column) => columns.texts = Some(column),
                DynamicColumn::Bool(column) => columns.booleans = Some(column),
                column => {
                    if let Some(DynamicColumn::F64(column)) = column.coerce_numerical(NumericalType::F64) {
                        columns.numbers = Some(column);
                    }
                }
            }
        }
        Ok(columns)
    }

    /// Returns the texts with these ordinals in the dictionary of the segment. The ordinals must be in ascending order.
    pub fn texts_of(&self, ordinals: &[u64], index: &Snapshot) -> Result<Vec<String>, Error> {
        let corrupt = || Error::corrupt(&index.path, "the texts of a column", "other bytes");
        let Some(column) = &self.texts else { return Ok(Vec::new()) };
        let mut texts = Vec::with_capacity(ordinals.len());
        let found = column
            .dictionary()
            .sorted_ords_to_term_cb(ordinals, |bytes| texts.push(String::from_utf8(bytes.to_vec())))
            .map_err(|error| tantivy_error("read", &index.path, error.into()))?;
        if !found {
            return Err(corrupt());
        }
        texts.into_iter().collect::<Result<_, _>>().map_err(|_| corrupt())
    }
}

/// Compares values: numbers come first, then texts by the code points of their characters, then false and true.
pub(crate) fn compare(a: &Scalar, b: &Scalar) -> Ordering {
    let rank = |value: &Scalar| match value {
        Scalar::Number(_) => 0,
        Scalar::Text(_) => 1,
        Scalar::Boolean(_) => 2,
    };
    match (a, b) {
        (Scalar::Number(a), Scalar::Number(b)) => a.total_cmp(b),
        // The order of UTF-8 bytes is that of code points.
        (Scalar::Text(a), Scalar::Text(b)) => a.cmp(b),
        (Scalar::Boolean(a), Scalar::Boolean(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}
