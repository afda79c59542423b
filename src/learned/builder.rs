//! Block boundaries to a tree of models.
//!
//! While a table is written, two keys a block are gathered: its first and its last. A node of the tree
//! speaks of a run of these boundary keys that agree on `skip` bytes. It cuts off their common prefix,
//! projects the rest to numbers, and fits lines. Where boundaries of more than three blocks collide in one
//! number, that number becomes a *redirect* to a child, which looks further into the keys. A group that is
//! tiny, or that no number can tell apart, becomes a *leaf*: separators, searched as in a classic index.
//!
//! A boundary may be replaced by a shorter key that separates the same two blocks: of a first key `f` any
//! `f'` with `last key of the block before < f' <= f`, of a last key `l` any `l'` with `l <= l' < first key
//! of the next block`. Lookups only ever compare keys with boundaries, and no stored key lies in
//! between. So long keys are cut some bytes behind where they differ from their neighbour.
//!
//! Invariants: a child has a larger id than its parent (I8); a child skips the bytes of its parent's
//! projection only where equal numbers mean equal bytes, which ranked numbers do not (I5); every boundary
//! is looked up in the finished bytes before they are handed out (I6).
#![forbid(unsafe_code)]

use super::codec::{Head, Parts, Row, Tree};
use super::cost;
use super::offsets;
use super::pgm_fence::{Mode, PgmFence, code_of};
use super::pla::{Band, Piece, fit};
use super::project::{Ranked, raw8};
use std::collections::VecDeque;
use std::ops::Range;

/// What [`PgmFenceBuilder::finish`] needs to know.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Exact or window.
    pub mode: Mode,
    /// Bytes of the classic index of the same table; 0 when unknown (then it is estimated).
    pub standard_index_bytes: u64,
}

/// Bytes that a boundary keeps behind the one that tells it from its neighbour, for the model's sake.
const KEEP_BYTES: usize = 32;

/// Bytes behind each block.
const TRAILER_BYTES: u64 = 5;

/// Gathers block boundaries while a table is written, and makes the index of them.
#[derive(Debug, Default)]
pub struct PgmFenceBuilder {
    boundaries: Boundaries,
    /// The last key of the last block: how much of it is needed shows with the next block.
    last_key: Vec<u8>,
    /// Offset and size of each block.
    places: Vec<(u64, u64)>,
    span: Vec<u32>,
    /// Something was out of order or too large: there will be no index.
    gave_up: bool,
}

/// The boundary keys in order: number `2 * i` is block `i`'s first, `2 * i + 1` its last.
#[derive(Debug, Default)]
struct Boundaries {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Boundaries {
    fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    fn key(&self, m: usize) -> &[u8] {
        let start = if m == 0 { 0 } else { self.ends[m - 1] };
        &self.bytes[start..self.ends[m]]
    }

    /// Boundary `m` behind its first `skip` bytes.
    fn rest(&self, m: usize, skip: usize) -> &[u8] {
        self.key(m).get(skip..).unwrap_or(&[])
    }

    /// The shortest start of block `i`'s first key that is above the last key of the block before; all
    /// of it where one key goes on.
    fn separator(&self, i: usize) -> &[u8] {
        let (below, key) = (self.key(2 * i - 1), self.key(2 * i));
        &key[..key.len().min(shared(below, key) + 1)]
    }
}

/// Bytes that two keys begin with.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// A key in `[last, next)`, of some bytes behind the first `common` ones that `last` and `next` share.
fn cut_last(last: &mut Vec<u8>, common: usize) {
    let kept = common + 1 + KEEP_BYTES;
    if last.len() <= kept {
        return;
    }
    let raised = (common + 1..kept).rev().find(|&j| last[j] != 0xFF);
    if let Some(j) = raised {
        last.truncate(j + 1);
        last[j] += 1;
    }
}

impl PgmFenceBuilder {
    /// With no block yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next data block: its first and last **user** keys, where it starts, and its size
    /// without the trailer. Keys must ascend bytewise.
    pub fn add_block(&mut self, first: &[u8], last: &[u8], offset: u64, size: u64) {
        if self.gave_up {
            return;
        }
        let blocks = self.places.len();
        let out_of_order = first > last || (blocks > 0 && first < self.last_key.as_slice());
        let all_bytes = self.boundaries.bytes.len() + first.len() + last.len();
        if out_of_order || all_bytes > cost::MAX_BOUNDARY_BYTES || blocks >= u32::MAX as usize / 4 {
            *self = Self { gave_up: true, ..Self::default() };
            return;
        }
        let mut kept = first.len();
        if blocks > 0 {
            let common = shared(&self.last_key, first);
            if self.last_key == first {
                self.span.push(blocks as u32 - 1);
            } else {
                kept = kept.min(common + 1 + KEEP_BYTES);
                cut_last(&mut self.last_key, common);
            }
            self.boundaries.push(&self.last_key);
        }
        self.boundaries.push(&first[..kept]);
        self.last_key.clear();
        self.last_key.extend_from_slice(last);
        self.places.push((offset, size));
    }

