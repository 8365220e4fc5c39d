//! Calibrates the planner of HNSW searches for the instruction set that the kernels use: times both strategies of each
//! choice on clustered vectors, and finds the costs (`src/hnsw/planner/costs.rs`) with which the planner's choices lose
//! the least time compared with the faster strategies. Rows with sketches and rows without have different costs.
//!
//! Prints progress to stderr and one JSON object to stdout: the instruction set, the costs, the slowdown of the choices
//! relative to the faster strategies (with the current and with the new costs), and all times. Run it with
//! `npm run bench -- planner`, which writes the costs to the source and the times to a record.

#[path = "support/clustered.rs"]
mod clustered;
#[path = "support/fitting.rs"]
mod fitting;

use std::time::Instant;

use clustered::clustered;
use control::Control;
use dense::calibration::{ForcedStrategy, SearchCosts};
use dense::{Filter, HnswIndex, HnswOptions, RowSet, Similarity};
use fitting::{least_squares, median, round};
use kernels::int8::Int8Kernels;
use serde_json::{Value, json};

/// The indexes: number of rows, dimension, option `m`.
const INDEXES: [(usize, usize, usize); 9] = [
    (5_000, 384, 16),
    (10_000, 64, 16),
    (10_000, 128, 8),
    (20_000, 384, 8),
    (20_000, 384, 16),
    (20_000, 384, 32),
    (20_000, 768, 16),
    (20_000, 100, 32),
    (40_000, 128, 16),
];
/// Rows of more dimensions have sketches.
const MAX_DIM_WITHOUT_SKETCHES: usize = 128;
const ROWS_PER_CLUSTER: usize = 25;
/// The number of queries that are searched one by one.
const QUERIES: usize = 64;
/// The number of queries in a batch.
const BATCH: usize = 256;
const ROUNDS: usize = 5;
const K: usize = 10;
/// The numbers of hits of code scans.
const SCAN_KS: [usize; 3] = [10, 100, 400];
const EFS: [usize; 12] = [12, 24, 48, 72, 96, 128, 192, 256, 384, 512, 768, 1024];
const BATCH_EFS: [usize; 7] = [12, 32, 64, 128, 192, 256, 384];
/// The filters allow one in this many rows. Filters that allow fewer rows are left out: for them, a code scan is nearly
/// always faster, and a beam search may give up.
const FILTERS: [u32; 3] = [2, 4, 8];

/// Searches of one kind in one index. The times are those of one query, in nanoseconds.
struct Measured {
    rows: usize,
    dim: usize,
    m: usize,
    /// One in this many rows is allowed.
    filter: u32,
    k: usize,
    ef: usize,
    strategy: ForcedStrategy,
    is_batch: bool,
    time: f64,
}

impl Measured {
    fn allowed(&self) -> usize {
        self.rows.div_ceil(self.filter as usize)
    }

    fn is_of_index(&self, other: &Self) -> bool {
        (self.rows, self.dim, self.m) == (other.rows, other.dim, other.m)
    }

    fn is_beam_search(&self) -> bool {
        self.strategy == ForcedStrategy::BeamSearch && !self.is_batch
    }
}

fn main() {
    // `cargo bench` passes `--bench`; `cargo test --benches` does not.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let measured: Vec<Measured> =
        INDEXES.iter().flat_map(|&(rows, dim, m)| measure_index(rows, dim, m)).collect();
    let group = |have_sketches: bool| -> Vec<&Measured> {
        measured.iter().filter(|one| (one.dim > MAX_DIM_WITHOUT_SKETCHES) == have_sketches).collect()
    };
    let [with_sketches, without_sketches] = [true, false].map(|have_sketches| {
        let measured = group(have_sketches);
        let (choices, costs) = (Choices::new(&measured), find_costs(&measured));
        let slowdown = json!({
            "current": choices.summary(SearchCosts::detect(have_sketches)),
            "new": choices.summary(&costs),
        });
        (costs_to_json(&costs), slowdown)
    });
    let output = json!({
        "instructionSet": Int8Kernels::detect().name(),
        "costs": { "with_sketches": with_sketches.0, "without_sketches": without_sketches.0 },
        "slowdown": { "with_sketches": with_sketches.1, "without_sketches": without_sketches.1 },
        "times": measured.iter().map(to_json).collect::<Vec<Value>>(),
    });
    println!("{output}");
}

