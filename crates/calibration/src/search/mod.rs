//! Finds the temperature with the smallest squared calibration error of an ensemble's fused predictions.
//!
//! Every confidence is a smooth, falling function of u = ln T, and so is the confidence of the most confident model. The error is
//! therefore smooth except at breakpoints: where a confidence moves into the next bin, and where another model becomes the
//! most confident one. The search computes all breakpoints, by root finding between neighboring values of a grid over u
//! ([`question`], [`curve`]). Between two breakpoints the error is a sum of squared gaps, one per bin. A gap is a falling sum
//! of confidences, which are interpolated by cubics; branch and bound finds the minimum of the error ([`segment`]). The lowest minima are computed
//! again without interpolation, and the smallest is returned.

mod curve;
mod question;
mod root;
mod segment;

use control::Control;

use crate::Ensemble;
use crate::descent::Step;
use crate::error::Error;
use curve::Odds;
use question::{Piece, Question, Rival, pieces, winner};
use segment::{Cubic, Segment, cubic};

/// The temperature with the smallest squared calibration error.
pub type Temperature = Step;

/// Maximum number of bins of a search, which visits up to one breakpoint per bin and question.
pub const MAX_SEARCH_BINS: usize = 1000;

/// Number of evenly spaced intervals of the grid over u.
const INTERVALS: usize = 256;
/// The grid extends this many powers of ten to either side of the scores' spread.
const DECADES: f64 = 4.0;
/// Number of minima that are computed again without interpolation.
const MAX_CANDIDATES: usize = 32;
/// Minima above the smallest by more than this factor are not candidates.
const NEAR: f64 = 1.01;
/// Segments narrower than this, in u, are skipped: their breakpoints are equal up to rounding.
const MIN_SEGMENT: f64 = 1e-11;
/// How many questions are prepared between two checks for cancellation.
const QUESTIONS_PER_CHECK: usize = 4096;

/// Finds the temperature with the smallest squared calibration error within eight powers of ten around the spread of the scores,
/// which is the mean difference between the best score of a question and the others. It needs neither a start nor a step size.
/// The error of the returned temperature is at most 1.001 times the minimum (for random data, compared with 100,000 temperatures each).
/// If several temperatures have the same error, it returns the lowest. Progress counts intervals of temperatures.
///
/// # Errors
///
/// [`Error::Argument`] for no bins or more than [`MAX_SEARCH_BINS`]; [`Error::Cancelled`].
pub fn search(ensemble: &Ensemble<'_>, bins: usize, control: &Control) -> Result<Temperature, Error> {
    if !(1..=MAX_SEARCH_BINS).contains(&bins) {
        return Err(Error::argument("bins", format!("1 to {MAX_SEARCH_BINS} for a search"), bins));
    }
    control.set_total(INTERVALS as u64);
    let exact = |temperature: f64| -> Result<Step, Error> {
        Ok(Step { temperature, error: ensemble.squared_error(temperature, bins)?.0 })
    };
    let middle = spread(ensemble).ln();
    let width = 2.0 * DECADES * std::f64::consts::LN_10 / INTERVALS as f64;
    let node = |at: usize| middle + (at as f64 - INTERVALS as f64 / 2.0) * width;

    let mut questions = Vec::with_capacity(ensemble.question_count());
    for question in 0..ensemble.question_count() {
        if question % QUESTIONS_PER_CHECK == 0 {
            control.check()?;
        }
        questions.push(Question::new(ensemble, question));
    }
    let mut sweep = Sweep::new(&questions, bins);
    let mut low = sweep.odds(node(0), control)?;
    for at in 0..INTERVALS {
        let high = sweep.odds(node(at + 1), control)?;
        sweep.interval((node(at), &low), (node(at + 1), &high));
        control.advance(1);
        low = high;
    }
    let mut best = exact(middle.exp())?;
    for candidate in sweep.candidates() {
        control.check()?;
        let step = exact(candidate.exp())?;
        if step.error < best.error || (step.error == best.error && step.temperature < best.temperature) {
            best = step;
        }
    }
    Ok(best)
}

/// A change of a question's prediction: from u on, `rival` predicts and its confidence is in `bin`.
#[derive(Debug, Clone, Copy)]
struct Breakpoint {
    u: f64,
    question: usize,
    rival: usize,
    bin: usize,
}

/// The state of a search, which visits the intervals from low to high temperatures.
struct Sweep<'q> {
    questions: &'q [Question],
    bins: usize,
    segment: Segment,
    breakpoints: Vec<Breakpoint>,
    pieces: Vec<Piece>,
    /// The smallest interpolated error so far.
    best: f64,
    /// Minima of segments, as pairs of the error and u.
    minima: Vec<(f64, f64)>,
}

impl<'q> Sweep<'q> {
    fn new(questions: &'q [Question], bins: usize) -> Self {
        Self {
            questions,
            bins,
            segment: Segment::new(bins, questions.len()),
            breakpoints: Vec::new(),
            pieces: Vec::new(),
            best: f64::INFINITY,
            minima: Vec::new(),
        }
    }

    /// The odds of all rivals of all questions, one question after the other.
    fn odds(&self, u: f64, control: &Control) -> Result<Vec<Odds>, Error> {
        let mut odds = Vec::new();
        for questions in self.questions.chunks(QUESTIONS_PER_CHECK) {
            control.check()?;
            let rivals = questions.iter().flat_map(rivals);
            odds.extend(rivals.map(|rival| rival.curve.at(u)));
        }
        Ok(odds)
    }

