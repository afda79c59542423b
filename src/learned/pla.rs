//! Piecewise linear approximation of block numbers, with a bound that is constructed and verified.
//!
//! Input: bands in ascending `x`; the block number predicted at `x` must lie in `[hi - 1, lo + 1]`, where
//! `lo..=hi` are the blocks with a boundary at `x`. So `[p - 1, p + 1]` covers all of them, and two
//! neighbours of a query that lies between two bands bound its prediction, because a piece is monotone:
//!
//!     above(dx) = fl(fl(dx) * slope) + y0 / 256        slope >= 0 (I2)
//!
//! Conversion, product, sum and floor never decrease when `dx` grows, whatever they round. There must be
//! no fused multiply-add here: builder and reader share this one expression, and every piece is
//! verified with it (I3). A piece that does not hold is cut in half; one band alone always holds.
//!
//! The fewest pieces for given bands come from O'Rourke's method: the lines that pass through all bands so
//! far are bounded by a steepest and a flattest one, each touching two convex hulls of band ends.
#![forbid(unsafe_code)]

/// What the model must say about the keys that project to `x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) x: u64,
    /// The first block with a boundary at `x`.
    pub(super) lo: u32,
    /// The last one.
    pub(super) hi: u32,
    /// The first block whose first key is at `x` or above.
    pub(super) first: u32,
}

/// A line, relative to the piece's first `x` and to `first` of its first band.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) slope: f32,
    /// In 1/256 of a block.
    pub(super) y0: i16,
}

impl Line {
    /// Blocks above the piece's base, unrounded. Monotone in `dx`.
    #[inline]
    pub(super) fn above(self, dx: u64) -> f64 {
        let run = dx as f64 * f64::from(self.slope);
        run + f64::from(self.y0) / 256.0
    }
}

/// The largest whole number that is not above `y`. Baseline x86-64 has no instruction for `f64::floor`.
#[inline]
pub(super) fn floor(y: f64) -> i64 {
    let cut = y as i64;
    cut - i64::from(y < cut as f64)
}

/// One line and the bands it serves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) count: usize,
    pub(super) line: Line,
}

/// Part of a block by which bands shrink before the fit, so that rounding has room.
const MARGIN: f64 = 1.0 / 128.0;

/// Covers `bands` with the fewest lines. All must have `hi - lo <= 2`, and `x` strictly ascending.
/// Piece starts count from `offset`.
pub(super) fn fit(bands: &[Band], offset: usize, pieces: &mut Vec<Piece>) {
    let mut start = 0;
    let mut hulls = Hulls::default();
    while start < bands.len() {
        let origin = bands[start];
        hulls.begin();
        let mut end = start;
        let mut dx_before = -1.0;
        while let Some(band) = bands.get(end) {
            let dx = (band.x - origin.x) as f64;
            if dx <= dx_before || !hulls.add(dx, band_of(band, origin.first, MARGIN)) {
                break;
            }
            dx_before = dx;
            end += 1;
        }
        settle(&bands[start..end], offset + start, hulls.slope(), pieces);
        start = end;
    }
}

/// Lower and upper end of `band` in blocks above `base`; the upper one is exclusive.
fn band_of(band: &Band, base: u32, margin: f64) -> (f64, f64) {
    let low = f64::from(band.hi) - f64::from(base) - 1.0;
    let high = f64::from(band.lo) - f64::from(base) + 2.0;
    (low + margin, high - margin)
}

/// Rounds and verifies a line of about `slope` through `bands`, or two lines if need be.
fn settle(bands: &[Band], start: usize, slope: f64, pieces: &mut Vec<Piece>) {
    let slope = if bands.len() == 1 { 0.0 } else { slope.max(0.0) as f32 };
    if let Some(line) = line_through(bands, slope) {
        pieces.push(Piece { start, count: bands.len(), line });
        return;
    }
    let (left, right) = bands.split_at(bands.len() / 2);
    settle(left, start, slope_between(left), pieces);
    settle(right, start + left.len(), slope_between(right), pieces);
}

fn slope_between(bands: &[Band]) -> f64 {
    match bands {
        [a, .., b] => (f64::from(b.lo) - f64::from(a.lo)) / (b.x - a.x) as f64,
        _ => 0.0,
    }
}

