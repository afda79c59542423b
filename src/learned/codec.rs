//! The learned index as bytes: written once, checked once, then read in place.
//!
//! Numbers are little-endian. Sections stand in this order, each 8-aligned; an absent one is empty.
//!
//!     header  := "MPF1" | version u8 = 1 | epsilon u8 = 1 | flags u16 | blocks u32 | nodes u32 | data_end u64
//!                | positions of: offsets u32, sizes u32, codes u32, ties u32, span u32, tree u32, end u32 | zero u32
//!     offsets := packed run of blocks + 1 starts (offsets.rs); the last one is data_end
//!     sizes   := packed run of blocks sizes           only with flag SIZES: blocks do not touch
//!     codes   := code u16 [blocks]                    only with flag CODES: exact mode
//!     ties    := count u32 | block u32 [count] | end u32 [count] | bytes       only with flag TIES
//!     span    := count u32 | block u32 [count]        only with flag SPAN: last key goes on in the next block
//!     tree    := start u32 [nodes + 1] | pad | node*  starts count from the first node
//!     node    := kind u8 | form u8 | depth u16 | lo u32 | hi u32 | skip u32 | prefix_len u32 | prefix | body
//!     model   := ranked projection, if form = 1 (project.rs) | pad to 8 | segments u32 | redirects u32
//!                | x0 u64 [segments] | line [segments + 1] | redirect [redirects]
//!     line    := slope f32 | first u32 | y0 i16       the one behind the last has only `first` = hi + 1
//!     redirect:= segment u32 | child u32              its line has the slope NaN
//!     leaf    := end (u16, or u32 if form = 1) [hi - lo] | bytes
//!
//! Ties are separators of blocks whose code is too coarse to tell their keys from those of the block before, without
//! the bytes that the node with their code skips and shares.
//!
//! A node speaks of blocks `lo..=hi`. Node 0 is the root, of all blocks; only it may be ranked. A leaf holds,
//! for each block but its first, a separator: above the last key of the block before and at most its first.
//!
//! Checked on parsing, so that lookups stay in range whatever the bytes say: sections in order, `x0` strictly
//! ascending, slopes NaN or finite and not negative (I2), `first` ascending within `lo..=hi + 1`, children
//! behind their parents (I8) and within their blocks, ends ascending.
#![forbid(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)]

use super::offsets::Packed;
use super::pla::Line;
use super::project::Ranked;
use crate::base::coding::{Reader, put_u32, put_u64, u32_at};
use crate::base::{Error, Result};

const MAGIC: &[u8; 4] = b"MPF1";
const VERSION: u8 = 1;
const EPSILON: u8 = 1;
const HEADER_BYTES: usize = 56;
const FLAG_CODES: u16 = 1;
const FLAG_TIES: u16 = 2;
const FLAG_SIZES: u16 = 4;
const FLAG_SPAN: u16 = 8;
const FLAGS: u16 = FLAG_CODES | FLAG_TIES | FLAG_SIZES | FLAG_SPAN;
const MODEL: u8 = 0;
const LEAF: u8 = 1;
/// Nodes on any way down; more is damage.
const MAX_NODE_DEPTH: u16 = 16;
/// Bytes of a line.
pub(super) const LINE_BYTES: usize = 10;

/// All that a file's index consists of, ready to be written.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) blocks: u32,
    pub(super) data_end: u64,
    pub(super) offsets: Vec<u8>,
    pub(super) sizes: Option<Vec<u8>>,
    pub(super) codes: Option<&'a [u16]>,
    /// Block and separator, ascending.
    pub(super) ties: Vec<(u32, &'a [u8])>,
    pub(super) span: &'a [u32],
    pub(super) tree: &'a Tree,
}

/// Nodes under way. Each is appended whole, in the order of its id.
#[derive(Debug, Default)]
pub(super) struct Tree {
    starts: Vec<usize>,
    nodes: Vec<u8>,
}

/// What all nodes begin with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'a> {
    pub(super) depth: u16,
    pub(super) lo: u32,
    pub(super) hi: u32,
    pub(super) skip: u32,
    pub(super) prefix: &'a [u8],
}

/// One row of a model; redirects have no line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) x0: u64,
    pub(super) line: Option<Line>,
    pub(super) first: u32,
}

