//! PGM(Fence): which blocks of a table must hold a key.
//!
//! For a user key `k` let `S(k)` be the first block whose last key is not below `k`. What is promised:
//!
//! - `k` is stored: [`PgmFence::candidates`] include `S(k)`;
//! - `k` is absent: they include `S(k)` or the block before it, in which a search runs past the end;
//! - they are one, two or three neighbouring blocks, nearly always one in exact mode.
//!
//! A reader that looks for the first entry not below an internal key `t` of user key `k` starts at
//! `i = predicted`. If block `i` begins above `t`, and not with `k` itself as a key that did not come on from
//! the block before ([`PgmFence::span`]), it goes one to the left while it is a candidate. Otherwise it
//! searches inside, and past the end goes on to the right.
//!
//! A lookup walks nodes from the root. In a node it compares the shared prefix, projects the rest, finds
//! the segment by binary search, and evaluates one line: that leaves three blocks (the proof is in
//! `docs/decisions/0002-pgm-fence-guarantee.md`). Then, in exact mode, the unrounded prediction is compared
//! with those of the blocks' first keys, kept as 16-bit codes. Both predictions come from one monotone
//! expression, so that "above" and "below" are certain (I7), and equal codes leave both blocks in. Where a line is too
//! flat for codes to tell blocks apart, or keys share their number, the separator of the two is kept as well.
#![forbid(unsafe_code)]

use super::codec::{Layout, Node, split_line};
use super::pla::floor;
use super::project::raw8;
use crate::base::{Bytes, Result};
use std::cmp::Ordering;
use std::hint::select_unpredictable;

/// How much the index says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Two more bytes a block; names the one block nearly always.
    #[default]
    Exact,
    /// As published: names three neighbouring blocks.
    Window,
}

/// The blocks that a key can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// The first of them.
    pub first: u32,
    /// The last of them, inclusive; at most `first + 2`.
    pub last: u32,
    /// Where to look first.
    pub predicted: u32,
}

impl Candidates {
    /// Exactly one block.
    #[must_use]
    pub fn one(block: u32) -> Self {
        Self { first: block, last: block, predicted: block }
    }

    /// Is `block` among them?
    #[must_use]
    pub fn has(&self, block: u32) -> bool {
        self.first <= block && block <= self.last
    }
}

/// How large the parts of an index are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All bytes of the block.
    pub bytes: u64,
    /// Line segments.
    pub segments: u32,
    /// Nodes of the tree, leaves included.
    pub nodes: u32,
    /// Nodes that hold real keys instead of a model.
    pub leaves: u32,
    /// Nodes on the longest way from the root.
    pub depth: u32,
}

/// The index of one table, read in place from its bytes. Any number of threads may ask it at once.
#[derive(Debug)]
pub struct PgmFence {
    bytes: Bytes,
    layout: Layout,
}

/// Codes cover the three blocks that a verified prediction can be off by.
const CODES_A_BLOCK: f64 = 65_536.0 / 3.0;

/// The code of a prediction, `above` blocks over `base`, seen from `block`. Monotone in `above`, equal
/// arithmetic on both sides; that is all that comparisons need.
#[inline]
pub(super) fn code_of(above: f64, block: u32, base: u32) -> u16 {
    let over = above - (i64::from(block) - 1 - i64::from(base)) as f64;
    // The cast saturates, so that what lies outside compares as a tie at worst.
    (over * CODES_A_BLOCK) as u16
}

/// `rest` behind `prefix`, which most often is empty.
#[inline]
fn behind<'k>(prefix: &[u8], rest: &'k [u8]) -> Option<&'k [u8]> {
    if prefix.is_empty() { Some(rest) } else { rest.strip_prefix(prefix) }
}

/// Number of segments that begin at or before `x`. The same few steps for every `x`, none of them a
/// branch that could be mispredicted.
#[inline]
fn segments_up_to(x0s: &[[u8; 8]], x: u64) -> usize {
    let mut from = 0;
    let mut count = x0s.len();
    if count == 0 {
        return 0;
    }
    while count > 1 {
        let half = count / 2;
        // `from + count` never exceeds the length. `get` would put a branch around the comparison.
        let begins = u64::from_le_bytes(x0s[from + half]) <= x;
        from = select_unpredictable(begins, from + half, from);
        count -= half;
    }
    from + usize::from(u64::from_le_bytes(x0s[from]) <= x)
}