    /// The index as the bytes of a block without trailer, every boundary verified through these
    /// bytes; `None` when the table is better off with its classic index. `data_end` is where
    /// the data blocks end, trailer of the last one included.
    #[must_use]
    pub fn finish(mut self, data_end: u64, options: &BuildOptions) -> Option<Vec<u8>> {
        let blocks = self.places.len();
        if self.gave_up || blocks < cost::MIN_BLOCKS {
            return None;
        }
        self.boundaries.push(&self.last_key);
        let planted = self.plant(options.mode)?;
        let classic = match options.standard_index_bytes {
            0 => {
                let text: usize = (1..blocks).map(|i| self.boundaries.separator(i).len()).sum();
                cost::classic_index_bytes(blocks as u64, text as u64)
            }
            known => known,
        };
        let (offsets, sizes) = self.pack_places(data_end)?;
        let mut parts = Parts {
            blocks: blocks as u32,
            data_end,
            offsets,
            sizes,
            codes: (options.mode == Mode::Exact).then_some(&planted.codes),
            ties: planted.ties(),
            span: &self.span,
            tree: &planted.tree,
        };
        let mut bytes = parts.encode()?;
        if !parts.ties.is_empty() && !cost::may_keep_ties(bytes.len() as u64, classic) {
            parts.ties.clear();
            bytes = parts.encode()?;
        }
        if !cost::is_worth_it(planted.tree.len() as u64, bytes.len() as u64, classic) {
            return None;
        }
        self.verify(bytes)
    }

    /// The tree whose root takes bytes as they are, or the ranked one if that is enough smaller.
    fn plant(&self, mode: Mode) -> Option<Planting<'_>> {
        let raw = Planting::of(&self.boundaries, mode, false)?;
        // One byte in eight blocks is beyond improving.
        if raw.len() * 8 <= self.places.len() {
            return Some(raw);
        }
        match Planting::of(&self.boundaries, mode, true) {
            Some(ranked) if cost::prefer_ranked(raw.len(), ranked.len()) => Some(ranked),
            _ => Some(raw),
        }
    }

    fn pack_places(&self, data_end: u64) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let mut starts: Vec<u64> = self.places.iter().map(|p| p.0).collect();
        starts.push(data_end);
        let touches = |(i, &(offset, size)): (usize, &(u64, u64))| {
            offset.checked_add(size)?.checked_add(TRAILER_BYTES).map(|end| end == starts[i + 1])
        };
        let all_touch = self.places.iter().enumerate().all(|place| touches(place) == Some(true));
        let sizes = if all_touch {
            None
        } else {
            let sizes: Vec<u64> = self.places.iter().map(|p| p.1).collect();
            Some(offsets::pack(&sizes)?)
        };
        Some((offsets::pack(&starts)?, sizes))
    }

    /// Looks every boundary and every block up in the serialized bytes.
    fn verify(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let index = PgmFence::parse(bytes).ok()?;
        let mut home = 0;
        for (i, &place) in self.places.iter().enumerate() {
            let block = i as u32;
            let (first, last) = (self.boundaries.key(2 * i), self.boundaries.key(2 * i + 1));
            // The first block with the first key: further back if that key came on from there.
            let goes_on = i > 0 && index.span(block - 1);
            home = if goes_on { home } else { block };
            if !index.candidates(first).has(home) {
                return None;
            }
            home = if first == last { home } else { block };
            if !index.candidates(last).has(home) || index.handle(block) != place {
                return None;
            }
            if index.span(block) != self.span.binary_search(&block).is_ok() {
                return None;
            }
        }
        Some(index.into_bytes())
    }
}