fn pad(to: &mut Vec<u8>) {
    to.resize(to.len().next_multiple_of(8), 0);
}

/// Sizes on disk are 32 bits; the builder gives up before that is too little.
fn narrow(n: usize) -> Option<u32> {
    u32::try_from(n).ok()
}

impl Tree {
    /// Bytes of all nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + 4 * self.starts.len()
    }

    fn push_head(&mut self, kind: u8, form: u8, head: &Head<'_>) -> Option<()> {
        self.starts.push(self.nodes.len());
        let to = &mut self.nodes;
        to.extend_from_slice(&[kind, form]);
        to.extend_from_slice(&head.depth.to_le_bytes());
        put_u32(to, head.lo);
        put_u32(to, head.hi);
        put_u32(to, head.skip);
        put_u32(to, narrow(head.prefix.len())?);
        to.extend_from_slice(head.prefix);
        Some(())
    }

    /// Appends a model. `redirects` are pairs of row and child.
    pub(super) fn push_model(
        &mut self,
        head: &Head<'_>,
        ranked: Option<&Ranked>,
        rows: &[Row],
        redirects: &[(u32, u32)],
    ) -> Option<()> {
        self.push_head(MODEL, u8::from(ranked.is_some()), head)?;
        let to = &mut self.nodes;
        if let Some(ranked) = ranked {
            ranked.encode(to);
        }
        pad(to);
        put_u32(to, narrow(rows.len())?);
        put_u32(to, narrow(redirects.len())?);
        for row in rows {
            put_u64(to, row.x0);
        }
        for row in rows {
            let line = row.line.unwrap_or(Line { slope: f32::NAN, y0: 0 });
            put_line(to, line, row.first);
        }
        put_line(to, Line { slope: 0.0, y0: 0 }, head.hi + 1);
        for &(row, child) in redirects {
            put_u32(to, row);
            put_u32(to, child);
        }
        Some(())
    }

    /// Appends a leaf of one separator for each block of `head` but the first, behind its skip and prefix.
    pub(super) fn push_leaf<'a>(
        &mut self,
        head: &Head<'_>,
        separators: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Option<()> {
        let bytes: usize = separators.clone().map(<[u8]>::len).sum();
        let narrow_ends = u16::try_from(bytes).is_ok();
        self.push_head(LEAF, u8::from(!narrow_ends), head)?;
        let mut end = 0;
        for separator in separators.clone() {
            end += separator.len();
            match u16::try_from(end) {
                Ok(end) if narrow_ends => self.nodes.extend_from_slice(&end.to_le_bytes()),
                _ => put_u32(&mut self.nodes, narrow(end)?),
            }
        }
        separators.for_each(|s| self.nodes.extend_from_slice(s));
        Some(())
    }
}

fn put_line(to: &mut Vec<u8>, line: Line, first: u32) {
    to.extend_from_slice(&line.slope.to_le_bytes());
    put_u32(to, first);
    to.extend_from_slice(&line.y0.to_le_bytes());
}