impl PgmFence {
    /// Checks `bytes` as a whole. An error means: use the classic index.
    pub fn parse(bytes: impl Into<Bytes>) -> Result<Self> {
        let bytes = bytes.into();
        let layout = Layout::parse(&bytes)?;
        Ok(Self { bytes, layout })
    }

    /// The blocks that can hold `user_key`: for a stored key they include the first block whose last
    /// key is not below it; for an absent one that block or the one before it, so that a seek that
    /// runs past the end of the last candidate goes on with the next block. Never panics, never allocates.
    #[inline]
    #[must_use]
    pub fn candidates(&self, user_key: &[u8]) -> Candidates {
        let bytes: &[u8] = &self.bytes;
        // Parsing has checked all that could make this `None`.
        self.route(bytes, user_key).unwrap_or(Candidates::one(0))
    }

    #[inline]
    fn route(&self, bytes: &[u8], key: &[u8]) -> Option<Candidates> {
        let mut below;
        let mut node = &self.layout.root;
        loop {
            let rest = key.get(node.skip as usize..).unwrap_or(&[]);
            let prefix = bytes.get(node.prefix..node.prefix + node.prefix_len)?;
            let Some(rest) = behind(prefix, rest) else {
                let outside = if rest < prefix { node.lo } else { node.hi };
                return Some(Candidates::one(outside));
            };
            if node.is_leaf {
                return self.search_leaf(bytes, node, rest).map(Candidates::one);
            }
            let x = match &self.layout.ranked {
                Some(ranked) if node.form => ranked.project(rest),
                _ => raw8(rest),
            };
            let x0s = node.x0s(bytes)?;
            let Some(row) = segments_up_to(x0s, x).checked_sub(1) else {
                return Some(Candidates::one(node.lo));
            };
            let lines = node.lines(bytes)?;
            let (line, base) = split_line(lines.get(row)?);
            let next = split_line(lines.get(row + 1)?).1;
            let dx = x.wrapping_sub(u64::from_le_bytes(*x0s.get(row)?));
            // All first keys before `base` are below the key, all from `next` on above it.
            let least = base.saturating_sub(1).max(node.lo);
            let most = next.saturating_sub(1).min(node.hi).max(least);
            if line.slope.is_nan() {
                if dx != 0 {
                    return Some(Candidates::one(most));
                }
                // Ids grow on the way down, so this ends.
                below = self.layout.node(bytes, node.child(bytes, row)?)?;
                node = &below;
                continue;
            }
            let above = line.above(dx);
            let p = i64::from(base).saturating_add(floor(above));
            let p = p.max(i64::from(least)).min(i64::from(most)) as u32;
            let first = p.saturating_sub(1).max(least);
            let last = (p + 1).min(most);
            return match self.layout.codes {
                None => Some(Candidates { first, last, predicted: p }),
                Some(codes) => {
                    let found =
                        narrow(bytes, codes, first, last, |block| code_of(above, block, base))?;
                    Some(if found.first == found.last {
                        found
                    } else {
                        self.break_ties(bytes, found, rest)
                    })
                }
            };
        }
    }

    /// What separators leave of blocks that codes do not tell apart.
    #[cold]
    fn break_ties(&self, bytes: &[u8], found: Candidates, rest: &[u8]) -> Candidates {
        let Candidates { mut first, mut last, .. } = found;
        for block in found.first + 1..=found.last {
            let Some(separator) = self.layout.ties.of(bytes, block) else { continue };
            // A key that came on from the block before began there.
            if rest < separator || (rest == separator && self.span(block - 1)) {
                last = block - 1;
                break;
            }
            first = block;
        }
        Candidates { first, last: last.max(first), predicted: last.max(first) }
    }

