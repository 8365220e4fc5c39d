//! What a reader outputs for a passage, and the part of it that scoring needs.

mod spans;
mod stored_reading;
mod window;

pub use spans::{Span, SpanLimits, best_spans};
pub use stored_reading::{LogitSum, StoredReading, StoredSpan};
pub use window::{Relevance, Window};
