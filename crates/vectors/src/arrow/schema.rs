//! The columns of an Arrow schema, and which buffers of a record batch belong to each of them.

use polars_arrow_format::ipc::planus::Result;
use polars_arrow_format::ipc::{FieldRef, Precision, SchemaRef, TypeRef, UnionMode};

use crate::element::Element;

/// A column, or a nested column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub name: String,
    pub kind: Kind,
    pub children: Vec<Field>,
}

/// The type of a column, which determines its buffers. All types that are never read are [`Kind::Other`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Float(Element),
    /// Integers of `width` bytes.
    Int {
        width: usize,
        is_signed: bool,
    },
    /// Strings with 32-bit or 64-bit offsets.
    Text {
        has_64_bit_offsets: bool,
    },
    /// Strings with 16-byte views.
    TextView,
    FixedSizeList {
        length: usize,
    },
    /// Lists with 32-bit or 64-bit offsets.
    List {
        has_64_bit_offsets: bool,
    },
    /// A type that is not read.
    Other {
        description: &'static str,
        /// Number of buffers, without those of nested columns. Not used for a view column.
        buffer_count: usize,
        /// Whether this is a view column, which has two buffers and then as many variadic buffers as the record batch
        /// states.
        has_views: bool,
    },
}

/// The first node, buffer and view count of a column within a record batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ColumnStart {
    pub node: usize,
    pub buffer: usize,
    /// Index into `Body::view_counts`.
    pub views: usize,
}

impl Field {
    /// Returns the columns of a schema.
    pub fn all(schema: SchemaRef<'_>) -> Result<Vec<Self>> {
        schema.fields()?.into_iter().flatten().map(|field| Self::new(field?, 0)).collect()
    }

    fn new(field: FieldRef<'_>, depth: usize) -> Result<Self> {
        let name = field.name()?.unwrap_or_default().to_owned();
        if field.dictionary()?.is_some() {
            let kind = Kind::Other { description: "a dictionary", buffer_count: 2, has_views: false };
            return Ok(Self { name, kind, children: Vec::new() });
        }
        // No real schema is nested this deep, but a corrupt one may be nested without end.
        let children = if depth < 64 { field.children()? } else { None };
        let children: Vec<Self> = children
            .into_iter()
            .flatten()
            .map(|child| Self::new(child?, depth + 1))
            .collect::<Result<_>>()?;
        let kind = match field.type_()? {
            Some(kind) => Kind::new(kind)?,
            None => Kind::Other { description: "no type", buffer_count: 0, has_views: false },
        };
        Ok(Self { name, kind, children })
    }

    /// Returns the start of the next column, given the start of this one. `view_counts` has the number of variadic
    /// buffers of each view column, as the record batch states it.
    pub fn next_start(&self, start: ColumnStart, view_counts: &[i64]) -> ColumnStart {
        let mut next = ColumnStart { node: start.node + 1, ..start };
        match self.kind {
            Kind::Float(_) | Kind::Int { .. } => next.buffer += 2,
            Kind::Text { .. } => next.buffer += 3,
            Kind::FixedSizeList { .. } => next.buffer += 1,
            Kind::List { .. } => next.buffer += 2,
            Kind::TextView => next.skip_views(view_counts),
            Kind::Other { has_views: true, .. } => next.skip_views(view_counts),
            Kind::Other { buffer_count, .. } => next.buffer += buffer_count,
        }
        self.children.iter().fold(next, |start, child| child.next_start(start, view_counts))
    }

    /// Returns the element type, if this is a column of lists of floating point numbers.
    pub fn list_element(&self) -> Option<Element> {
        match (self.kind, &self.children[..]) {
            (Kind::FixedSizeList { .. } | Kind::List { .. }, [Self { kind: Kind::Float(element), .. }]) => {
                Some(*element)
            }
            _ => None,
        }
    }