/// Builds an index of clustered vectors and times all kinds of searches in it, interleaved.
fn measure_index(rows: usize, dim: usize, m: usize) -> Vec<Measured> {
    eprintln!("{rows} rows of {dim} dimensions, m = {m}");
    let mut vectors = clustered(rows + BATCH, dim, rows / ROWS_PER_CLUSTER);
    let queries = vectors.split_off(rows * dim);
    let options = HnswOptions { m, ..HnswOptions::default() };
    let mut index = HnswIndex::new(dim, Similarity::Dot, options, Value::Null).expect("valid options");
    let ids = (0..rows).map(|row| row.to_string()).collect();
    index.add(ids, &vectors, 0, &Control::new()).expect("valid rows");

    let mut kinds = Vec::new();
    let mut kind = |strategy, filter, k, ef, is_batch| {
        kinds.push(Measured { rows, dim, m, filter, k, ef, strategy, is_batch, time: f64::NAN });
    };
    SCAN_KS.iter().for_each(|&k| kind(ForcedStrategy::CodeScan, 1, k, 1, false));
    EFS.iter().for_each(|&ef| kind(ForcedStrategy::BeamSearch, 1, K, ef, false));
    for filter in FILTERS {
        kind(ForcedStrategy::CodeScan, filter, K, 1, false);
        EFS.iter().for_each(|&ef| kind(ForcedStrategy::BeamSearch, filter, K, ef, false));
    }
    kind(ForcedStrategy::BatchCodeScan, 1, K, 1, true);
    BATCH_EFS.iter().for_each(|&ef| kind(ForcedStrategy::BeamSearch, 1, K, ef, true));

    let mut times = vec![Vec::new(); kinds.len()];
    // The first round warms up.
    for round in 0..=ROUNDS {
        for (kind, times) in kinds.iter().zip(&mut times) {
            let time = time_per_query(&index, &queries, kind);
            if round > 0 {
                times.push(time);
            }
        }
    }
    for (kind, times) in kinds.iter_mut().zip(times) {
        kind.time = median(times);
    }
    kinds
}

/// Returns the time of one query in nanoseconds.
fn time_per_query(index: &HnswIndex, queries: &[f32], kind: &Measured) -> f64 {
    let allowed: Option<RowSet> = (kind.filter > 1)
        .then(|| (0..kind.rows as u32).filter(|row| row.is_multiple_of(kind.filter)).collect());
    let search = |queries: &[f32]| {
        let filter = allowed.as_ref().map(|allowed| allowed as Filter);
        let control = Control::new();
        index
            .search_with_strategy(kind.strategy, queries, kind.k, kind.ef, filter, &control)
            .expect("valid queries")
    };
    let began = Instant::now();
    let count = if kind.is_batch {
        search(queries).len()
    } else {
        queries.chunks(kind.dim).take(QUERIES).map(|query| search(query).len()).sum()
    };
    began.elapsed().as_nanos() as f64 / count as f64
}

/// A choice between a beam search and a scan of codes.
struct Choice<'a> {
    beam: &'a Measured,
    scan: &'a Measured,
}

