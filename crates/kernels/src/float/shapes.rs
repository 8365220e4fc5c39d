//! Checks of the arguments of [`Kernels`](super::Kernels) and [`HalfKernels`](crate::half::HalfKernels).

/// Panics unless `dim` is at least 1, and the lengths of `queries`, `rows` and `values` are `q * dim`, `n * dim` and
/// `q * n` for some q and n. Messages begin with `operation`, the name of the caller.
pub(crate) fn check_shapes<T>(operation: &str, dim: usize, queries: &[f32], rows: &[T], values: &[f32]) {
    assert!(dim > 0, "{operation}: expected a dimension of 1 or more, got 0");
    for (what, length) in [("queries", queries.len()), ("rows", rows.len())] {
        assert!(length % dim == 0, "{operation}: expected {what} of dimension {dim}, got {length} values");
    }
    let (queries, rows) = (queries.len() / dim, rows.len() / dim);
    let got = values.len();
    assert!(
        queries.checked_mul(rows) == Some(got),
        "{operation}: expected room for {queries} times {rows} values, got {got}"
    );
}
