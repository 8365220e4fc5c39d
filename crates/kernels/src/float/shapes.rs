//! Checks of the arguments of [`Kernels`](super::Kernels) and [`HalfKernels`](crate::half::HalfKernels).

/// Panics unless `queries` are `[q * dim]`, `rows` are `[n * dim]` and `values` are `[q * n]`.
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
