//! Exact search in flat indexes with the storage `int8Rescored`: a first pass over an int8 copy
//! of the vectors rules out most rows, and a second pass scores the others by their vectors.
//!
//! Besides its vector, each row has 8-bit codes. A search first computes an upper and a lower bound on every row's
//! score from its codes, which takes a quarter of the memory traffic of scoring the vectors. It then scores the vectors
//! of only those rows that may be among the `k` best. Hits and scores equal those of a scan of all vectors, bit for
//! bit.
//!
//! **Bound.** A row `x` is approximated by `x̂ = s·c`: a scale `s` times codes `c`, which are integers from −127 to
//! 127. The row's *error* `e` is an upper bound on `|x − x̂|`, and its *length* `n` an upper bound on `|x|`. A query
//! `q` is approximated by `q̂ = t·w` in the same way, with a scale `t` and integers `w`; `ε` is an upper bound on
//! `|q − q̂|`. Then
//!
//! ```text
//! q·x − q̂·x̂ = q·(x − x̂) + (q − q̂)·x̂
//! |q·x − q̂·x̂| ≤ |q|·e + ε·|x̂|             by the Cauchy–Schwarz inequality
//!              ≤ (|q| + ε)·e + ε·n          because |x̂| ≤ n + e
//! ```
//!
//! and `q̂·x̂ = t·s·(w·c)` is an inner product of integers times two scales. `score_bounds.rs` adds the rounding errors
//! of floating-point arithmetic.
//!
//! - [`QuantizedRows`] holds the codes, scales, errors and lengths of all rows.
//! - `score_bounds` quantizes queries and derives the bounds on scores.
//! - `search` collects the rows whose upper bound reaches the `k`-th best lower bound; `candidates` keeps these rows
//!   and scores their vectors.

mod candidates;
mod quantized_rows;
mod score_bounds;
mod search;

pub(crate) use quantized_rows::QuantizedRows;
pub(crate) use search::{RowsWithCodes, search, search_many};