impl Parts<'_> {
    /// The whole block; `None` if it would be 4 GiB or more.
    pub(super) fn encode(&self) -> Option<Vec<u8>> {
        let mut flags = 0;
        let mut to = vec![0; HEADER_BYTES];
        let mut positions = [0u32; 7];
        let [offsets, sizes, codes, ties, span, tree, end] = &mut positions;
        *offsets = narrow(to.len())?;
        to.extend_from_slice(&self.offsets);
        pad(&mut to);
        *sizes = narrow(to.len())?;
        if let Some(packed) = &self.sizes {
            flags |= FLAG_SIZES;
            to.extend_from_slice(packed);
            pad(&mut to);
        }
        *codes = narrow(to.len())?;
        if let Some(codes) = self.codes {
            flags |= FLAG_CODES;
            codes.iter().for_each(|c| to.extend_from_slice(&c.to_le_bytes()));
            pad(&mut to);
        }
        *ties = narrow(to.len())?;
        if !self.ties.is_empty() {
            flags |= FLAG_TIES;
            put_u32(&mut to, narrow(self.ties.len())?);
            self.ties.iter().for_each(|tie| put_u32(&mut to, tie.0));
            let mut end = 0;
            for tie in &self.ties {
                end += tie.1.len();
                put_u32(&mut to, narrow(end)?);
            }
            self.ties.iter().for_each(|tie| to.extend_from_slice(tie.1));
            pad(&mut to);
        }
        *span = narrow(to.len())?;
        if !self.span.is_empty() {
            flags |= FLAG_SPAN;
            put_u32(&mut to, narrow(self.span.len())?);
            self.span.iter().for_each(|&b| put_u32(&mut to, b));
            pad(&mut to);
        }
        *tree = narrow(to.len())?;
        for &start in &self.tree.starts {
            put_u32(&mut to, narrow(start)?);
        }
        put_u32(&mut to, narrow(self.tree.nodes.len())?);
        pad(&mut to);
        to.extend_from_slice(&self.tree.nodes);
        *end = narrow(to.len())?;

        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&[VERSION, EPSILON]);
        header.extend_from_slice(&u16::to_le_bytes(flags));
        put_u32(&mut header, self.blocks);
        put_u32(&mut header, narrow(self.tree.starts.len())?);
        put_u64(&mut header, self.data_end);
        positions.iter().for_each(|&p| put_u32(&mut header, p));
        put_u32(&mut header, 0);
        to.get_mut(..HEADER_BYTES)?.copy_from_slice(&header);
        Some(to)
    }
}

/// What the header says and where the sections are, once all of them are checked.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) blocks: u32,
    pub(super) nodes: u32,
    pub(super) data_end: u64,
    pub(super) offsets: Packed,
    pub(super) sizes: Option<Packed>,
    /// Position of the codes, in exact mode.
    pub(super) codes: Option<usize>,
    pub(super) ties: Ties,
    pub(super) span: usize,
    pub(super) span_count: usize,
    starts: usize,
    first_node: usize,
    pub(super) root: Node,
    pub(super) ranked: Option<Ranked>,
    pub(super) segments: u32,
    pub(super) leaves: u32,
    pub(super) depth: u32,
}

/// Where the parts of a node are. Nothing of it is trusted before [`Layout::parse`] has returned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) is_leaf: bool,
    /// A model: does it rank? A leaf: are its ends wide?
    pub(super) form: bool,
    depth: u16,
    pub(super) lo: u32,
    pub(super) hi: u32,
    pub(super) skip: u32,
    pub(super) prefix: usize,
    /// Bytes of prefix.
    pub(super) prefix_len: usize,
    /// Behind the prefix: the ranked projection, a leaf's ends.
    pub(super) body: usize,
    /// Segments of a model.
    pub(super) rows: usize,
    pub(super) x0: usize,
    pub(super) lines: usize,
    pub(super) redirects: usize,
    redirect_count: usize,
    end: usize,
}

fn bad(what: &str, at: usize) -> Error {
    Error::corruption(format!("learned index: {what} at byte {at}"))
}

impl Node {
    /// Reads the node in `bytes[start..end]`, of a block whose sections are 8-aligned.
    fn decode(bytes: &[u8], start: usize, end: usize) -> Result<Self> {
        let short = || bad("truncated node", start);
        let mut from = Reader::new(bytes.get(start..end).ok_or_else(short)?);
        let kind = from.u8()?;
        let form = from.u8()?;
        let depth = from.u16()?;
        let (lo, hi) = (from.u32()?, from.u32()?);
        let skip = from.u32()?;
        let prefix_len = from.u32()? as usize;
        let prefix = start + from.position();
        from.bytes(prefix_len)?;
        if kind > LEAF || form > 1 || lo > hi {
            return Err(bad("unknown node", start));
        }
        let mut node = Self {
            is_leaf: kind == LEAF,
            form: form == 1,
            depth,
            lo,
            hi,
            skip,
            prefix,
            prefix_len,
            body: prefix + prefix_len,
            rows: 0,
            x0: 0,
            lines: 0,
            redirects: 0,
            redirect_count: 0,
            end,
        };
        if node.is_leaf {
            return Ok(node);
        }
        if node.form {
            Ranked::skip(&mut from)?;
        }
        let aligned = (start + from.position()).next_multiple_of(8);
        from.bytes(aligned - start - from.position())?;
        node.rows = from.u32()? as usize;
        node.redirect_count = from.u32()? as usize;
        node.x0 = start + from.position();
        node.lines = node.x0 + 8 * node.rows;
        node.redirects = node.lines + LINE_BYTES * (node.rows + 1);
        if node.redirects + 8 * node.redirect_count > end || node.rows == 0 {
            return Err(short());
        }
        Ok(node)
    }

