//! What must hold for every key set, every way to cut it into blocks, and every query.

use super::keysets::{self, Dice};
use super::{BuildOptions, Candidates, Mode, PgmFence, PgmFenceBuilder};

/// A table reduced to what the index knows of it.
struct Table {
    /// Keys in order; one key may stand several times (versions).
    keys: Vec<Vec<u8>>,
    /// Blocks as ranges of `keys`.
    blocks: Vec<std::ops::Range<usize>>,
    places: Vec<(u64, u64)>,
    data_end: u64,
}

impl Table {
    /// Cuts `keys` into blocks of `1..=most` keys.
    fn cut(keys: Vec<Vec<u8>>, most: u64, dice: &mut Dice) -> Self {
        let mut blocks = Vec::new();
        let mut places = Vec::new();
        let (mut from, mut offset) = (0, 0);
        // Half of the tables have gaps between blocks, as with aligned ones.
        let gap = if dice.below(2) == 0 { 0 } else { 1 + dice.below(50) };
        while from < keys.len() {
            let to = (from + 1 + dice.below(most) as usize).min(keys.len());
            blocks.push(from..to);
            let size = 20 + dice.below(4000);
            places.push((offset, size));
            offset += size + 5 + gap;
            from = to;
        }
        Self { keys, blocks, places, data_end: offset }
    }

    fn first(&self, block: usize) -> &[u8] {
        &self.keys[self.blocks[block].start]
    }

    fn last(&self, block: usize) -> &[u8] {
        &self.keys[self.blocks[block].end - 1]
    }

    /// The index, whether or not it is worth it.
    fn index(&self, mode: Mode) -> Option<PgmFence> {
        let mut builder = PgmFenceBuilder::new();
        for (i, &(offset, size)) in self.places.iter().enumerate() {
            builder.add_block(self.first(i), self.last(i), offset, size);
        }
        let options = BuildOptions { mode, standard_index_bytes: u64::MAX / 8 };
        let bytes = builder.finish(self.data_end, &options)?;
        Some(PgmFence::parse(bytes).expect("what was just verified parses"))
    }

    /// The promise for one key, against the plainest possible search.
    fn check(&self, index: &PgmFence, key: &[u8], what: &str) -> Candidates {
        let blocks = self.blocks.len();
        let stored = self.keys.binary_search_by(|k| k.as_slice().cmp(key)).is_ok();
        let home = self.blocks.partition_point(|b| self.keys[b.end - 1].as_slice() < key);
        let found = index.candidates(key);
        assert!(found.first <= found.predicted && found.predicted <= found.last, "{what}");
        assert!(found.last - found.first <= 2, "{what}");
        assert!((found.last as usize) < blocks, "{what}");
        let may = found.has(home as u32) || (!stored && home > 0 && found.has(home as u32 - 1));
        let short = &key[..key.len().min(60)];
        assert!(may, "{what}: {short:02x?} stored: {stored}, home {home}, got {found:?}");
        found
    }

    /// Every boundary, and many keys near and far.
    fn check_all(&self, index: &PgmFence, dice: &mut Dice, queries: usize, what: &str) {
        assert_eq!(index.blocks() as usize, self.blocks.len());
        for (i, &place) in self.places.iter().enumerate() {
            assert_eq!(index.handle(i as u32), place, "{what}: block {i}");
            let goes_on = i + 1 < self.blocks.len() && self.last(i) == self.first(i + 1);
            assert_eq!(index.span(i as u32), goes_on, "{what}: block {i}");
            self.check(index, self.first(i), what);
            self.check(index, self.last(i), what);
        }
        for query in 0..queries {
            let at = dice.below(self.keys.len() as u64) as usize;
            let key = &self.keys[at];
            self.check(index, key, what);
            let mut near = keysets::mutated(key, dice);
            self.check(index, &near, what);
            if query % 3 == 0 {
                near = keysets::mutated(&near, dice);
                self.check(index, &near, what);
            }
            if query % 7 == 0 {
                let length = dice.below(24);
                let random: Vec<u8> = (0..length).map(|_| dice.roll() as u8).collect();
                self.check(index, &random, what);
            }
        }
        for extreme in [&b""[..], &[0], &[0; 40], &[0xFF], &[0xFF; 8], &[0xFF; 300]] {
            self.check(index, extreme, what);
        }
    }
}

