use super::*;
use crate::base::comparator::bytewise;
use crate::base::key::{Kind, internal, seek_target};
use crate::base::rng::Rng;
use std::collections::BTreeMap;

fn order() -> InternalComparator {
    InternalComparator::new(bytewise())
}

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// Sorted internal keys with values; `style` says how the user keys look.
fn entries(rng: &mut Rng, n: usize, style: u64) -> Entries {
    let mut all: BTreeMap<(Vec<u8>, std::cmp::Reverse<u64>), Vec<u8>> = BTreeMap::new();
    for _ in 0..n {
        let key = match style {
            0 => format!("user{:08}", rng.below(n as u64 * 3)).into_bytes(),
            1 => {
                let len = rng.below(6) as usize;
                rng.bytes(len).iter().map(|b| b % 3).collect()
            }
            2 => rng.next().to_be_bytes().to_vec(),
            _ => {
                let len = rng.below(300) as usize;
                [vec![b'x'; len], rng.bytes(2)].concat()
            }
        };
        let len = if rng.one_in(20) { 300 } else { rng.below(40) } as usize;
        all.insert((key, std::cmp::Reverse(rng.below(1000))), rng.bytes(len));
    }
    all.into_iter().map(|((k, s), v)| (internal(&k, s.0, Kind::Value), v)).collect()
}

fn build(entries: &Entries, interval: usize, delta: bool, hash: bool) -> Block {
    let mut b = BlockBuilder::new(interval, delta);
    if hash {
        b = b.with_hash(0.75);
    }
    assert!(b.is_empty());
    for (k, v) in entries {
        b.add(k, v);
    }
    let estimate = b.size_estimate();
    let bytes = b.finish().to_vec();
    assert!(bytes.len() <= estimate);
    let once = bytes.clone();
    b.reset();
    for (k, v) in entries {
        b.add(k, v);
    }
    assert_eq!(b.finish(), once, "a builder can be used again");
    Block::parse(bytes).unwrap()
}

#[test]
fn a_cursor_walks_like_a_sorted_list() {
    let mut rng = Rng::new(21);
    let order = order();
    for round in 0..120 {
        let n = rng.below(200) as usize;
        let entries = entries(&mut rng, n, round % 4);
        let interval = [1, 2, 16, usize::MAX][rng.below(4) as usize];
        let mut block = build(&entries, interval, rng.one_in(2), rng.one_in(3));
        if round % 2 == 0 {
            block.prepare(KeyForm::Internal);
        }
        let mut cursor = BlockCursor::new(&block);
        assert!(!cursor.valid());
        let mut at: Option<usize> = None;
        for _ in 0..300 {
            match rng.below(7) {
                0 => {
                    cursor.seek_to_first();
                    at = (!entries.is_empty()).then_some(0);
                }
                1 => {
                    cursor.seek_to_last();
                    at = entries.len().checked_sub(1);
                }
                2 | 3 => {
                    let user = match rng.below(entries.len() as u64 + 1) as usize {
                        i if i < entries.len() && !rng.one_in(4) => {
                            user_key(&entries[i].0).to_vec()
                        }
                        _ => rng.bytes(5),
                    };
                    let target = seek_target(&user, rng.below(1000));
                    let place = entries.partition_point(|(k, _)| order.compare(k, &target).is_lt());
                    if rng.one_in(3) {
                        cursor.seek_for_prev(&order, &target);
                        at = entries
                            .partition_point(|(k, _)| order.compare(k, &target).is_le())
                            .checked_sub(1);
                    } else if rng.one_in(2) {
                        cursor.seek_hashed(&order, &target);
                        at = (place < entries.len()).then_some(place);
                    } else {
                        cursor.seek(&order, &target);
                        at = (place < entries.len()).then_some(place);
                    }
                }
                4 | 5 => {
                    cursor.next();
                    at = at.map(|i| i + 1).filter(|&i| i < entries.len());
                }
                _ => {
                    for _ in 0..rng.below(20) {
                        cursor.prev();
                        at = at.and_then(|i| i.checked_sub(1));
                    }
                }
            }
            cursor.status().unwrap();
            assert_eq!(cursor.valid(), at.is_some());
            if let Some(i) = at {
                assert_eq!(cursor.key(), entries[i].0);
                assert_eq!(cursor.value(), entries[i].1);
                assert_eq!(&block.bytes()[cursor.value_range()], entries[i].1);
            }
        }
    }
}

#[test]
fn restart_points_come_every_interval_and_an_empty_block_has_one() {
    let keys: Entries = (0..10u8).map(|i| (vec![b'k', i], vec![i])).collect();
    assert_eq!(build(&keys, 3, true, false).restart_count(), 4);
    let empty = build(&Vec::new(), 16, true, true);
    assert_eq!(empty.bytes(), [0, 0, 0, 0, 1, 0, 0, 0]);
    let mut cursor = empty.cursor();
    cursor.seek_to_first();
    assert!(!cursor.valid() && cursor.status().is_ok());
    cursor.seek(&ByteOrder, b"x");
    assert!(!cursor.valid() && cursor.status().is_ok());
}

