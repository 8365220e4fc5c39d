/// A set of rows by their ords, one bit per row: for example, the deleted rows, or the rows that a
/// [`Filter`](crate::Filter) allows.
///
/// ```
/// use control::Control;
/// use dense::{FlatIndex, RowSet, Similarity};
///
/// let mut index = FlatIndex::new(1, Similarity::Dot, serde_json::Value::Null)?;
/// index.add(vec!["a".into(), "b".into(), "c".into()], &[3.0, 2.0, 1.0])?;
/// let allowed: RowSet = ["c", "b", "nobody"].iter().filter_map(|id| index.ord(id)).collect();
/// assert_eq!((allowed.len(), allowed.share(index.len())), (2, 2.0 / 3.0));
///
/// let filter = |row| allowed.contains(row);
/// let hits = index.search_filtered(&[1.0], 5, Some(&filter), &Control::new())?;
/// assert_eq!(hits.iter().map(|hit| index.id(hit.ord)).collect::<Vec<_>>(), ["b", "c"]);
/// # Ok::<(), dense::Error>(())
/// ```
pub type RowSet = ranking::BitSet;