/// The line of that slope that passes through the middle of what is possible, if it truly serves all.
fn line_through(bands: &[Band], slope: f32) -> Option<Line> {
    let origin = bands.first()?;
    if !slope.is_finite() {
        return None;
    }
    let (mut low, mut high) = (f64::MIN, f64::MAX);
    for band in bands {
        let run = (band.x - origin.x) as f64 * f64::from(slope);
        let (a, b) = band_of(band, origin.first, 0.0);
        low = low.max(a - run);
        high = high.min(b - run);
    }
    let line = Line { slope, y0: ((low + high) * 128.0).round() as i16 };
    let holds = bands.iter().all(|band| {
        let p = floor(line.above(band.x - origin.x)) + i64::from(origin.first);
        i64::from(band.hi) - 1 <= p && p <= i64::from(band.lo) + 1
    });
    holds.then_some(line)
}

#[derive(Clone, Copy, Default)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    fn slope_to(self, to: Self) -> f64 {
        (to.y - self.y) / (to.x - self.x)
    }
}

/// Does the way from `a` over `b` to `c` turn left?
fn turns_left(a: Point, b: Point, c: Point) -> bool {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0.0
}

/// All lines through the bands so far.
#[derive(Default)]
struct Hulls {
    /// Lower convex hull of the upper ends: what the flattest line may touch on its left.
    upper: Vec<Point>,
    upper_from: usize,
    /// Upper convex hull of the lower ends: what the steepest line may touch on its left.
    lower: Vec<Point>,
    lower_from: usize,
    /// The flattest line runs from an upper end to a later lower end, the steepest the other way round.
    flattest: (Point, Point),
    steepest: (Point, Point),
    count: usize,
}

impl Hulls {
    fn begin(&mut self) {
        self.count = 0;
        self.upper.clear();
        self.lower.clear();
        self.upper_from = 0;
        self.lower_from = 0;
    }

    /// The slope in the middle of those possible.
    fn slope(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let (a, b) = self.flattest;
        let (c, d) = self.steepest;
        f64::midpoint(a.slope_to(b).max(0.0), c.slope_to(d).max(0.0))
    }

    /// Takes one more band in, or says that no line passes through it too.
    fn add(&mut self, x: f64, (low, high): (f64, f64)) -> bool {
        let (low, high) = (Point { x, y: low }, Point { x, y: high });
        match self.count {
            0 => {
                self.flattest.0 = high;
                self.steepest.0 = low;
            }
            1 => {
                self.flattest.1 = low;
                self.steepest.1 = high;
            }
            _ => return self.add_third(low, high),
        }
        self.upper.push(high);
        self.lower.push(low);
        self.count += 1;
        true
    }

    fn add_third(&mut self, low: Point, high: Point) -> bool {
        let flattest = self.flattest.0.slope_to(self.flattest.1);
        let steepest = self.steepest.0.slope_to(self.steepest.1);
        if self.flattest.1.slope_to(high) < flattest || self.steepest.1.slope_to(low) > steepest {
            return false;
        }
        if self.steepest.0.slope_to(high) < steepest {
            let touched = touch(&self.lower, self.lower_from, |a, b| {
                self.lower[b].slope_to(high) <= self.lower[a].slope_to(high)
            });
            self.lower_from = touched;
            self.steepest = (self.lower[touched], high);
            while self.upper.len() >= self.upper_from + 2 {
                let [.., a, b] = self.upper[..] else { break };
                if turns_left(a, b, high) {
                    break;
                }
                self.upper.pop();
            }
            self.upper.push(high);
        }
        if self.flattest.0.slope_to(low) > flattest {
            let touched = touch(&self.upper, self.upper_from, |a, b| {
                self.upper[b].slope_to(low) >= self.upper[a].slope_to(low)
            });
            self.upper_from = touched;
            self.flattest = (self.upper[touched], low);
            while self.lower.len() >= self.lower_from + 2 {
                let [.., a, b] = self.lower[..] else { break };
                if turns_left(b, a, low) {
                    break;
                }
                self.lower.pop();
            }
            self.lower.push(low);
        }
        self.count += 1;
        true
    }
}