const MODES: [Mode; 2] = [Mode::Exact, Mode::Window];

fn all_sets() -> impl Iterator<Item = &'static str> {
    keysets::INT_SETS.iter().chain(keysets::STRING_SETS).copied()
}

fn check_keys(keys: &[Vec<u8>], most: u64, dice: &mut Dice, queries: usize, what: &str) -> u32 {
    let table = Table::cut(keys.to_vec(), most, dice);
    let mut nodes = 0;
    for mode in MODES {
        match table.index(mode) {
            Some(index) => {
                assert_eq!(index.mode(), mode);
                table.check_all(&index, dice, queries, &format!("{what}, {mode:?}, cut {most}"));
                nodes = index.stats().nodes;
            }
            None => assert!(table.blocks.len() < 8, "{what}: no index of {}", table.blocks.len()),
        }
    }
    nodes
}

#[test]
fn candidates_hold_every_key_of_every_set_however_cut() {
    for set in all_sets() {
        let mut dice = Dice::new(set, 1);
        for (count, most) in [(1, 1), (9, 1), (40, 1), (300, 7), (900, 1), (1500, 40)] {
            let keys = keysets::keys(set, count, dice.below(1000));
            check_keys(&keys, most, &mut dice, 120, set);
        }
    }
}

#[test]
fn candidates_hold_every_key_of_random_tables() {
    let mut dice = Dice::new("tables", 2);
    for round in 0..50 {
        let set = if round % 2 == 0 { keysets::STRING_SETS } else { keysets::INT_SETS };
        let set = set[dice.below(set.len() as u64) as usize];
        let count = 8 + dice.below(1 << (3 + round % 9)) as usize;
        let keys = keysets::keys(set, count, round);
        let most = 1 + dice.below(1 << (round % 6));
        check_keys(&keys, most, &mut dice, 150, set);
    }
}

#[test]
fn mixed_sets_in_one_table_are_served() {
    let mut dice = Dice::new("mixed", 3);
    for round in 0..12 {
        let mut keys = Vec::new();
        for _ in 0..4 {
            let sets = keysets::STRING_SETS;
            keys.extend(keysets::strings(sets[dice.below(sets.len() as u64) as usize], 250, round));
        }
        keys.sort();
        keys.dedup();
        check_keys(&keys, 1 + round, &mut dice, 300, "mixed");
    }
}

#[test]
fn versions_of_one_key_may_fill_many_blocks() {
    let mut dice = Dice::new("versions", 4);
    for round in 0..30 {
        let set = ["be64", "user", "zeros", "short", "urls"][round as usize % 5];
        let mut keys = Vec::new();
        for key in keysets::strings(set, 60, round) {
            let versions = match dice.below(6) {
                0 => 1 + dice.below(60),
                1 => 1 + dice.below(9),
                _ => 1,
            };
            keys.extend((0..versions).map(|_| key.clone()));
        }
        check_keys(&keys, 1 + dice.below(8), &mut dice, 200, set);
    }
    let hot = vec![b"one key".to_vec(); 500];
    check_keys(&hot, 10, &mut dice, 50, "one key only");
    let mut around = vec![b"a".to_vec()];
    around.extend(hot);
    around.push(b"z".to_vec());
    check_keys(&around, 10, &mut dice, 50, "one key and neighbours");
}

#[test]
fn numbers_at_the_edges_are_served() {
    let mut dice = Dice::new("edges", 5);
    let edges = |n: u64| -> Vec<u64> {
        let mut xs: Vec<u64> = (0..n).chain((0..n).map(|i| u64::MAX - i)).collect();
        xs.extend((0..n).map(|i| (1 << 63) - n / 2 + i));
        xs.extend((0..64).map(|bit| 1 << bit));
        xs.sort_unstable();
        xs.dedup();
        xs
    };
    for (n, most) in [(2, 1), (20, 1), (20, 3), (500, 1), (500, 9), (4000, 12)] {
        let keys: Vec<Vec<u8>> = edges(n).iter().map(|x| x.to_be_bytes().to_vec()).collect();
        check_keys(&keys, most, &mut dice, 500, "edges");
    }
}