    /// First values of the segments.
    #[inline]
    pub(super) fn x0s<'a>(&self, bytes: &'a [u8]) -> Option<&'a [[u8; 8]]> {
        Some(bytes.get(self.x0..self.lines)?.as_chunks::<8>().0)
    }

    /// Lines of the segments, and the one behind the last.
    #[inline]
    pub(super) fn lines<'a>(&self, bytes: &'a [u8]) -> Option<&'a [[u8; LINE_BYTES]]> {
        Some(bytes.get(self.lines..self.redirects)?.as_chunks::<LINE_BYTES>().0)
    }

    fn redirect_rows<'a>(&self, bytes: &'a [u8]) -> Option<&'a [[u8; 8]]> {
        let rows = bytes.get(self.redirects..self.redirects + 8 * self.redirect_count)?;
        Some(rows.as_chunks::<8>().0)
    }

    /// The child that the redirect in row `row` leads to.
    pub(super) fn child(&self, bytes: &[u8], row: usize) -> Option<u32> {
        let rows = self.redirect_rows(bytes)?;
        let found = rows.binary_search_by_key(&row, |r| redirect(r).0 as usize).ok()?;
        Some(redirect(rows.get(found)?).1)
    }

    /// Separator `i` of a leaf, behind skip and prefix.
    #[inline]
    pub(super) fn separator<'a>(&self, bytes: &'a [u8], i: usize) -> Option<&'a [u8]> {
        let width = if self.form { 4 } else { 2 };
        let text = self.body + width * (self.hi - self.lo) as usize;
        let end_of = |i: usize| {
            let at = self.body + width * i;
            if self.form {
                u32_at(bytes, at).map(|n| n as usize)
            } else {
                bytes.get(at..)?.first_chunk::<2>().map(|b| usize::from(u16::from_le_bytes(*b)))
            }
        };
        let start = if i == 0 { 0 } else { end_of(i - 1)? };
        let end = end_of(i)?;
        if text + end > self.end {
            return None;
        }
        bytes.get(text + start..text + end)
    }

    fn check_leaf(&self, bytes: &[u8]) -> Result<()> {
        let sound = (0..(self.hi - self.lo) as usize).all(|i| self.separator(bytes, i).is_some());
        if sound { Ok(()) } else { Err(bad("separators of a leaf", self.body)) }
    }

    fn check_model(&self, bytes: &[u8]) -> Result<()> {
        let short = || bad("truncated model", self.x0);
        let x0s = self.x0s(bytes).ok_or_else(short)?;
        if !x0s.is_sorted_by(|a, b| u64::from_le_bytes(*a) < u64::from_le_bytes(*b)) {
            return Err(bad("segments out of order", self.x0));
        }
        let (behind, rows) = self.lines(bytes).and_then(<[_]>::split_last).ok_or_else(short)?;
        let mut before = self.lo;
        let mut redirects = self.redirect_rows(bytes).ok_or_else(short)?.iter();
        for (i, row) in rows.iter().enumerate() {
            let (line, first) = split_line(row);
            let lies = line.slope < 0.0 || line.slope.is_infinite();
            if lies || first < before || first > self.hi + 1 {
                return Err(bad("impossible line", self.lines + LINE_BYTES * i));
            }
            let mut leads_down = || redirects.next().is_some_and(|r| redirect(r).0 as usize == i);
            if line.slope.is_nan() && !leads_down() {
                return Err(bad("segment without its child", self.redirects));
            }
            before = first;
        }
        if split_line(behind).1 != self.hi + 1 || redirects.next().is_some() {
            return Err(bad("end of a model", self.redirects));
        }
        Ok(())
    }
}