/// A tree that grows.
struct Planting<'a> {
    boundaries: &'a Boundaries,
    tree: Tree,
    /// Nodes promised to parents and not written yet, oldest first.
    waiting: VecDeque<Seed>,
    promised: u32,
    codes: Vec<u16>,
    /// Blocks whose code is too coarse, and bytes that their node has behind it.
    coarse: Vec<(u32, usize)>,
}

/// A node to be: the boundaries that it tells apart, which share their first `skip` bytes.
struct Seed {
    members: Range<usize>,
    skip: usize,
    depth: u16,
}

impl<'a> Planting<'a> {
    /// The tree over all boundaries; `None` if it cannot be ranked or grows beyond what is sane.
    fn of(boundaries: &'a Boundaries, mode: Mode, ranked: bool) -> Option<Self> {
        let members = 0..boundaries.ends.len();
        let codes = if mode == Mode::Exact { members.len() / 2 } else { 0 };
        let mut planting = Self {
            boundaries,
            tree: Tree::default(),
            waiting: VecDeque::from([Seed { members, skip: 0, depth: 0 }]),
            promised: 1,
            codes: vec![0; codes],
            coarse: Vec::new(),
        };
        let mut ranked = ranked;
        while let Some(seed) = planting.waiting.pop_front() {
            planting.plant(&seed, ranked)?;
            ranked = false;
        }
        planting.coarse.sort_unstable();
        Some(planting)
    }

    /// Bytes of nodes and ties.
    fn len(&self) -> usize {
        self.tree.len() + self.ties().iter().map(|tie| tie.1.len() + 8).sum::<usize>()
    }

    /// The separators of blocks whose code is too coarse.
    fn ties(&self) -> Vec<(u32, &'a [u8])> {
        let keys = self.boundaries;
        let tie = |&(block, behind)| {
            let separator = keys.separator(block as usize);
            (block, separator.get(behind..).unwrap_or(&[]))
        };
        self.coarse.iter().map(tie).collect()
    }

    fn plant(&mut self, seed: &Seed, ranked: bool) -> Option<()> {
        let Range { start, end } = seed.members;
        let (lo, hi) = (start / 2, (end - 1) / 2);
        let keys = self.boundaries;
        let first = keys.rest(start, seed.skip);
        let prefix = &first[..shared(first, keys.rest(end - 1, seed.skip))];
        let behind = seed.skip + prefix.len();
        let head = Head {
            depth: seed.depth,
            lo: lo as u32,
            hi: hi as u32,
            skip: u32::try_from(seed.skip).ok()?,
            prefix,
        };
        if hi - lo + 1 < cost::MIN_MODEL_BLOCKS || seed.depth > cost::MAX_DEPTH {
            return self.plant_leaf(seed, &head);
        }
        let ranked = if ranked {
            let learned = Ranked::learn(seed.members.clone().map(|m| keys.rest(m, behind)))?;
            if learned.is_no_better_than_raw8() {
                return None;
            }
            Some(learned)
        } else {
            None
        };
        let project = |m: usize| match &ranked {
            Some(ranked) => ranked.project(keys.rest(m, behind)),
            None => raw8(keys.rest(m, behind)),
        };
        let xs: Vec<u64> = seed.members.clone().map(project).collect();
        let bands = bands_of(&xs, start);
        if bands.len() == 1 {
            return self.plant_leaf(seed, &head);
        }
        let model = Model::over(&bands);
        // A child costs at least its head; a model that is larger than the keys is none.
        let model_bytes = model.rows.len() * 18 + model.redirects.len() * 48;
        if ranked.is_none() && model_bytes > self.leaf_bytes(lo, hi, behind) {
            return self.plant_leaf(seed, &head);
        }
        if !self.codes.is_empty() {
            for block in model.set_codes(&bands, &xs, start, &mut self.codes) {
                self.coarse.push((block, behind));
            }
        }
        let redirects: Vec<(u32, u32)> = (self.promised..)
            .zip(&model.redirects)
            .map(|(child, &(row, _))| (row as u32, child))
            .collect();
        self.promised += redirects.len() as u32;
        let mut from = 0;
        for &(_, band) in &model.redirects {
            let x = bands[band].x;
            let begin = from + xs[from..].partition_point(|&y| y < x);
            let stop = begin + xs[begin..].partition_point(|&y| y == x);
            from = stop;
            let members = start + begin..start + stop;
            // Padding makes a short key equal to a longer one, so all must have what is skipped.
            let whole =
                ranked.is_none() && members.clone().all(|m| keys.rest(m, behind).len() >= 8);
            let skip = if whole { behind + 8 } else { seed.skip };
            self.waiting.push_back(Seed { members, skip, depth: seed.depth + 1 });
        }
        self.tree.push_model(&head, ranked.as_ref(), &model.rows, &redirects)
    }