    /// Returns a description of the content, for error messages.
    pub fn description(&self) -> String {
        let children = || self.children.iter().map(Self::description).collect::<Vec<_>>().join(", ");
        match self.kind {
            Kind::Float(_) => "floating point numbers".to_owned(),
            Kind::Int { .. } => "integers".to_owned(),
            Kind::Text { .. } | Kind::TextView => "strings".to_owned(),
            Kind::FixedSizeList { length } => format!("lists of {length} {}", children()),
            Kind::List { .. } => format!("lists of {}", children()),
            Kind::Other { description, .. } => description.to_owned(),
        }
    }
}

impl ColumnStart {
    /// Skips the buffers of a view column: validity, views, and the variadic buffers.
    fn skip_views(&mut self, view_counts: &[i64]) {
        let count = view_counts.get(self.views).and_then(|&count| usize::try_from(count).ok()).unwrap_or(0);
        self.buffer = self.buffer.saturating_add(2).saturating_add(count);
        self.views += 1;
    }
}

impl Kind {
    fn new(kind: TypeRef<'_>) -> Result<Self> {
        let other = |description, buffer_count| Self::Other { description, buffer_count, has_views: false };
        Ok(match kind {
            TypeRef::FloatingPoint(float) => Self::Float(match float.precision()? {
                Precision::Half => Element::F16,
                Precision::Single => Element::F32,
                Precision::Double => Element::F64,
            }),
            TypeRef::Int(int) => match int.bit_width()? {
                bits @ (8 | 16 | 32 | 64) => {
                    Self::Int { width: bits as usize / 8, is_signed: int.is_signed()? }
                }
                _ => other("integers of an unknown width", 2),
            },
            TypeRef::Utf8(_) => Self::Text { has_64_bit_offsets: false },
            TypeRef::LargeUtf8(_) => Self::Text { has_64_bit_offsets: true },
            TypeRef::Utf8View(_) => Self::TextView,
            TypeRef::FixedSizeList(list) => match usize::try_from(list.list_size()?) {
                Ok(length) => Self::FixedSizeList { length },
                Err(_) => other("lists of a negative length", 1),
            },
            TypeRef::List(_) => Self::List { has_64_bit_offsets: false },
            TypeRef::LargeList(_) => Self::List { has_64_bit_offsets: true },
            TypeRef::Null(_) => other("nulls", 0),
            TypeRef::Bool(_) => other("truth values", 2),
            TypeRef::Decimal(_) => other("decimals", 2),
            TypeRef::Date(_) | TypeRef::Time(_) | TypeRef::Timestamp(_) => other("times", 2),
            TypeRef::Interval(_) | TypeRef::Duration(_) => other("durations", 2),
            TypeRef::FixedSizeBinary(_) => other("bytes", 2),
            TypeRef::Binary(_) | TypeRef::LargeBinary(_) => other("bytes", 3),
            TypeRef::BinaryView(_) => Self::Other { description: "bytes", buffer_count: 0, has_views: true },
            TypeRef::Struct(_) => other("a struct", 1),
            TypeRef::Map(_) => other("a map", 2),
            TypeRef::RunEndEncoded(_) => other("run-end encoded values", 0),
            TypeRef::ListView(_) | TypeRef::LargeListView(_) => other("views of lists", 3),
            TypeRef::Union(union) => other("a union", if union.mode()? == UnionMode::Dense { 2 } else { 1 }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column without a name.
    fn field(kind: Kind, children: Vec<Field>) -> Field {
        Field { name: String::new(), kind, children }
    }

    #[test]
    fn a_column_starts_after_the_nodes_and_buffers_of_the_columns_before_it() {
        let float = || field(Kind::Float(Element::F32), vec![]);
        let lists = field(Kind::FixedSizeList { length: 3 }, vec![float()]);
        let before = [
            field(Kind::Text { has_64_bit_offsets: false }, vec![]),
            field(Kind::TextView, vec![]),
            field(
                Kind::Other { description: "a struct", buffer_count: 1, has_views: false },
                vec![float(), lists],
            ),
        ];
        // Nodes: 1 + 1 + (1 + 1 + 2). Buffers: 3 + (2 + 4 variadic) + (1 + 2 + (1 + 2)).
        let start = before.iter().fold(ColumnStart::default(), |start, field| field.next_start(start, &[4]));
        assert_eq!(start, ColumnStart { node: 6, buffer: 15, views: 1 });
    }
}