impl Choice<'_> {
    /// Returns the time of a strategy divided by that of the faster one.
    fn slowdown(&self, prefers_scan: bool) -> f64 {
        let chosen = if prefers_scan { self.scan.time } else { self.beam.time };
        chosen / self.beam.time.min(self.scan.time)
    }

    /// Returns the slowdown of the strategy that the planner chooses.
    fn slowdown_with(&self, costs: &SearchCosts) -> f64 {
        let Measured { rows, m, k, ef, filter, is_batch, .. } = *self.beam;
        self.slowdown(if is_batch {
            costs.prefer_batch_code_scan(rows, ef)
        } else if filter > 1 {
            costs.prefer_filtered_code_scan(self.beam.allowed(), ef.max(k + k / 4))
        } else {
            costs.prefer_code_scan(rows, k, ef, m)
        })
    }
}

/// The choices between the measured searches, by kind.
struct Choices<'a> {
    single: Vec<Choice<'a>>,
    filtered: Vec<Choice<'a>>,
    batch: Vec<Choice<'a>>,
}

impl<'a> Choices<'a> {
    fn new(measured: &[&'a Measured]) -> Self {
        let (mut single, mut filtered, mut batch) = (vec![], vec![], vec![]);
        for &beam in measured.iter().filter(|one| one.strategy == ForcedStrategy::BeamSearch) {
            let is_scan = |one: &&&Measured| {
                one.strategy != ForcedStrategy::BeamSearch
                    && one.is_of_index(beam)
                    && (one.is_batch, one.filter, one.k) == (beam.is_batch, beam.filter, beam.k)
            };
            let scan = measured.iter().find(is_scan).expect("both strategies are measured");
            let kind = match (beam.is_batch, beam.filter) {
                (true, _) => &mut batch,
                (false, 1) => &mut single,
                (false, _) => &mut filtered,
            };
            kind.push(Choice { beam, scan });
        }
        Self { single, filtered, batch }
    }

    /// For each kind of choice: how many choices there are, how many choose the slower strategy, and the mean and the
    /// largest slowdown.
    fn summary(&self, costs: &SearchCosts) -> Value {
        let summarize = |choices: &[Choice]| {
            let slowdowns: Vec<f64> = choices.iter().map(|choice| choice.slowdown_with(costs)).collect();
            json!({
                "choices": slowdowns.len(),
                "slower": slowdowns.iter().filter(|&&slowdown| slowdown > 1.0).count(),
                "mean": slowdowns.iter().sum::<f64>() / slowdowns.len() as f64,
                "max": slowdowns.iter().copied().fold(1.0, f64::max),
            })
        };
        json!({
            "search": summarize(&self.single),
            "filtered": summarize(&self.filtered),
            "batch": summarize(&self.batch),
        })
    }
}

/// Finds the costs with the smallest mean slowdown (the geometric mean). Starts from the costs that fit the times best,
/// which are not the same: far from the break-even point of two strategies, the fit need not be good.
fn find_costs(measured: &[&Measured]) -> SearchCosts {
    let (mut per_hit, mut beams, mut filtered_beams) = (vec![], vec![], vec![]);
    let (mut per_expansion, mut per_batch_row) = (vec![], vec![]);
    for first in measured.iter().filter(|one| one.strategy == ForcedStrategy::BatchCodeScan) {
        let of_index: Vec<&&Measured> = measured.iter().filter(|one| one.is_of_index(first)).collect();
        let scans = of_index.iter().filter(|one| one.strategy == ForcedStrategy::CodeScan);
        let scans: Vec<_> = scans.map(|one| ([one.allowed() as f64, one.k as f64], one.time)).collect();
        // The unit: the time in which a code scan scores one row.
        let [unit, time_per_hit] = least_squares(&scans);
        per_hit.push(time_per_hit / unit);
        for one in of_index.iter().filter(|one| one.is_beam_search()) {
            let (ef, cost) = (one.ef as f64, one.time / unit);
            if one.filter == 1 {
                beams.push(([1.0, ef, ef * one.m as f64], cost));
            } else {
                filtered_beams.push(([1.0, ef], cost));
            }
        }
        let batch_beams =
            of_index.iter().filter(|one| one.is_batch && one.strategy == ForcedStrategy::BeamSearch);
        let batch_beams: Vec<_> = batch_beams.map(|one| ([1.0, one.ef as f64], one.time)).collect();
        let [_, time_per_expansion] = least_squares(&batch_beams);
        let time_per_batch_row = first.time / first.rows as f64;
        per_expansion.push(time_per_expansion / time_per_batch_row);
        per_batch_row.push(time_per_batch_row / unit);
    }
    let choices = Choices::new(measured);
    let loss = |choices: &[Choice], costs: &SearchCosts| -> f64 {
        choices.iter().map(|choice| choice.slowdown_with(costs).ln()).sum()
    };
    let start = SearchCosts {
        beam: 0.0,
        beam_per_candidate: 0.0,
        beam_per_candidate_and_m: 0.0,
        filtered_beam: 0.0,
        filtered_beam_per_candidate: 0.0,
        scan_per_hit: round(median(per_hit)) as usize,
        batch_rows_per_expansion: 0,
        batch_scan_per_row: round(median(per_batch_row)),
    };
    let with_beams = |[beam, beam_per_candidate, beam_per_candidate_and_m]: [f64; 3]| SearchCosts {
        beam,
        beam_per_candidate,
        beam_per_candidate_and_m,
        ..start
    };
    let beams =
        with_beams(minimize(least_squares(&beams), |costs| loss(&choices.single, &with_beams(costs))));
    let with_filtered = |[filtered_beam, filtered_beam_per_candidate]: [f64; 2]| SearchCosts {
        filtered_beam,
        filtered_beam_per_candidate,
        ..beams
    };
    let filtered =
        minimize(least_squares(&filtered_beams), |costs| loss(&choices.filtered, &with_filtered(costs)));
    let filtered = with_filtered(filtered);
    let with_batch = |[rows]: [f64; 1]| SearchCosts { batch_rows_per_expansion: rows as usize, ..filtered };
    with_batch(minimize([median(per_expansion)], |costs| loss(&choices.batch, &with_batch(costs))))
}

/// Returns the values with a low loss, rounded to two significant digits. Starts at `start`, multiplies each value by
/// one of several factors, with all combinations of factors, and repeats this as long as the loss becomes smaller.
fn minimize<const N: usize>(start: [f64; N], loss: impl Fn([f64; N]) -> f64) -> [f64; N] {
    const FACTORS: [f64; 9] = [1.0, 0.5, 0.7, 0.8, 0.9, 1.1, 1.25, 1.4, 2.0];
    let mut best = start.map(round);
    let mut lowest = loss(best);
    loop {
        let mut next = best;
        for combination in 0..FACTORS.len().pow(N as u32) {
            let factor = |at: usize| FACTORS[combination / FACTORS.len().pow(at as u32) % FACTORS.len()];
            let candidate = std::array::from_fn(|at| round(best[at] * factor(at)));
            let candidate_loss = loss(candidate);
            if candidate_loss < lowest - 1e-9 {
                (next, lowest) = (candidate, candidate_loss);
            }
        }
        if next == best {
            return best;
        }
        best = next;
    }
}

fn costs_to_json(costs: &SearchCosts) -> Value {
    json!({
        "beam": costs.beam,
        "beam_per_candidate": costs.beam_per_candidate,
        "beam_per_candidate_and_m": costs.beam_per_candidate_and_m,
        "filtered_beam": costs.filtered_beam,
        "filtered_beam_per_candidate": costs.filtered_beam_per_candidate,
        "scan_per_hit": costs.scan_per_hit,
        "batch_rows_per_expansion": costs.batch_rows_per_expansion,
        "batch_scan_per_row": costs.batch_scan_per_row,
    })
}

fn to_json(one: &Measured) -> Value {
    json!({
        "rows": one.rows, "dim": one.dim, "m": one.m, "allowed": one.allowed(), "k": one.k, "ef": one.ef,
        "strategy": format!("{:?}", one.strategy), "batch": one.is_batch, "nanoseconds": one.time.round(),
    })
}