/// Walks a hull from `from` while the next point is at least as good, and stays within points that lie
/// strictly to the left of the newest.
fn touch(hull: &[Point], from: usize, better: impl Fn(usize, usize) -> bool) -> usize {
    let newest = hull.len();
    let mut at = from;
    while at + 1 < newest && better(at, at + 1) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn bands_of(xs: &[u64]) -> Vec<Band> {
        // Each pair of numbers is one block's first and last key.
        let mut bands: Vec<Band> = Vec::new();
        for (i, &x) in xs.iter().enumerate() {
            let block = (i / 2) as u32;
            match bands.last_mut() {
                Some(b) if b.x == x => b.hi = block,
                _ => bands.push(Band { x, lo: block, hi: block, first: block + (i % 2) as u32 }),
            }
        }
        bands
    }

    /// Fewest pieces by trying: extend while some line of a fine fan of slopes fits. Slow and independent.
    fn is_stabbable(bands: &[Band]) -> bool {
        // Helly in the plane: a line exists iff the steepest lower bound on the slope does not
        // exceed the flattest upper bound over all pairs.
        let base = bands[0].first;
        let (mut least, mut most) = (f64::MIN, f64::MAX);
        for (i, a) in bands.iter().enumerate() {
            for b in &bands[i + 1..] {
                let dx = (b.x - a.x) as f64;
                let (alow, ahigh) = band_of(a, base, MARGIN);
                let (blow, bhigh) = band_of(b, base, MARGIN);
                least = least.max((blow - ahigh) / dx);
                most = most.min((bhigh - alow) / dx);
            }
        }
        least <= most
    }

    fn check(xs: &[u64]) -> Vec<Piece> {
        let bands = bands_of(xs);
        let mut pieces = Vec::new();
        for run in bands.split(|b| b.hi - b.lo > 2) {
            let offset = bands.iter().position(|b| Some(b.x) == run.first().map(|r| r.x));
            fit(run, offset.unwrap_or(0), &mut pieces);
        }
        for piece in &pieces {
            let served = &bands[piece.start..piece.start + piece.count];
            assert!(piece.line.slope >= 0.0);
            for band in served {
                let p = floor(piece.line.above(band.x - served[0].x)) + i64::from(served[0].first);
                assert!(i64::from(band.hi) - 1 <= p && p <= i64::from(band.lo) + 1);
            }
        }
        pieces
    }

    #[test]
    fn every_band_is_served_and_pieces_are_as_long_as_they_can_be() {
        let mut rng = Rng::new(1);
        for round in 0..200 {
            let spread = 1 + (round % 40);
            let mut x = 0;
            let xs: Vec<u64> = (0..120)
                .map(|_| {
                    x += rng.below(1 << spread) + u64::from(rng.one_in(3));
                    x
                })
                .collect();
            let bands = bands_of(&xs);
            if bands.iter().any(|b| b.hi - b.lo > 2) {
                check(&xs);
                continue;
            }
            for piece in check(&xs) {
                let end = piece.start + piece.count;
                assert!(is_stabbable(&bands[piece.start..end]));
                if end < bands.len() {
                    assert!(!is_stabbable(&bands[piece.start..=end]), "round {round}");
                }
            }
        }
    }

    #[test]
    fn evenly_spaced_blocks_take_one_piece() {
        let xs: Vec<u64> = (0..20_000u64).map(|i| i * 37 + 5).collect();
        assert_eq!(check(&xs).len(), 1);
    }

    #[test]
    fn distances_that_a_float_cannot_tell_apart_start_a_new_piece() {
        let mut xs: Vec<u64> = (0..40).collect();
        xs.extend((0..40).map(|i| (1 << 63) + i));
        xs.extend((0..40).map(|i| u64::MAX - 39 + i));
        check(&xs);
    }

    #[test]
    fn floor_rounds_down() {
        for (y, p) in [(0.0, 0), (0.9, 0), (-0.1, -1), (-1.0, -1), (7.0, 7), (-0.0, 0)] {
            assert_eq!(floor(y), p);
        }
    }
}
