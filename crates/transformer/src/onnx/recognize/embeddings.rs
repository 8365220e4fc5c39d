//! The embeddings: the sum of rows of tables of words, positions and token types.

use super::super::error::Unrecognized;
use super::super::graph::{Input, ValueId};
use super::super::probe::{BATCH, is_input};
use super::super::tensor::{Data, Tensor};
use super::Matcher;
use crate::weights::{Embeddings, Norm, Table, TableValues};

/// Rows of a table that a graph looks up.
pub(super) struct Lookup<'a> {
    /// The table, which has two axes.
    pub table: &'a Tensor,
    /// The numbers of the rows.
    pub indices: ValueId,
    /// The scale and zero point of bytes.
    pub quantization: Option<(f32, i16)>,
}

impl Matcher<'_> {
    /// Whether a value is a sum with rows of a table that are chosen by `input_ids`.
    pub fn is_embeddings(&self, sum: ValueId) -> bool {
        let is_words = |&value: &ValueId| {
            self.lookup(value).is_some_and(|lookup| is_input(self.graph, lookup.indices, Input::Ids))
        };
        self.addends(sum).is_some_and(|addends| addends.iter().any(is_words))
    }

    /// Matches the sum that is the input of the first normalization.
    pub fn embeddings(&self, norm: Norm, sum: ValueId) -> Result<Embeddings, Unrecognized> {
        let dim = norm.weight.len();
        let addends = self.addends(sum).unwrap_or_default();
        let (mut words, mut positions, mut types) = (None, None, None);
        let length = self.probe.length;
        let shape = [BATCH, length, dim];
        if self.shape(sum)? != shape {
            return Err(self.refuse(sum, format!("the shape {shape:?} for the batch of the probe")));
        }
        for value in addends {
            let (table, kind) = self.addend(value)?;
            // Without the axes of size 1 at the front, which addends may lack.
            let got = self.shape(value)?;
            let axes = &got[got.iter().take_while(|&&size| size == 1).count()..];
            let is_each_token = axes == shape || axes == &shape[1..];
            let is_one_row = matches!(kind, Kind::SingleType) && axes == &shape[2..];
            if !is_each_token && !is_one_row {
                let expected =
                    format!("a row for each token, of the shape {shape:?} for the batch of the probe");
                return Err(self.refuse_for(value, expected, format!("{got:?}")));
            }
            if table.dim != dim {
                let expected = format!("a table with {dim} columns");
                return Err(self.refuse_for(value, expected, table.dim.to_string()));
            }
            let is_first = match kind {
                Kind::Words => words.replace(table).is_none(),
                Kind::Positions(first) => positions.replace((table, first)).is_none(),
                Kind::Types => types.replace((table, true)).is_none(),
                Kind::SingleType => types.replace((table, false)).is_none(),
            };
            if !is_first {
                return Err(self.refuse(value, "one table each of words, positions and token types"));
            }
        }
        let words = words.ok_or_else(|| self.refuse(sum, "embeddings of words"))?;
        let (positions, first_position) =
            positions.ok_or_else(|| self.refuse(sum, "embeddings of positions"))?;
        let has_type_input = matches!(types, Some((_, true)));
        let types = types.map(|(table, _)| table);
        Ok(Embeddings { words, positions, first_position, types, has_type_input, norm })
    }

    /// Matches one addend of the embeddings.
    fn addend(&self, value: ValueId) -> Result<(Table, Kind), Unrecognized> {
        let Some(lookup) = self.lookup(value) else { return self.constant_addend(value) };
        let &[rows, _] = lookup.table.shape.as_slice() else {
            return Err(self.refuse(value, "a table with two axes"));
        };
        let table = |range| self.table(value, &lookup, range);
        if is_input(self.graph, lookup.indices, Input::Ids) {
            return Ok((table(0..rows)?, Kind::Words));
        }
        if is_input(self.graph, lookup.indices, Input::Types) {
            return Ok((table(0..rows)?, Kind::Types));
        }
        let tensor = &self.known(lookup.indices)?.tensor;
        let indices = tensor.ints().ok_or_else(|| self.refuse(lookup.indices, "integers"))?;
        let row = |index: i64| usize::try_from(index).ok().filter(|&index| index < rows);
        let first = indices.first().copied().and_then(row);
        let first =
            first.ok_or_else(|| self.refuse(lookup.indices, format!("row numbers of at most {rows}")))?;
        let expected = "positions that count the tokens of each text";
        if self.constant(lookup.indices).is_some() && indices.iter().all(|&index| index == indices[0]) {
            return Ok((table(first..first + 1)?, Kind::SingleType));
        }
        // One sequence of positions is used for all texts.
        let length = self.probe.length;
        let texts = match *tensor.shape {
            [count] | [1, count] if count == length => 1,
            [BATCH, count] if count == length => BATCH,
            _ => return Err(self.refuse(lookup.indices, expected)),
        };
        for (i, &index) in indices.iter().enumerate() {
            let (text, position) = (i / length, i % length);
            let is_ignored = texts == BATCH && self.probe.is_padding(text, position);
            if !is_ignored && row(index) != Some(first + position) {
                let got = format!("{index} for token {position}");
                return Err(self.refuse_for(lookup.indices, expected, got));
            }
        }
        Ok((table(0..rows)?, Kind::Positions(first)))
    }

    /// Matches an addend that is a constant row, or a slice of a table of positions.
    fn constant_addend(&self, value: ValueId) -> Result<(Table, Kind), Unrecognized> {
        let expected = "rows of a table of words, positions or token types";
        let refuse = || self.refuse(value, expected);
        let value = self.rows(value);
        let rows = self.constant(value).ok_or_else(refuse)?;
        let (dim, values) = rows.shape.last().copied().zip(rows.floats()).ok_or_else(refuse)?;
        if dim == 0 || values.len() < dim {
            return Err(refuse());
        }
        let table = |values: &[f32]| Table {
            rows: values.len() / dim,
            dim,
            values: TableValues::F32(values.to_vec()),
        };
        let row = &values[..dim];
        if values.chunks_exact(dim).all(|other| other == row) {
            return Ok((table(row), Kind::SingleType));
        }
        let sliced = self.node(value, "Slice").and_then(|node| node.input(0));
        let source = sliced.and_then(|source| self.constant(source)).and_then(Tensor::floats);
        let source = source.filter(|source| source.len().is_multiple_of(dim)).ok_or_else(refuse)?;
        let is_for_all_texts = values.len() == self.probe.length * dim;
        let first = source.windows(values.len().max(1)).step_by(dim).position(|part| part == values);
        match first {
            Some(first) if is_for_all_texts => Ok((table(source), Kind::Positions(first))),
            _ => Err(refuse()),
        }
    }

    /// Matches rows of a constant table, of floats, or of bytes that are dequantized after they are looked up.
    pub fn lookup(&self, value: ValueId) -> Option<Lookup<'_>> {
        let value = self.rows(value);
        let (rows, quantization) = match self.dequantized(value) {
            Some((bytes, quantization)) => (self.rows(bytes), Some(quantization)),
            None => (value, None),
        };
        let node = self.node(rows, "Gather")?;
        let table = self.constant(node.input(0)?)?;
        let is_rows = node.int("axis").unwrap_or(0) == 0 && table.shape.len() == 2;
        is_rows.then_some(Lookup { table, indices: node.input(1)?, quantization })
    }

    /// Matches bytes that become floats with one scale and zero point. Returns them, the scale and the zero point.
    pub fn dequantized(&self, value: ValueId) -> Option<(ValueId, (f32, i16))> {
        let node = self.node(value, "DequantizeLinear")?;
        let zero = match node.input(2) {
            Some(zero) => match &self.constant(zero)?.data {
                Data::U8(zero) if zero.len() == 1 => zero[0].into(),
                Data::I8(zero) if zero.len() == 1 => zero[0].into(),
                _ => return None,
            },
            None => 0,
        };
        Some((node.input(0)?, (self.scalar(node.input(1)?)?, zero)))
    }

    /// Some rows of the table of a lookup.
    pub fn table(
        &self,
        value: ValueId,
        lookup: &Lookup,
        rows: std::ops::Range<usize>,
    ) -> Result<Table, Unrecognized> {
        let dim = lookup.table.shape.last().copied().unwrap_or_default();
        let range = rows.start * dim..rows.end * dim;
        // A signed byte b is stored as b + 128, and so is its zero point.
        let values = match (&lookup.table.data, lookup.quantization) {
            (Data::F32(values), None) => TableValues::F32(values[range].to_vec()),
            (Data::U8(bytes), Some((scale, zero))) => {
                let zero = u8::try_from(zero).map_err(|_| self.refuse(value, "a zero point of bytes"))?;
                TableValues::U8 { bytes: bytes[range].to_vec(), scale, zero }
            }
            (Data::I8(bytes), Some((scale, zero))) => {
                let zero =
                    u8::try_from(zero + 128).map_err(|_| self.refuse(value, "a zero point of bytes"))?;
                let bytes = bytes[range].iter().map(|&byte| byte.cast_unsigned() ^ 0x80).collect();
                TableValues::U8 { bytes, scale, zero }
            }
            _ => return Err(self.refuse(value, "a table of floats, or of bytes that are dequantized")),
        };
        Ok(Table { rows: rows.len(), dim, values })
    }
}

/// What the rows of a table stand for.
enum Kind {
    /// The token ids.
    Words,
    /// The positions, and the row of the first one.
    Positions(usize),
    /// The token types.
    Types,
    /// The only token type.
    SingleType,
}
