//! Calibrates the planner of searches for the instruction set that the kernels use: times both scorers with random
//! queries, and fits the costs (`src/search/planner/costs.rs`) to the times.
//!
//! Prints progress to stderr and one JSON object to stdout: the instruction set, the fitted costs, the ratios of the
//! estimated to the measured times (with the current and with the fitted costs), the ratios of the times of both
//! scorers, and all times. Run it with `npm run bench -- planner`, which writes the costs to the source and the times
//! to a record.

#[path = "../../dense/benches/support/fitting.rs"]
mod fitting;
#[path = "support/passages.rs"]
mod support;

use std::time::Instant;

use control::Control;
use fitting::{least_squares, median, round};
use kernels::impacts::ImpactKernels;
use serde_json::{Value, json};
use sparse::calibration::{Scorer, SearchCosts, SearchWork};
use sparse::{Bm25, Bm25Index, Searcher};
use support::{build, passages};

/// The numbers of passages of the indexes. They are whole multiples of all [`PASSAGES_PER_HIT`].
const SIZES: [u64; 3] = [9_600, 38_400, 96_000];
const KS: [usize; 3] = [10, 100, 1000];
/// The numbers of passages per hit at which both scorers are compared, from the most to the fewest hits.
const PASSAGES_PER_HIT: [usize; 10] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 64];
/// The costs are fitted to searches with at least this many passages per hit.
const MIN_FITTED_PASSAGES_PER_HIT: usize = 16;
/// Upper bounds are chosen where the ratio of their time to that of the exhaustive scorer is at most this. It is below 1
/// because real questions favor the exhaustive scorer more than the random queries do: fewer passages have a term of a
/// real question, so a larger share of these passages become hits.
const MAX_RATIO_FOR_BOUNDS: f64 = 0.85;
const ROUNDS: usize = 5;
/// The number of queries.
const QUERIES: usize = 48;

struct Measured {
    passages: u64,
    query: String,
    k: usize,
    work: SearchWork,
    /// The number of passages that the search with upper bounds scored exactly. The planner assumes `k`.
    candidates: u64,
    upper_bounds: f64,
    exhaustive: f64,
}

fn main() {
    // `cargo bench` passes `--bench`; `cargo test --benches` does not.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let measured: Vec<Measured> = SIZES.iter().flat_map(|&count| measure_index(count)).collect();
    let ratios: Vec<(usize, f64)> =
        PASSAGES_PER_HIT.iter().map(|&per_hit| (per_hit, ratio_of_scorers(&measured, per_hit))).collect();
    let current = *SearchCosts::detect();
    let fitted = fit(&measured, &ratios);
    let output = json!({
        "instructionSet": ImpactKernels::detect().name(),
        "costs": costs_to_json(&fitted),
        "estimateOverTime": { "current": estimates(&measured, &current), "fitted": estimates(&measured, &fitted) },
        "upperBoundsOverExhaustive": ratios.iter().map(|(per_hit, ratio)| json!({
            "passagesPerHit": per_hit, "ratio": ratio,
        })).collect::<Vec<Value>>(),
        "times": measured.iter().map(to_json).collect::<Vec<Value>>(),
    });
    println!("{output}");
}

/// Builds an index of random passages and times all queries in it with both scorers, interleaved.
fn measure_index(count: u64) -> Vec<Measured> {
    eprintln!("{count} passages");
    let folder = build(&passages(count, |at| 30 + at * 7919 % 61));
    let index = Bm25Index::open(&folder.path().join("index")).expect("an intact index");
    let searcher = index.searcher();
    let per_hit = PASSAGES_PER_HIT.iter().map(|&per_hit| count as usize / per_hit);
    let ks: Vec<usize> = KS.into_iter().chain(per_hit).collect();
    let mut measured: Vec<Measured> = queries()
        .iter()
        .flat_map(|query| ks.iter().map(|&k| new_measured(&searcher, count, query, k)))
        .collect();
    let mut times = vec![(Vec::new(), Vec::new()); measured.len()];
    // The first round warms up.
    for round in 0..=ROUNDS {
        for (one, times) in measured.iter().zip(&mut times) {
            let bounds = time(&searcher, Scorer::UpperBounds, one);
            let exhaustive = time(&searcher, Scorer::Exhaustive, one);
            if round > 0 {
                times.0.push(bounds);
                times.1.push(exhaustive);
            }
        }
    }
    for (one, (bounds, exhaustive)) in measured.iter_mut().zip(times) {
        (one.upper_bounds, one.exhaustive) = (median(bounds), median(exhaustive));
    }
    measured
}