/// Row and child.
fn redirect(bytes: &[u8; 8]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = *bytes;
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// Line and `first`.
#[inline]
pub(super) fn split_line(bytes: &[u8; LINE_BYTES]) -> (Line, u32) {
    let [a, b, c, d, e, f, g, h, i, j] = *bytes;
    let line = Line { slope: f32::from_le_bytes([a, b, c, d]), y0: i16::from_le_bytes([i, j]) };
    (line, u32::from_le_bytes([e, f, g, h]))
}

impl Layout {
    /// Checks `bytes` as a whole.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::new(bytes);
        if from.bytes(4)? != MAGIC {
            return Err(bad("wrong magic", 0));
        }
        let (version, epsilon, flags) = (from.u8()?, from.u8()?, from.u16()?);
        if version != VERSION || epsilon != EPSILON || flags & !FLAGS != 0 {
            return Err(Error::not_supported(format!(
                "learned index of version {version}, epsilon {epsilon}, flags {flags:#x}"
            )));
        }
        let (blocks, nodes, data_end) = (from.u32()?, from.u32()?, from.u64()?);
        let mut positions = [0usize; 7];
        for position in &mut positions {
            *position = from.u32()? as usize;
        }
        let [offsets, sizes, codes, ties, span, tree, end] = positions;
        if blocks == 0
            || blocks == u32::MAX
            || nodes == 0
            || offsets != HEADER_BYTES
            || end != bytes.len()
            || !positions.is_sorted()
            || positions.iter().take(6).any(|p| p % 8 != 0)
        {
            return Err(bad("sections", 24));
        }
        let count = blocks as usize;
        let has = |flag| flags & flag != 0;
        let empty_unless = |flag, from: usize, to: usize| has(flag) == (from != to);
        if !empty_unless(FLAG_SIZES, sizes, codes)
            || !empty_unless(FLAG_CODES, codes, ties)
            || !empty_unless(FLAG_TIES, ties, span)
            || !empty_unless(FLAG_SPAN, span, tree)
            || (has(FLAG_CODES) && ties - codes != (2 * count).next_multiple_of(8))
        {
            return Err(bad("flags", 6));
        }
        let packed_sizes =
            has(FLAG_SIZES).then(|| Packed::check(bytes, sizes, codes, count)).transpose()?;
        let mut layout = Self {
            blocks,
            nodes,
            data_end,
            offsets: Packed::check(bytes, offsets, sizes, count + 1)?,
            sizes: packed_sizes,
            codes: has(FLAG_CODES).then_some(codes),
            ties: if has(FLAG_TIES) { Ties::check(bytes, ties, span)? } else { Ties::default() },
            span: span + 4,
            span_count: 0,
            starts: tree,
            first_node: (tree + 4 * (nodes as usize + 1)).next_multiple_of(8),
            root: Node::NONE,
            ranked: None,
            segments: 0,
            leaves: 0,
            depth: 0,
        };
        if has(FLAG_SPAN) {
            layout.span_count = check_span(bytes, span, tree, blocks)?;
        }
        layout.check_tree(bytes)?;
        Ok(layout)
    }

    /// Node `id` of a checked tree.
    #[inline]
    pub(super) fn node(&self, bytes: &[u8], id: u32) -> Option<Node> {
        self.read_node(bytes, id).ok()
    }

    fn read_node(&self, bytes: &[u8], id: u32) -> Result<Node> {
        let at = self.starts + 4 * id as usize;
        let short = || bad("node out of range", at);
        let start = self.first_node + u32_at(bytes, at).ok_or_else(short)? as usize;
        let end = self.first_node + u32_at(bytes, at + 4).ok_or_else(short)? as usize;
        if id >= self.nodes || start >= end {
            return Err(short());
        }
        Node::decode(bytes, start, end)
    }

    fn check_tree(&mut self, bytes: &[u8]) -> Result<()> {
        // Each node takes bytes, so the count is bounded before anything is done `nodes` times.
        if self.first_node > bytes.len() {
            return Err(bad("nodes", self.starts));
        }
        for id in 0..self.nodes {
            let node = self.read_node(bytes, id)?;
            if node.hi >= self.blocks || node.depth > MAX_NODE_DEPTH {
                return Err(bad("node beyond the table", node.prefix));
            }
            self.depth = self.depth.max(u32::from(node.depth) + 1);
            if node.is_leaf {
                node.check_leaf(bytes)?;
                self.leaves += 1;
                continue;
            }
            node.check_model(bytes)?;
            self.segments += u32::try_from(node.rows).unwrap_or(u32::MAX);
            for redirect_row in node.redirect_rows(bytes).unwrap_or(&[]) {
                let child = redirect(redirect_row).1;
                let below = self.read_node(bytes, child)?;
                let inside = below.lo >= node.lo && below.hi <= node.hi;
                if child <= id
                    || !inside
                    || below.depth <= node.depth
                    || (below.form && !below.is_leaf)
                {
                    return Err(bad("child", node.redirects));
                }
            }
            if id != 0 && node.form {
                return Err(bad("ranked node below the root", node.body));
            }
        }
        let root = self.read_node(bytes, 0)?;
        if root.lo != 0 || root.hi + 1 != self.blocks || root.skip != 0 {
            return Err(bad("root", root.prefix));
        }
        if root.form && !root.is_leaf {
            let rest = bytes.get(root.body..root.end).unwrap_or(&[]);
            self.ranked = Some(Ranked::decode(&mut Reader::new(rest))?);
        }
        self.root = root;
        Ok(())
    }
}

