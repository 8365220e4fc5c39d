/// Reserves space for `additional` values, in huge pages if the system has them. Searches read the values at random
/// positions, and huge pages cause fewer TLB misses.
pub(crate) fn reserve<T>(values: &mut Vec<T>, additional: usize) {
    if values.capacity() - values.len() < additional {
        values.reserve(additional);
        storage::prefer_huge_pages(values.spare_capacity_mut());
    }
}
