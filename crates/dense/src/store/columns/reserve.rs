/// Reserves space for `additional` values, in huge pages where the system has them: searches read these values at random,
/// and huge pages cost them fewer TLB misses.
pub(crate) fn reserve<T>(values: &mut Vec<T>, additional: usize) {
    if values.capacity() - values.len() < additional {
        values.reserve(additional);
        storage::prefer_huge_pages(values.spare_capacity_mut());
    }
}
