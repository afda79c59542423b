//! How large and how fast PGM(Fence) is, beside a classic index of the same blocks.
//!
//!     cargo run --release --example learned_index [--sizes] [set ...]
//!
//! For each key set one table of 64 MB is cut into blocks as the table builder would (values of 100 bytes,
//! delta-encoded keys, no compression), once into blocks of 4096 bytes with the exact index and once of
//! 1365 bytes with the published three-block window. Sizes and shares are exact and repeatable; times are
//! the best of 9 runs, on one thread with everything in the processor's caches;
//! `--sizes` leaves them out.
//!
//! - `classic`: separators as short as they can be, each with its handle and restart point. Its lookup is
//!   a binary search over the separators in one buffer, without the entry decoding that a real block needs.
//! - `B/blk`: learned bytes a block, all sections; `tree` of them are models, leaves and their keys.
//! - `extra`: blocks opened beyond the first, per hundred lookups of stored keys.
//! - `miss`: lookups of stored keys whose block is not among the candidates. Must be 0.
// A measurement needs the real clock.
#![allow(clippy::disallowed_methods)]
// The crate's lints ask for documented items; this is a program.
#![allow(missing_docs)]

#[path = "../tests/support/keysets.rs"]
mod keysets;

use mountdb::learned::{BuildOptions, Mode, PgmFence, PgmFenceBuilder};
use std::hint::black_box;
use std::time::Instant;

const TABLE_BYTES: usize = 64 << 20;
const VALUE_BYTES: usize = 100;
const RESTART_INTERVAL: usize = 16;
const LOOKUPS: usize = 200_000;
const RUNS: usize = 9;

struct Block {
    first: usize,
    last: usize,
    offset: u64,
    size: u64,
}

fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// Cuts a table of at most 64 MB into blocks of about `block_bytes`.
fn cut(keys: &[Vec<u8>], block_bytes: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut first, mut size, mut offset) = (0, 0, 0u64);
    for (i, key) in keys.iter().enumerate() {
        let delta = i > first && (i - first) % RESTART_INTERVAL != 0;
        let common = if delta { shared(&keys[i - 1], key) } else { 0 };
        size += 3 + key.len() - common + 8 + VALUE_BYTES + if delta { 0 } else { 4 };
        if size >= block_bytes || i + 1 == keys.len() {
            blocks.push(Block { first, last: i, offset, size: size as u64 });
            offset += size as u64 + 5;
            (first, size) = (i + 1, 0);
        }
        if offset as usize >= TABLE_BYTES {
            break;
        }
    }
    blocks
}

/// Separators in one buffer: the end of each.
struct Classic {
    text: Vec<u8>,
    ends: Vec<u32>,
}

impl Classic {
    fn over(keys: &[Vec<u8>], blocks: &[Block]) -> Self {
        let mut classic = Self { text: Vec::new(), ends: Vec::new() };
        for pair in blocks.windows(2) {
            // As short as a key above the last of one block and not above the first of the next can be.
            let (last, next) = (&keys[pair[0].last], &keys[pair[1].first]);
            let kept = (shared(last, next) + 1).min(next.len());
            classic.text.extend_from_slice(&next[..kept]);
            classic.ends.push(classic.text.len() as u32);
        }
        classic
    }

    fn bytes(&self) -> usize {
        // Two lengths, a handle of six bytes, a restart point.
        self.text.len() + 12 * (self.ends.len() + 1)
    }

