//! The output of a reader for one passage ([`Window`]), the best spans in it ([`best_spans`]), and the part of it that
//! all scorings need ([`StoredReading`]).

mod spans;
mod stored_reading;
mod window;

pub use spans::{Span, SpanLimits, best_spans};
pub use stored_reading::{LogitSum, StoredReading, StoredSpan};
pub use window::{Relevance, Window};
