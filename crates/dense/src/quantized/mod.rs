//! The int8 copy of a flat index's rows, as a prefilter with a proven bound.
//!
//! Besides its vector, a row has 8-bit codes. A search first bounds the score of every row from above and below by its codes,
//! which takes a quarter of the memory traffic, and then scores the vectors of the rows that may be among the `k` best. Hits
//! and scores are those of a scan of all vectors, bit for bit.
//!
//! **Bound.** A row `x` has codes `c`, integers of −127 to 127, and a scale `s`: `x̂ = s·c` is near it. Its *error* `e` is an
//! upper bound of `|x − x̂|`, its *length* `n` an upper bound of `|x|`. A query `q` becomes `q̂ = t·w`, integers `w` and a scale
//! `t`, with `ε` an upper bound of `|q − q̂|`. Then
//!
//! ```text
//! q·x − q̂·x̂ = q·(x − x̂) + (q − q̂)·x̂
//! |q·x − q̂·x̂| ≤ |q|·e + ε·|x̂|             by the Cauchy–Schwarz inequality
//!              ≤ (|q| + ε)·e + ε·n          because |x̂| ≤ n + e
//! ```
//!
//! and `q̂·x̂ = t·s·(w·c)` is an integer product times two scales. `score_bounds.rs` adds what rounding costs.
//!
//! - [`QuantizedRows`] holds codes, scales, errors and lengths.
//! - `score_bounds` quantizes queries and derives their bounds.
//! - `search` finds the rows whose upper bound reaches the `k`-th best lower bound; `candidates` keeps and scores them.

mod candidates;
mod quantized_rows;
mod score_bounds;
mod search;

pub(crate) use quantized_rows::QuantizedRows;
pub(crate) use search::{PrefilteredRows, search, search_many};