    fn find(&self, key: &[u8]) -> usize {
        let (mut from, mut to) = (0, self.ends.len());
        while from < to {
            let middle = from.midpoint(to);
            let start = if middle == 0 { 0 } else { self.ends[middle - 1] as usize };
            if &self.text[start..self.ends[middle] as usize] <= key {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }
}

/// Nanoseconds of one of `count` steps, in the run that others disturbed least.
fn time(count: usize, mut run: impl FnMut()) -> f64 {
    if std::env::args().any(|arg| arg == "--sizes") {
        return f64::NAN;
    }
    let one_run = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64 / count as f64
    };
    (0..RUNS).map(one_run).fold(f64::MAX, f64::min)
}

fn build(keys: &[Vec<u8>], blocks: &[Block], mode: Mode, classic: usize) -> Option<Vec<u8>> {
    let mut builder = PgmFenceBuilder::new();
    for b in blocks {
        builder.add_block(&keys[b.first], &keys[b.last], b.offset, b.size);
    }
    let end = blocks.last().map_or(0, |b| b.offset + b.size + 5);
    builder.finish(end, &BuildOptions { mode, standard_index_bytes: classic as u64 })
}

fn measure(set: &str, keys: &[Vec<u8>], mode: Mode) {
    let blocks = cut(keys, if mode == Mode::Exact { 4096 } else { 1365 });
    let classic = Classic::over(keys, &blocks);
    let count = blocks.len();
    let name = if mode == Mode::Exact { "exact" } else { "window" };
    let head = format!("{set:10} {name:6} {count:6} {:8.1}", classic.bytes() as f64 / 1024.0);
    let Some(bytes) = build(keys, &blocks, mode, classic.bytes()) else {
        println!("{head}  keeps its classic index");
        return;
    };
    let build_ns = time(count, || {
        black_box(build(keys, &blocks, mode, classic.bytes()));
    });
    let index = PgmFence::parse(bytes).expect("verified when built");
    let stats = index.stats();
    let stored = blocks.last().map_or(0, |b| b.last + 1);
    let mut dice = keysets::Dice::new(set, 99);
    let asked: Vec<usize> = (0..LOOKUPS).map(|_| dice.below(stored as u64) as usize).collect();
    // In one buffer, so that the times are not those of fetching scattered keys.
    let text: Vec<u8> = asked.iter().flat_map(|&i| keys[i].iter().copied()).collect();
    let mut from = 0;
    let mut take = |i: &usize| {
        from += keys[*i].len();
        &text[from - keys[*i].len()..from]
    };
    let queries: Vec<&[u8]> = asked.iter().map(&mut take).collect();
    let (mut extra, mut misses) = (0u64, 0u64);
    for query in &queries {
        let home = blocks.partition_point(|b| keys[b.last].as_slice() < *query) as u32;
        let found = index.candidates(query);
        misses += u64::from(!found.has(home));
        extra += u64::from(found.predicted.abs_diff(home));
    }
    let learned_ns = time(LOOKUPS, || {
        let mut sum = 0u64;
        for query in &queries {
            sum += u64::from(index.candidates(query).predicted);
        }
        black_box(sum);
    });
    let handle_ns = time(LOOKUPS, || {
        let mut sum = 0u64;
        for query in &queries {
            sum += index.handle(index.candidates(query).predicted).0;
        }
        black_box(sum);
    });
    let classic_ns = time(LOOKUPS, || {
        black_box(queries.iter().map(|query| classic.find(query)).sum::<usize>());
    });
    let tree = stats.bytes as f64 - offsets_and_codes(&index);
    println!(
        "{head} {:8.1} {:7.1} {:6.2} {:6} {:5} {:5} {:2} {:6} {:6.0} {:7.1} {:8.1} {:8.1} {:6.2} {:5}",
        stats.bytes as f64 / 1024.0,
        tree / 1024.0,
        stats.bytes as f64 / count as f64,
        stats.segments,
        stats.nodes,
        stats.leaves,
        stats.depth,
        if index.is_ranked() { "ranked" } else { "raw8" },
        build_ns,
        learned_ns,
        handle_ns,
        classic_ns,
        100.0 * extra as f64 / LOOKUPS as f64,
        misses,
    );
}

/// Bytes of the sections before the tree, read from the header.
fn offsets_and_codes(index: &PgmFence) -> f64 {
    let position = index.bytes().get(44..).and_then(|b| b.first_chunk::<4>());
    position.map_or(0.0, |b| f64::from(u32::from_le_bytes(*b)))
}

fn main() {
    let asked: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    println!(
        "{:10} {:6} {:6} {:>8} {:>8} {:>7} {:>6} {:>6} {:>5} {:>5} {:>2} {:6} {:>6} {:>7} {:>8} {:>8} {:>6} {:>5}",
        "set",
        "mode",
        "blocks",
        "classicK",
        "learnedK",
        "treeK",
        "B/blk",
        "segs",
        "nodes",
        "leafs",
        "dp",
        "proj",
        "bld/bk",
        "find ns",
        "+handle",
        "classic",
        "extra%",
        "miss"
    );
    for set in keysets::INT_SETS.iter().chain(keysets::STRING_SETS) {
        if !asked.is_empty() && !asked.iter().any(|a| a == set) {
            continue;
        }
        let sample = keysets::keys(set, 1000, 42);
        let key_bytes = sample.iter().map(Vec::len).sum::<usize>() / sample.len();
        let keys = keysets::keys(set, TABLE_BYTES / (VALUE_BYTES + 5 + key_bytes / 8), 42);
        measure(set, &keys, Mode::Exact);
        measure(set, &keys, Mode::Window);
    }
}