#[test]
fn keys_that_differ_only_in_length_are_served() {
    let mut dice = Dice::new("lengths", 6);
    for byte in [0, 1, b'a', 0xFF] {
        let keys: Vec<Vec<u8>> = (0..300).map(|n| vec![byte; n]).collect();
        check_keys(&keys, 1, &mut dice, 500, "lengths");
        check_keys(&keys, 4, &mut dice, 500, "lengths");
    }
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for head in 0..40u8 {
        for zeros in 0..20 {
            keys.push([&[head][..], &vec![0; zeros]].concat());
            keys.push([&[head][..], &vec![0; zeros], &[1]].concat());
        }
    }
    keys.sort();
    keys.dedup();
    check_keys(&keys, 2, &mut dice, 2000, "zero tails");
}

#[test]
fn all_strings_of_two_symbols_are_told_apart() {
    let mut keys: Vec<Vec<u8>> = vec![Vec::new()];
    for length in 0..11 {
        let longest: Vec<_> = keys.iter().filter(|k| k.len() == length).cloned().collect();
        keys.extend(longest.iter().flat_map(|k| [0u8, 1].map(|b| [k.as_slice(), &[b]].concat())));
    }
    keys.sort();
    let mut dice = Dice::new("two symbols", 7);
    // Each second key is stored, so that the others are queries of the meanest kind.
    let stored: Vec<_> = keys.iter().step_by(2).cloned().collect();
    for most in [1, 2, 5, 30] {
        let table = Table::cut(stored.clone(), most, &mut dice);
        for mode in MODES {
            let index = table.index(mode).expect("enough blocks");
            for key in &keys {
                table.check(&index, key, "two symbols");
            }
        }
    }
}

#[test]
fn long_keys_cost_no_more_than_what_tells_them_apart() {
    let mut dice = Dice::new("long", 8);
    let mut keys: Vec<Vec<u8>> =
        (0..40).map(|_| (0..65_536).map(|_| dice.roll() as u8).collect()).collect();
    keys.sort();
    let table = Table::cut(keys, 1, &mut dice);
    let index = table.index(Mode::Exact).expect("enough blocks");
    table.check_all(&index, &mut dice, 60, "long random");
    assert!(index.bytes().len() < 4096, "{}", index.bytes().len());

    let shared = vec![b'p'; 65_000];
    let keys: Vec<Vec<u8>> =
        (0..60u32).map(|i| [shared.as_slice(), &(i * 7).to_be_bytes()].concat()).collect();
    let table = Table::cut(keys, 1, &mut dice);
    let index = table.index(Mode::Exact).expect("enough blocks");
    table.check_all(&index, &mut dice, 60, "long shared");
    assert!(index.bytes().len() < 70_000, "{}", index.bytes().len());

    let mut full: Vec<Vec<u8>> = (0..30).map(|i| vec![0xFF; 100 * i]).collect();
    full.extend((0..30).map(|i| [vec![0xFE; 50 + i], vec![0xFF; 200]].concat()));
    full.sort();
    check_keys(&full, 1, &mut dice, 200, "all ones");
}

#[test]
fn too_much_to_remember_means_no_index() {
    let mut builder = PgmFenceBuilder::new();
    let mut key = vec![b'k'; 1 << 20];
    for i in 0..80u8 {
        key.push(i);
        builder.add_block(&key, &key, u64::from(i) * 100, 95);
        key.pop();
    }
    assert!(builder.finish(8000, &BuildOptions::default()).is_none());
}

#[test]
fn keys_out_of_order_mean_no_index() {
    let mut builder = PgmFenceBuilder::new();
    for i in 0..20u8 {
        let key = [if i == 13 { 2 } else { i }];
        builder.add_block(&key, &key, u64::from(i) * 100, 95);
    }
    assert!(builder.finish(2000, &BuildOptions::default()).is_none());
}