fn new_measured(searcher: &Searcher, passages: u64, query: &str, k: usize) -> Measured {
    let work = searcher.work(query, k, Bm25::default()).expect("a query");
    let candidates = searcher.count_candidates(query, k, Bm25::default()).expect("a query");
    let (upper_bounds, exhaustive) = (f64::NAN, f64::NAN);
    Measured { passages, query: query.to_owned(), k, work, candidates, upper_bounds, exhaustive }
}

/// Returns random queries of 1 to 8 terms, some frequent and some rare.
fn queries() -> Vec<String> {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(0xf135_7aea_2e62_a9c5) | 1;
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut query = |terms: usize| -> String {
        // The logarithm of the number in a word is uniformly distributed, as it is for the words of the passages.
        (0..terms).map(|_| format!("word{} ", 20_000f64.powf(random()) as u64)).collect()
    };
    (0..QUERIES).map(|at| query(1 + at % 8)).collect()
}

/// Returns the time of one search in nanoseconds.
fn time(searcher: &Searcher, scorer: Scorer, one: &Measured) -> f64 {
    let control = Control::new();
    let began = Instant::now();
    searcher.search_with_scorer(scorer, &one.query, one.k, Bm25::default(), &control).expect("hits");
    began.elapsed().as_nanos() as f64
}

