use super::*;
use crate::base::comparator::bytewise;
use crate::base::key::{Kind, internal, seek_target};
use crate::base::rng::Rng;
use crate::format::handle::TRAILER_BYTES;

struct Row {
    separator: Vec<u8>,
    first: Vec<u8>,
    handle: BlockHandle,
}

fn rows(rng: &mut Rng, n: u64) -> Vec<Row> {
    let mut offset = rng.below(3) * 17;
    (0..n)
        .map(|i| {
            let size = 3900 + rng.below(300);
            let handle = BlockHandle { offset, size };
            offset +=
                size + TRAILER_BYTES as u64 + if rng.one_in(10) { rng.below(4096) } else { 0 };
            let first = internal(format!("key{:06}", 10 * i).as_bytes(), 5, Kind::Value);
            let separator = internal(format!("key{:06}", 10 * i + 7).as_bytes(), 9, Kind::Value);
            Row { separator, first, handle }
        })
        .collect()
}

fn formats() -> impl Iterator<Item = IndexFormat> {
    (0..8).map(|i| IndexFormat {
        user_keys: i & 1 > 0,
        delta_handles: i & 2 > 0,
        first_keys: i & 4 > 0,
    })
}

fn build(rows: &[Row], interval: usize, format: IndexFormat) -> Vec<u8> {
    let mut b = IndexBuilder::new();
    for r in rows {
        b.add(&r.separator, &r.first, r.handle);
    }
    assert_eq!(b.last_separator(), rows.last().map(|r| &r.separator[..]));
    b.finish(interval, format)
}

fn check(cursor: &IndexCursor<&Block>, row: &Row, format: IndexFormat) {
    cursor.status().unwrap();
    assert!(cursor.valid());
    assert_eq!(cursor.handle(), row.handle);
    assert_eq!(cursor.user_key(), user_key(&row.separator));
    assert_eq!(cursor.first_key(), if format.first_keys { &row.first[..] } else { &[] });
    if !format.user_keys {
        assert_eq!(cursor.key(), row.separator);
    }
}

#[test]
fn every_form_gives_all_handles_back_in_both_directions() {
    let mut rng = Rng::new(8);
    let order = InternalComparator::new(bytewise());
    for n in [0, 1, 2, 15, 16, 17, 200] {
        let rows = rows(&mut rng, n);
        for format in formats() {
            for interval in [1, 8, 16] {
                let mut block = Block::parse(build(&rows, interval, format)).unwrap();
                if interval != 8 {
                    prepare(&mut block, format);
                }
                let mut cursor = IndexCursor::new(&block, format);
                cursor.seek_to_first();
                for row in &rows {
                    check(&cursor, row, format);
                    cursor.next();
                }
                assert!(!cursor.valid() && cursor.status().is_ok());
                cursor.seek_to_last();
                for row in rows.iter().rev() {
                    check(&cursor, row, format);
                    cursor.prev();
                }
                assert!(!cursor.valid() && cursor.status().is_ok());
                for i in 0..n as usize {
                    cursor.seek(&order, &seek_target(user_key(&rows[i].first), 100));
                    check(&cursor, &rows[i], format);
                    cursor.prev();
                    cursor.next();
                    if i > 0 {
                        check(&cursor, &rows[i], format);
                    }
                    let behind = seek_target(format!("key{:06}", 10 * i + 8).as_bytes(), 1);
                    cursor.seek(&order, &behind);
                    match rows.get(i + 1) {
                        Some(row) => check(&cursor, row, format),
                        None => assert!(!cursor.valid()),
                    }
                }
            }
        }
    }
}

#[test]
fn delta_handles_make_the_index_smaller() {
    let rows = rows(&mut Rng::new(2), 500);
    let plain = IndexFormat { user_keys: true, ..IndexFormat::default() };
    let delta = IndexFormat { delta_handles: true, ..plain };
    assert!(build(&rows, 16, delta).len() * 4 < build(&rows, 16, plain).len() * 3);
}

#[test]
fn damaged_index_blocks_never_panic() {
    let mut rng = Rng::new(3);
    let order = InternalComparator::new(bytewise());
    let rows = rows(&mut rng, 50);
    for format in formats() {
        let good = build(&rows, 4, format);
        for _ in 0..300 {
            let mut bad = good.clone();
            let at = rng.below(bad.len() as u64) as usize;
            bad[at] = rng.next() as u8;
            let Ok(mut block) = Block::parse(bad) else { continue };
            prepare(&mut block, format);
            let mut cursor = IndexCursor::new(&block, format);
            cursor.seek_to_first();
            let mut steps = 0;
            while cursor.valid() {
                assert!(cursor.first_key_range().end <= block.bytes().len());
                cursor.next();
                steps += 1;
                assert!(steps < good.len());
            }
            cursor.seek(&order, &rows[20].first);
            cursor.prev();
            cursor.prev();
            cursor.seek_to_last();
        }
    }
}