impl Node {
    /// Stands for the root until that is read.
    const NONE: Self = Self {
        is_leaf: true,
        form: false,
        depth: 0,
        lo: 0,
        hi: 0,
        skip: 0,
        prefix: 0,
        prefix_len: 0,
        body: 0,
        rows: 0,
        x0: 0,
        lines: 0,
        redirects: 0,
        redirect_count: 0,
        end: 0,
    };
}

/// Separators of single blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ties {
    blocks: usize,
    count: usize,
    end: usize,
}

impl Ties {
    fn check(bytes: &[u8], start: usize, end: usize) -> Result<Self> {
        let damage = || bad("ties", start);
        let count = u32_at(bytes, start).ok_or_else(damage)? as usize;
        let ties = Self { blocks: start + 4, count, end };
        if count == 0 || ties.text() > end {
            return Err(damage());
        }
        let blocks = ties.blocks(bytes).ok_or_else(damage)?;
        let ascending = blocks.is_sorted_by(|a, b| u32::from_le_bytes(*a) < u32::from_le_bytes(*b));
        if ascending && (0..count).all(|i| ties.separator(bytes, i).is_some()) {
            Ok(ties)
        } else {
            Err(damage())
        }
    }

    fn text(&self) -> usize {
        self.blocks + 8 * self.count
    }

    fn blocks<'a>(&self, bytes: &'a [u8]) -> Option<&'a [[u8; 4]]> {
        Some(bytes.get(self.blocks..self.blocks + 4 * self.count)?.as_chunks::<4>().0)
    }

    fn separator<'a>(&self, bytes: &'a [u8], i: usize) -> Option<&'a [u8]> {
        let end_of = |i: usize| u32_at(bytes, self.blocks + 4 * (self.count + i));
        let start = if i == 0 { 0 } else { end_of(i - 1)? };
        let (start, end) = (self.text() + start as usize, self.text() + end_of(i)? as usize);
        if end <= self.end { bytes.get(start..end) } else { None }
    }

    /// The separator between `block` and the one before it, if there is one here.
    pub(super) fn of<'a>(&self, bytes: &'a [u8], block: u32) -> Option<&'a [u8]> {
        let found = self.blocks(bytes)?.binary_search_by_key(&block, |b| u32::from_le_bytes(*b));
        self.separator(bytes, found.ok()?)
    }
}

/// Number of blocks in the span section.
fn check_span(bytes: &[u8], start: usize, end: usize, blocks: u32) -> Result<usize> {
    let short = || bad("span list", start);
    let mut from = Reader::new(bytes.get(start..end).ok_or_else(short)?);
    let count = from.u32()? as usize;
    let list = from.bytes(count.checked_mul(4).ok_or_else(short)?)?.as_chunks::<4>().0;
    let number = |b: &[u8; 4]| u32::from_le_bytes(*b);
    let ascending = list.is_sorted_by(|a, b| number(a) < number(b));
    if ascending && list.last().is_none_or(|b| number(b) < blocks) {
        Ok(count)
    } else {
        Err(short())
    }
}