/// Returns the geometric mean, over the queries, of the ratio of the time with upper bounds to that of the exhaustive
/// scorer, if there are this many passages per hit.
fn ratio_of_scorers(measured: &[Measured], per_hit: usize) -> f64 {
    let at_limit = measured.iter().filter(|one| one.k * per_hit == one.passages as usize);
    let logarithms: Vec<f64> = at_limit.map(|one| (one.upper_bounds / one.exhaustive).ln()).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

/// Fits the costs to the times of the searches for few hits, whose times the planner estimates.
fn fit(measured: &[Measured], ratios: &[(usize, f64)]) -> SearchCosts {
    let with_bounds = |one: &Measured, candidates: u64| {
        let SearchWork { postings, bitmap_groups, scanned_groups, terms, .. } = one.work;
        [1, postings, bitmap_groups, scanned_groups, candidates, candidates * terms].map(|count| count as f64)
    };
    let samples = measured.iter().filter(|one| is_fitted(one)).map(|one| Sample {
        work: with_bounds(one, one.candidates),
        assumed_work: with_bounds(one, one.work.candidates),
        time: one.upper_bounds,
    });
    let [search, per_posting, per_bitmap_group, per_scanned_group, per_candidate, per_candidate_and_term] =
        fit_samples(&samples.collect::<Vec<_>>());
    // The fixed time is that of the fit above, because both scorers look up the same terms.
    let samples = measured.iter().filter(|one| one.exhaustive > 2.0 * search).map(|one| {
        let SearchWork { postings, bitmap_postings, scanned_groups, candidates, .. } = one.work;
        let work = [postings + bitmap_postings, scanned_groups, candidates].map(|count| count as f64);
        Sample { work, assumed_work: work, time: one.exhaustive - search }
    });
    let [per_scored_posting, per_scored_group, per_scored_hit] = fit_samples(&samples.collect::<Vec<_>>());
    // The smallest number of passages per hit from which the ratio stays at or below the maximum.
    let last_above = ratios.iter().rposition(|&(_, ratio)| ratio > MAX_RATIO_FOR_BOUNDS);
    let chosen_from = last_above.map_or(0, |at| (at + 1).min(ratios.len() - 1));
    SearchCosts {
        search,
        per_posting,
        per_bitmap_group,
        per_scanned_group,
        per_candidate,
        per_candidate_and_term,
        per_scored_posting,
        per_scored_group,
        per_scored_hit,
        min_passages_per_hit_for_bounds: ratios[chosen_from].0,
    }
}

/// A measured search. The components of its work are counted in different units.
struct Sample<const N: usize> {
    work: [f64; N],
    /// The work that the planner assumes before the search.
    assumed_work: [f64; N],
    time: f64,
}

/// Fits the time of each unit of work. Least squares of relative errors tend to be too low, so the result is then scaled
/// until half of the searches take longer than the planner would estimate.
fn fit_samples<const N: usize>(samples: &[Sample<N>]) -> [f64; N] {
    let times = least_squares(&samples.iter().map(|sample| (sample.work, sample.time)).collect::<Vec<_>>());
    let estimate =
        |work: &[f64; N]| -> f64 { work.iter().zip(times).map(|(units, time)| units * time).sum() };
    let scale = median(samples.iter().map(|sample| sample.time / estimate(&sample.assumed_work)).collect());
    times.map(|time| round(time * scale))
}

/// Returns whether the costs are fitted to this search: it is for few hits, and there are at least
/// [`MIN_FITTED_PASSAGES_PER_HIT`] passages per hit.
fn is_fitted(one: &Measured) -> bool {
    KS.contains(&one.k) && one.k * MIN_FITTED_PASSAGES_PER_HIT <= one.passages as usize
}

/// For each scorer: the 5th, 50th and 95th percentile of the ratio of the estimated to the measured time of the
/// searches for which the planner chooses it; null if it chooses it for none.
fn estimates(measured: &[Measured], costs: &SearchCosts) -> Value {
    let summarize = |scorer: Scorer| {
        let chosen = |one: &&Measured| costs.scorer(one.passages as usize, one.k) == scorer;
        let time = |one: &Measured| {
            if scorer == Scorer::UpperBounds { one.upper_bounds } else { one.exhaustive }
        };
        let estimated = |one: &Measured| costs.time(scorer, &one.work).as_nanos() as f64;
        let mut ratios: Vec<f64> =
            measured.iter().filter(chosen).map(|one| estimated(one) / time(one)).collect();
        ratios.sort_by(f64::total_cmp);
        let percentile = |percent: usize| ratios.get(ratios.len().saturating_sub(1) * percent / 100);
        json!({ "searches": ratios.len(), "p5": percentile(5), "p50": percentile(50), "p95": percentile(95) })
    };
    json!({ "upperBounds": summarize(Scorer::UpperBounds), "exhaustive": summarize(Scorer::Exhaustive) })
}

fn costs_to_json(costs: &SearchCosts) -> Value {
    json!({
        "search": costs.search,
        "per_posting": costs.per_posting,
        "per_bitmap_group": costs.per_bitmap_group,
        "per_scanned_group": costs.per_scanned_group,
        "per_candidate": costs.per_candidate,
        "per_candidate_and_term": costs.per_candidate_and_term,
        "per_scored_posting": costs.per_scored_posting,
        "per_scored_group": costs.per_scored_group,
        "per_scored_hit": costs.per_scored_hit,
        "min_passages_per_hit_for_bounds": costs.min_passages_per_hit_for_bounds,
    })
}

fn to_json(one: &Measured) -> Value {
    let SearchWork { postings, bitmap_groups, bitmap_postings, scanned_groups, terms, .. } = one.work;
    json!({
        "passages": one.passages, "k": one.k, "terms": terms, "postings": postings, "bitmapGroups": bitmap_groups,
        "bitmapPostings": bitmap_postings, "scannedGroups": scanned_groups, "candidates": one.candidates,
        "upperBounds": one.upper_bounds, "exhaustive": one.exhaustive,
    })
}