#[test]
fn a_table_of_few_blocks_or_of_a_small_classic_index_gets_none() {
    let mut dice = Dice::new("few", 9);
    let table = Table::cut(keysets::keys("ycsb", 7, 1), 1, &mut dice);
    assert!(table.index(Mode::Exact).is_none());
    let table = Table::cut(keysets::keys("ycsb", 70, 1), 1, &mut dice);
    let build = |standard_index_bytes| {
        let mut builder = PgmFenceBuilder::new();
        for (i, &(offset, size)) in table.places.iter().enumerate() {
            builder.add_block(table.first(i), table.last(i), offset, size);
        }
        builder.finish(table.data_end, &BuildOptions { standard_index_bytes, ..Default::default() })
    };
    assert!(build(100).is_none());
    assert!(build(1 << 20).is_some());
}

#[test]
fn exact_mode_names_one_block_nearly_always() {
    for set in ["ycsb", "osm", "genome", "tenant64", "user", "uuid", "urls", "composite", "paths"] {
        let keys = keysets::keys(set, 12_000, 3);
        let mut dice = Dice::new(set, 10);
        let table = Table::cut(keys.clone(), 60, &mut dice);
        let index = table.index(Mode::Exact).expect("enough blocks");
        let extra: u32 = keys
            .iter()
            .map(|key| {
                let found = table.check(&index, key, set);
                found.predicted
                    - table.blocks.partition_point(|b| table.keys[b.end - 1] < *key) as u32
            })
            .sum();
        assert!(extra as usize <= keys.len() / 1000, "{set}: {extra} of {}", keys.len());
    }
}

#[test]
fn damage_is_refused_or_leads_to_some_block_never_to_a_panic() {
    let mut dice = Dice::new("damage", 11);
    for set in ["osm", "urls", "uuid", "zeros", "tidb"] {
        let mut keys = keysets::keys(set, 500, 1);
        let hot = keys[100].clone();
        keys.splice(100..100, (0..40).map(|_| hot.clone()));
        let table = Table::cut(keys, 3, &mut dice);
        let mode = MODES[dice.below(2) as usize];
        let good = table.index(mode).expect("enough blocks").into_bytes();
        let mut accepted = 0;
        for round in 0..600 {
            let mut bytes = good.clone();
            for _ in 0..1 + round % 3 {
                // Headers more often than the bulk.
                let near = if dice.below(3) == 0 { 56 } else { bytes.len() as u64 };
                let at = dice.below(near) as usize;
                bytes[at] = match dice.below(4) {
                    0 => bytes[at] ^ (1 << dice.below(8)),
                    1 => 0xFF,
                    2 => 0,
                    _ => dice.roll() as u8,
                };
            }
            if dice.below(20) == 0 {
                bytes.truncate(dice.below(bytes.len() as u64) as usize);
            }
            let Ok(index) = PgmFence::parse(bytes) else { continue };
            accepted += 1;
            for _ in 0..20 {
                let at = dice.below(table.keys.len() as u64) as usize;
                let key = keysets::mutated(&table.keys[at], &mut dice);
                let found = index.candidates(&key);
                assert!(found.first <= found.predicted && found.predicted <= found.last);
                assert!(found.last < index.blocks() && found.last - found.first <= 2);
                let (offset, size) = index.handle(found.predicted);
                assert!(offset <= index.data_end() && size <= index.data_end() - offset);
                let _ = index.span(found.predicted);
            }
        }
        assert!(accepted > 20, "{set}: the fuzzer breaks every table at once ({accepted})");
    }
}

#[test]
fn every_truncation_is_refused() {
    let mut dice = Dice::new("truncation", 12);
    let table = Table::cut(keysets::keys("uuid", 200, 1), 2, &mut dice);
    let good = table.index(Mode::Exact).expect("enough blocks").into_bytes();
    for length in 0..good.len() {
        assert!(PgmFence::parse(good[..length].to_vec()).is_err(), "{length}");
    }
}

#[test]
fn the_format_is_frozen() {
    let mut builder = PgmFenceBuilder::new();
    for i in 0..9u64 {
        let key = |n: u64| (i * 1000 + n).to_be_bytes();
        builder.add_block(&key(1), &key(990), i * 4101, 4096);
    }
    let options = BuildOptions { standard_index_bytes: 1000, ..Default::default() };
    let bytes = builder.finish(9 * 4101, &options).expect("worth it");
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(hex, include_str!("../../tests/golden/pgm_fence_v1.txt").trim());
}
