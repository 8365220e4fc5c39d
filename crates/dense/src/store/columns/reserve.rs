/// Makes room for `more` values, in pages as large as the system has: what walks fetch from everywhere is found sooner.
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        values.reserve(more);
        storage::prefer_huge_pages(values.spare_capacity_mut());
    }
}
