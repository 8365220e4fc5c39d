//! The search of rows that are too few for a walk, and too many to score each.

use control::{Cancelled, Control};
use ranking::{Hit, TopK, by_rank};

use super::closeness::{Closeness, Work};
use super::codes::Target;
use super::rescore::DEVIATIONS;

/// Rows compared at once.
const BLOCK: usize = 256;

/// Of these rows those that may be among the `k` best as their codes have it, the nearest first: a row is left out if `k`
/// others are nearer though they were judged too near and it too far by [`DEVIATIONS`].
pub(crate) fn sweep(
    closeness: &Closeness,
    target: &Target,
    mut rows: impl Iterator<Item = u32>,
    k: usize,
    control: &Control,
    work: &mut Work,
) -> Result<Vec<Hit>, Cancelled> {
    let codes = closeness.codes();
    let (mut low, mut high) = (TopK::new(k), Vec::new());
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        control.check()?;
        block.clear();
        block.extend(rows.by_ref().take(BLOCK).inspect(|&row| codes.prefetch(row)));
        if block.is_empty() {
            break;
        }
        closeness.all(target, &block, work);
        for (&ord, &score) in block.iter().zip(&work.closeness) {
            let off = DEVIATIONS * codes.deviation(target, ord);
            low.push(Hit { ord, score: score - off });
            if low.threshold().is_none_or(|least| score + off >= least.score) {
                high.push((Hit { ord, score }, score + off));
            }
        }
    }
    let least = low.threshold().map_or(f32::NEG_INFINITY, |least| least.score);
    let mut candidates: Vec<Hit> =
        high.into_iter().filter(|&(_, high)| high >= least).map(|(hit, _)| hit).collect();
    candidates.sort_unstable_by(by_rank);
    Ok(candidates)
}
