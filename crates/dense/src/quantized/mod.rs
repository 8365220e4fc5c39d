//! Codes of 8 bits beside the vectors, which rule out most rows of a search.
//!
//! A row `x` has codes `c` of −127 to 127 and a scale `s`, so that `x̂ = s·c` is near it; the shadow keeps `|x − x̂|` and
//! `|x|`, rounded up. A query becomes `q̂`, integers times a scale, too. By Cauchy and Schwarz
//! `|q·x − q̂·x̂| ≤ |q|·|x − x̂| + |q − q̂|·|x̂|`, and `q̂·x̂` is an integer product with two factors: that bounds every
//! score from above and below (`query`). A row whose upper bound is below the `k`-th best lower bound is not among the
//! `k` best (`scan`); the others are scored as without a shadow, the most promising first (`candidates`).

mod candidates;
mod quantized_rows;
mod score_bounds;
mod search;

pub(crate) use quantized_rows::Shadow;
pub(crate) use search::{search, search_many};