/// A block whose values stand behind all keys, as 11.8 can write it.
fn separated(entries: &Entries, interval: usize) -> Vec<u8> {
    let (mut keys, mut values, mut restarts) = (Vec::new(), Vec::new(), Vec::new());
    let mut last: &[u8] = &[];
    for (i, (k, v)) in entries.iter().enumerate() {
        let fresh = i % interval == 0;
        let shared = if fresh { 0 } else { common_prefix(last, k) };
        if fresh {
            restarts.push(keys.len() as u32);
        }
        for n in [shared, k.len() - shared, v.len()] {
            put_varint32(&mut keys, n as u32);
        }
        if fresh {
            put_varint32(&mut keys, values.len() as u32);
        }
        keys.extend_from_slice(&k[shared..]);
        values.extend_from_slice(v);
        last = k;
    }
    let values_at = keys.len() as u32;
    let count = restarts.len() as u32;
    keys.extend_from_slice(&values);
    restarts.iter().chain([&values_at, &(count | SEPARATED)]).for_each(|&n| put_u32(&mut keys, n));
    keys
}

#[test]
fn separated_values_are_found() {
    let mut rng = Rng::new(5);
    let entries = entries(&mut rng, 100, 0);
    let block = Block::parse(separated(&entries, 7)).unwrap();
    let mut cursor = block.cursor();
    cursor.seek_to_first();
    for (k, v) in &entries {
        assert_eq!((cursor.key(), cursor.value()), (&k[..], &v[..]));
        cursor.next();
    }
    assert!(!cursor.valid() && cursor.status().is_ok());
    cursor.seek_to_last();
    for (k, v) in entries.iter().rev() {
        assert_eq!((cursor.key(), cursor.value()), (&k[..], &v[..]));
        cursor.prev();
    }
    for (k, v) in &entries {
        cursor.seek(&order(), k);
        assert_eq!((cursor.key(), cursor.value()), (&k[..], &v[..]));
    }
}

fn exercise(bytes: Vec<u8>, targets: &Entries) {
    let Ok(mut block) = Block::parse(bytes) else { return };
    block.prepare(KeyForm::Internal);
    let order = order();
    let limit = block.bytes().len();
    let mut cursor = block.cursor();
    for (target, _) in targets.iter().step_by(9) {
        cursor.seek(&order, target);
        cursor.seek_hashed(&order, target);
        for _ in 0..5 {
            cursor.prev();
            assert!(cursor.value_range().end <= limit);
        }
        cursor.next();
    }
    cursor.seek_for_prev(&order, &targets[targets.len() / 2].0);
    cursor.seek_to_first();
    let mut steps = 0;
    while cursor.valid() {
        assert!(cursor.value_range().end <= limit && cursor.key().len() <= limit);
        cursor.next();
        steps += 1;
        assert!(steps <= limit, "every entry takes bytes");
    }
    cursor.seek_to_last();
    for _ in 0..steps {
        cursor.prev();
    }
}

#[test]
fn damaged_blocks_give_errors_or_other_entries_but_no_panic() {
    let mut rng = Rng::new(6);
    for style in 0..4 {
        let entries = entries(&mut rng, 60, style);
        let plain = build(&entries, 16, true, style % 2 == 0).bytes().to_vec();
        for good in [plain, separated(&entries, 8)] {
            for _ in 0..400 {
                let mut bad = good.clone();
                for _ in 0..=rng.below(3) {
                    // Half of the damage in the tail, where the structure is.
                    let from = if rng.one_in(2) { bad.len().saturating_sub(30) } else { 0 };
                    let at = from + rng.below((bad.len() - from) as u64) as usize;
                    bad[at] =
                        if rng.one_in(2) { rng.next() as u8 } else { bad[at] ^ 1 << rng.below(8) };
                }
                if rng.one_in(8) {
                    bad.truncate(rng.below(bad.len() as u64) as usize);
                }
                exercise(bad, &entries);
            }
        }
    }
    for len in 0..40 {
        for _ in 0..200 {
            exercise(rng.bytes(len), &vec![(b"k".to_vec(), vec![]); 20]);
        }
    }
}

#[test]
fn nonsense_in_an_entry_is_reported() {
    let keys: Entries = (0..40u8).map(|i| (vec![b'k', i], vec![i])).collect();
    let mut bytes = build(&keys, 16, true, false).bytes().to_vec();
    bytes[6] = 100; // the second entry now shares more than there is
    let block = Block::parse(bytes).unwrap();
    let mut cursor = block.cursor();
    cursor.seek_to_first();
    cursor.next();
    assert!(!cursor.valid());
    assert!(cursor.status().unwrap_err().is_corruption());
    cursor.seek_to_last();
    assert!(cursor.valid() && cursor.status().is_ok(), "a seek clears an old error");
}