    /// The first block in which a key can be that comes behind a leaf's skip and prefix as `rest`.
    fn search_leaf(&self, bytes: &[u8], node: &Node, rest: &[u8]) -> Option<u32> {
        let (mut from, mut to) = (0, node.hi - node.lo);
        let mut hit = false;
        while from < to {
            let middle = from + (to - from) / 2;
            match node.separator(bytes, middle as usize)?.cmp(rest) {
                Ordering::Less => from = middle + 1,
                order => {
                    hit = order == Ordering::Equal;
                    to = middle;
                }
            }
        }
        // Separator `from` is the first not below the key, and that of block `lo + from + 1`. If the two
        // are equal the key is there, unless it already began in the block before.
        let before = node.lo + from;
        Some(before + u32::from(hit && !self.span(before)))
    }

    /// Offset and size (without trailer) of block `i`. Never beyond the end of the data, whatever
    /// the bytes say.
    #[inline]
    #[must_use]
    pub fn handle(&self, i: u32) -> (u64, u64) {
        let bytes: &[u8] = &self.bytes;
        let at = i as usize;
        let end = self.layout.data_end;
        let value = |i: usize| {
            if i <= self.layout.blocks as usize { self.layout.offsets.get(bytes, i) } else { None }
        };
        let offset = value(at).unwrap_or(end).min(end);
        let size = match self.layout.sizes {
            Some(sizes) if i < self.layout.blocks => sizes.get(bytes, at).unwrap_or(0),
            Some(_) => 0,
            None => value(at + 1).unwrap_or(end).wrapping_sub(offset).wrapping_sub(5),
        };
        (offset, size.min(end - offset))
    }

    /// Does the last user key of block `i` go on in block `i + 1`?
    #[inline]
    #[must_use]
    pub fn span(&self, i: u32) -> bool {
        if self.layout.span_count == 0 {
            return false;
        }
        let bytes: &[u8] = &self.bytes;
        let end = self.layout.span + 4 * self.layout.span_count;
        let list = bytes.get(self.layout.span..end).unwrap_or(&[]).as_chunks::<4>().0;
        list.binary_search_by_key(&i, |b| u32::from_le_bytes(*b)).is_ok()
    }

    /// Number of data blocks.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.layout.blocks
    }

    /// Where the data blocks end.
    #[must_use]
    pub fn data_end(&self) -> u64 {
        self.layout.data_end
    }

    /// Bytes of memory that this holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        let ranked = self.layout.ranked.as_ref().map_or(0, super::project::Ranked::memory);
        size_of::<Self>() + self.bytes.len() + ranked
    }

    /// The serialized form.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The serialized form, kept.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_vec()
    }

    /// Exact or window.
    #[must_use]
    pub fn mode(&self) -> Mode {
        if self.layout.codes.is_some() { Mode::Exact } else { Mode::Window }
    }

    /// Does the root rank bytes instead of taking eight as they are?
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.layout.ranked.is_some()
    }

    /// Sizes of its parts.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            bytes: self.bytes.len() as u64,
            segments: self.layout.segments,
            nodes: self.layout.nodes,
            leaves: self.layout.leaves,
            depth: self.layout.depth,
        }
    }
}

/// What the codes at position `codes` leave of the blocks `first..=last`, at most three, for a key of the
/// codes `code_at`. Both comparisons are always made, as which way they go is a coin's toss.
#[inline]
fn narrow(
    bytes: &[u8],
    codes: usize,
    first: u32,
    last: u32,
    code_at: impl Fn(u32) -> u16,
) -> Option<Candidates> {
    // The tree stands behind the codes, so there is something to load behind the last one, too.
    let [a, b, c, d] = *bytes.get(codes + 2 * (first as usize + 1)..)?.first_chunk::<4>()?;
    let fences = [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
    let codes = [code_at(first + 1), code_at(first + 2)];
    let is_candidate = [first < last, first + 1 < last];
    let above = |i: usize| u32::from(is_candidate[i] & (codes[i] > fences[i]));
    let not_below = |i: usize| u32::from(is_candidate[i] & (codes[i] >= fences[i]));
    let begin = first + above(0) + above(1);
    let end = (first + not_below(0) + (not_below(0) & not_below(1))).max(begin);
    Some(Candidates { first: begin, last: end, predicted: end })
}