    /// About what the separators of blocks `lo + 1..=hi` take.
    fn leaf_bytes(&self, lo: usize, hi: usize, behind: usize) -> usize {
        (lo + 1..=hi).map(|i| self.boundaries.separator(i).len().saturating_sub(behind) + 2).sum()
    }

    fn plant_leaf(&mut self, seed: &Seed, head: &Head<'_>) -> Option<()> {
        let keys = self.boundaries;
        let rest = |i: usize| keys.separator(i).get(seed.skip..).unwrap_or(&[]);
        let (lo, hi) = (head.lo as usize, head.hi as usize);
        if lo == hi {
            return self.tree.push_leaf(&Head { prefix: &[], ..*head }, std::iter::empty());
        }
        let prefix = &rest(lo + 1)[..shared(rest(lo + 1), rest(hi))];
        let separators = (lo + 1..=hi).map(|i| &rest(i)[prefix.len()..]);
        self.tree.push_leaf(&Head { prefix, ..*head }, separators)
    }
}

/// The bands of projected boundaries, of which the first is boundary `start`.
fn bands_of(xs: &[u64], start: usize) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::with_capacity(xs.len());
    for (i, &x) in xs.iter().enumerate() {
        let block = ((start + i) / 2) as u32;
        let is_last_key = ((start + i) % 2) as u32;
        match bands.last_mut() {
            Some(band) if band.x == x => band.hi = block,
            _ => bands.push(Band { x, lo: block, hi: block, first: block + is_last_key }),
        }
    }
    bands
}

/// Lines and redirects over a node's bands.
struct Model {
    rows: Vec<Row>,
    /// For each row: its first band and how many there are.
    served: Vec<Range<usize>>,
    /// Row and band of each redirect.
    redirects: Vec<(usize, usize)>,
}

impl Model {
    fn over(bands: &[Band]) -> Self {
        let mut model = Self { rows: Vec::new(), served: Vec::new(), redirects: Vec::new() };
        let mut pieces: Vec<Piece> = Vec::new();
        let mut from = 0;
        while from < bands.len() {
            let collides = |b: &Band| b.hi - b.lo > 2;
            let run = bands[from..].iter().take_while(|b| !collides(b)).count();
            pieces.clear();
            fit(&bands[from..from + run], from, &mut pieces);
            for piece in &pieces {
                let Band { x, first, .. } = bands[piece.start];
                model.rows.push(Row { x0: x, line: Some(piece.line), first });
                model.served.push(piece.start..piece.start + piece.count);
            }
            from += run;
            if let Some(band) = bands.get(from) {
                model.redirects.push((model.rows.len(), from));
                model.rows.push(Row { x0: band.x, line: None, first: band.first });
                model.served.push(from..from + 1);
                from += 1;
            }
        }
        model
    }

    /// Writes down where the first keys of blocks lie on their lines, and tells which of them lie too close to
    /// the last key before.
    fn set_codes(&self, bands: &[Band], xs: &[u64], start: usize, codes: &mut [u16]) -> Vec<u32> {
        let mut coarse = Vec::new();
        let mut m = 0;
        for (row, served) in self.rows.iter().zip(&self.served) {
            let end_x = bands[served.end - 1].x;
            let begin = m;
            while m < xs.len() && xs[m] <= end_x {
                if let (Some(line), 0) = (row.line, (start + m) % 2) {
                    let block = ((start + m) / 2) as u32;
                    let code = |m: usize| code_of(line.above(xs[m] - row.x0), block, row.first);
                    codes[block as usize] = code(m);
                    // Keys of the block before that get the same code would be looked for here first.
                    if m > begin && code(m - 1) == code(m) {
                        coarse.push(block);
                    }
                }
                m += 1;
            }
        }
        coarse
    }
}
