//! The output of a reader for one passage or a part of it ([`Window`]), the selection of the best spans
//! ([`best_spans`]), and the part of the output that all scorings need ([`StoredReading`]).

mod spans;
mod stored_reading;
mod window;

pub use spans::{Span, SpanLimits, best_spans};
pub use stored_reading::{LogitSum, StoredReading, StoredSpan};
pub use window::{Relevance, Window};
