use polars_arrow_format::ipc::planus::Result;
use polars_arrow_format::ipc::{FieldRef, Precision, SchemaRef, TypeRef, UnionMode};

use crate::element::Element;

/// A column, or what is inside one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub name: String,
    pub kind: Kind,
    pub children: Vec<Field>,
}

/// How a column lies in buffers, with the types that are read; the others are only stepped over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Float(Element),
    /// Bytes of a number.
    Int {
        width: usize,
        signed: bool,
    },
    /// Strings by 32-bit ends, or 64-bit ones.
    Text {
        long: bool,
    },
    /// Strings of 16-byte views.
    TextView,
    FixedSizeList {
        length: usize,
    },
    /// Lists by 32-bit ends, or 64-bit ones.
    List {
        long: bool,
    },
    /// Something else, with its buffers beside those of its children, and of views those counted in the batch.
    Other {
        what: &'static str,
        buffers: usize,
        views: bool,
    },
}

/// Where a column begins among a batch's nodes, buffers and counts of views.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub node: usize,
    pub buffer: usize,
    pub views: usize,
}

impl Field {
    /// The columns of a schema.
    pub fn of_schema(schema: SchemaRef<'_>) -> Result<Vec<Self>> {
        schema.fields()?.into_iter().flatten().map(|field| Self::new(field?, 0)).collect()
    }

    fn new(field: FieldRef<'_>, depth: usize) -> Result<Self> {
        let name = field.name()?.unwrap_or_default().to_owned();
        if field.dictionary()?.is_some() {
            let kind = Kind::Other { what: "a dictionary", buffers: 2, views: false };
            return Ok(Self { name, kind, children: Vec::new() });
        }
        // Deeper than any real one; a damaged schema may nest without end.
        let children = if depth < 64 { field.children()? } else { None };
        let children: Vec<Self> = children
            .into_iter()
            .flatten()
            .map(|child| Self::new(child?, depth + 1))
            .collect::<Result<_>>()?;
        let kind = match field.type_()? {
            Some(kind) => Kind::new(kind)?,
            None => Kind::Other { what: "no type", buffers: 0, views: false },
        };
        Ok(Self { name, kind, children })
    }

    /// The column after `place`, where this one begins. `views` are the batch's counts of buffers of views.
    pub fn after(&self, place: Place, views: &[i64]) -> Place {
        let mut next = Place { node: place.node + 1, ..place };
        match self.kind {
            Kind::Float(_) | Kind::Int { .. } => next.buffer += 2,
            Kind::Text { .. } => next.buffer += 3,
            Kind::FixedSizeList { .. } => next.buffer += 1,
            Kind::List { .. } => next.buffer += 2,
            Kind::TextView => next.skip_views(views),
            Kind::Other { buffers, views: counted, .. } => {
                next.buffer += buffers;
                if counted {
                    next.buffer -= buffers;
                    next.skip_views(views);
                }
            }
        }
        self.children.iter().fold(next, |place, child| child.after(place, views))
    }

    /// The numbers of a column of lists of floating point numbers.
    pub fn list_element(&self) -> Option<Element> {
        match (self.kind, &self.children[..]) {
            (Kind::FixedSizeList { .. } | Kind::List { .. }, [Self { kind: Kind::Float(element), .. }]) => {
                Some(*element)
            }
            _ => None,
        }
    }

    /// What the column has, for error messages.
    pub fn described(&self) -> String {
        let children = || self.children.iter().map(Self::described).collect::<Vec<_>>().join(", ");
        match self.kind {
            Kind::Float(_) => "floating point numbers".to_owned(),
            Kind::Int { .. } => "whole numbers".to_owned(),
            Kind::Text { .. } | Kind::TextView => "strings".to_owned(),
            Kind::FixedSizeList { length } => format!("lists of {length} {}", children()),
            Kind::List { .. } => format!("lists of {}", children()),
            Kind::Other { what, .. } => what.to_owned(),
        }
    }
}

impl Place {
    fn skip_views(&mut self, views: &[i64]) {
        let counted = views.get(self.views).and_then(|&count| usize::try_from(count).ok()).unwrap_or(0);
        self.buffer = self.buffer.saturating_add(2).saturating_add(counted);
        self.views += 1;
    }
}

impl Kind {
    fn new(kind: TypeRef<'_>) -> Result<Self> {
        let other = |what, buffers| Self::Other { what, buffers, views: false };
        Ok(match kind {
            TypeRef::FloatingPoint(float) => Self::Float(match float.precision()? {
                Precision::Half => Element::F16,
                Precision::Single => Element::F32,
                Precision::Double => Element::F64,
            }),
            TypeRef::Int(int) => match int.bit_width()? {
                bits @ (8 | 16 | 32 | 64) => Self::Int { width: bits as usize / 8, signed: int.is_signed()? },
                _ => other("whole numbers of an unknown width", 2),
            },
            TypeRef::Utf8(_) => Self::Text { long: false },
            TypeRef::LargeUtf8(_) => Self::Text { long: true },
            TypeRef::Utf8View(_) => Self::TextView,
            TypeRef::FixedSizeList(list) => match usize::try_from(list.list_size()?) {
                Ok(length) => Self::FixedSizeList { length },
                Err(_) => other("lists of a negative length", 1),
            },
            TypeRef::List(_) => Self::List { long: false },
            TypeRef::LargeList(_) => Self::List { long: true },
            TypeRef::Null(_) => other("nulls", 0),
            TypeRef::Bool(_) => other("truth values", 2),
            TypeRef::Decimal(_) => other("decimals", 2),
            TypeRef::Date(_) | TypeRef::Time(_) | TypeRef::Timestamp(_) => other("times", 2),
            TypeRef::Interval(_) | TypeRef::Duration(_) => other("durations", 2),
            TypeRef::FixedSizeBinary(_) => other("bytes", 2),
            TypeRef::Binary(_) | TypeRef::LargeBinary(_) => other("bytes", 3),
            TypeRef::BinaryView(_) => Self::Other { what: "bytes", buffers: 0, views: true },
            TypeRef::Struct(_) => other("a struct", 1),
            TypeRef::Map(_) => other("a map", 2),
            TypeRef::RunEndEncoded(_) => other("runs", 0),
            TypeRef::ListView(_) | TypeRef::LargeListView(_) => other("views of lists", 3),
            TypeRef::Union(union) => other("a union", if union.mode()? == UnionMode::Dense { 2 } else { 1 }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: Kind, children: Vec<Field>) -> Field {
        Field { name: String::new(), kind, children }
    }

    #[test]
    fn columns_are_found_behind_those_before_them() {
        let float = || field(Kind::Float(Element::F32), vec![]);
        let lists = field(Kind::FixedSizeList { length: 3 }, vec![float()]);
        let before = [
            field(Kind::Text { long: false }, vec![]),
            field(Kind::TextView, vec![]),
            field(Kind::Other { what: "a struct", buffers: 1, views: false }, vec![float(), lists]),
        ];
        // Nodes: 1 + 1 + (1 + 1 + 2). Buffers: 3 + (2 + 4 of the batch) + (1 + 2 + (1 + 2)).
        let place = before.iter().fold(Place::default(), |place, field| field.after(place, &[4]));
        assert_eq!(place, Place { node: 6, buffer: 15, views: 1 });
    }
}