    /// Searches the interval between two nodes of the grid.
    fn interval(&mut self, (low, at_low): (f64, &[Odds]), (high, at_high): (f64, &[Odds])) {
        let width = high - low;
        self.segment.clear();
        self.breakpoints.clear();
        // For each question, the position of its first rival's odds (`firsts`), and its current rival and bin (`states`).
        let mut firsts = Vec::with_capacity(self.questions.len());
        let mut states = Vec::with_capacity(self.questions.len());
        let mut first = 0;
        let cubic_of = |rival: usize| -> Cubic {
            let end = |odds: &[Odds]| {
                let (confidence, slope) = odds[rival].confidence();
                (confidence, slope * width)
            };
            cubic(end(at_low), end(at_high))
        };
        for (at, question) in self.questions.iter().enumerate() {
            firsts.push(first);
            let rivals = match question {
                Question::Constant { confidence, correct } => {
                    self.segment.add(place(*confidence, self.bins), [*confidence, 0.0, 0.0, 0.0], *correct);
                    states.push((0, 0));
                    continue;
                }
                Question::Rivals(rivals) => rivals,
            };
            let (ours_low, ours_high) = (&at_low[first..][..rivals.len()], &at_high[first..][..rivals.len()]);
            let rival = winner(ours_low);
            let bin = place(ours_low[rival].confidence().0, self.bins);
            self.segment.add(bin, cubic_of(first + rival), rivals[rival].correct);
            states.push((rival, bin));
            self.pieces.clear();
            pieces(rivals, (low, ours_low), (high, ours_high), &mut self.pieces);
            self.find_breakpoints(at, rivals, (rival, bin));
            first += rivals.len();
        }
        self.breakpoints.sort_by(|a, b| a.u.total_cmp(&b.u));
        let breakpoints = std::mem::take(&mut self.breakpoints);
        let mut from = low;
        for &Breakpoint { u, question, rival, bin } in &breakpoints {
            self.between(from, u, low, width);
            from = u;
            let Question::Rivals(rivals) = &self.questions[question] else { continue };
            let (old, old_bin) = std::mem::replace(&mut states[question], (rival, bin));
            let first = firsts[question];
            self.segment.remove(old_bin, cubic_of(first + old), rivals[old].correct);
            self.segment.add(bin, cubic_of(first + rival), rivals[rival].correct);
        }
        self.between(from, high, low, width);
        self.breakpoints = breakpoints;
    }

    /// Adds the breakpoints of a question in all of `pieces`, given its rival and bin at the start of the first piece.
    fn find_breakpoints(&mut self, question: usize, rivals: &[Rival], (mut rival, mut bin): (usize, usize)) {
        for piece in &self.pieces {
            let curve = &rivals[piece.rival].curve;
            let start = place(curve.at(piece.low).confidence().0, self.bins);
            if piece.rival != rival || start != bin {
                (rival, bin) = (piece.rival, start);
                self.breakpoints.push(Breakpoint { u: piece.low, question, rival, bin });
            }
            let end = place(curve.at(piece.high).confidence().0, self.bins);
            while bin > end {
                let u = curve.falls_to(bin as f64 / self.bins as f64, piece.low, piece.high);
                bin -= 1;
                self.breakpoints.push(Breakpoint { u, question, rival, bin });
            }
        }
    }

    /// Searches the segment between two neighboring breakpoints, in the interval that begins at `low` and has this width.
    fn between(&mut self, from: f64, to: f64, low: f64, width: f64) {
        if to - from < MIN_SEGMENT {
            return;
        }
        // Stay inside the segment, so that rounding cannot move a prediction to another bin.
        let inset = (1e-9f64).min((to - from) / 4.0);
        let place = |u: f64| (u - low) / width;
        let near = self.best * NEAR + f64::MIN_POSITIVE;
        if let Some((error, s)) = self.segment.minimum(place(from + inset), place(to - inset), near) {
            self.best = self.best.min(error);
            self.minima.push((error, low + s * width));
        }
    }

    /// The u of the lowest minima, lowest error first.
    fn candidates(&mut self) -> impl Iterator<Item = f64> {
        let near = self.best * NEAR + f64::MIN_POSITIVE;
        self.minima.retain(|&(error, _)| error <= near);
        self.minima.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.minima.iter().take(MAX_CANDIDATES).map(|&(_, u)| u)
    }
}

fn rivals(question: &Question) -> &[Rival] {
    match question {
        Question::Constant { .. } => &[],
        Question::Rivals(rivals) => rivals,
    }
}

/// The same as [`Bins::place`](crate::Bins::place).
fn place(confidence: f64, bins: usize) -> usize {
    ((confidence * bins as f64) as usize).min(bins - 1)
}

/// The mean difference between the best score of a question and the others, over all models; 1 if all are the same.
fn spread(ensemble: &Ensemble<'_>) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for scores in ensemble.models().iter().flat_map(|model| model.each()) {
        let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let found = scores.iter().filter(|score| score.is_finite());
        sum += found.clone().map(|&score| f64::from(max) - f64::from(score)).sum::<f64>();
        count += found.count().saturating_sub(1);
    }
    if sum > 0.0 { sum / count.max(1) as f64 } else { 1.0 }
}
