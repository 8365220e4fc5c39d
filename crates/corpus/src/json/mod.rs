//! Reads JSON files item by item, so that only one item at a time is in memory.
//!
//! [`JsonItems`] reads the elements of an array or the values of an object, even if the file is larger than memory.
//! [`JsonRecords`] reads the objects of a file that has one object per line (JSON lines) or one array of objects.
//! [`fields`] has types for fields that data sets write in several ways.

mod context;
mod fields;
mod items;
mod parse;
mod records;
mod value_scanner;

pub(crate) use context::Context;
pub(crate) use fields::{Answers, First, Id, Score, Text};
pub(crate) use items::{JsonItems, Shape};
pub(crate) use parse::parse_line;
pub(crate) use records::JsonRecords;
