use super::*;
use crate::base::rng::Rng;
use std::collections::HashMap;

fn bytes(n: u64) -> Value {
    Value::Bytes(n.to_le_bytes().to_vec())
}

fn number(e: &Entry) -> u64 {
    u64::from_le_bytes(e.bytes().try_into().unwrap())
}

#[test]
fn what_is_in_the_cache_is_what_was_put_there_last() {
    let mut rng = Rng::new(11);
    for bits in [0, 3] {
        let cache = Cache::lru(400 << bits, bits, false);
        let mut model: HashMap<CacheKey, u64> = HashMap::new();
        let mut held: Vec<(Arc<Entry>, u64)> = Vec::new();
        for i in 0..30_000u64 {
            let key = CacheKey([rng.below(3), 4096 * rng.below(60 << bits)]);
            match rng.below(10) {
                0..=3 => {
                    let e = cache.insert(key, bytes(i), rng.below(20) as usize + 1, Priority::Low);
                    let e = e.unwrap();
                    model.insert(key, i);
                    if rng.one_in(20) {
                        held.push((e, i));
                    }
                }
                4..=7 => {
                    if let Some(e) = cache.get(&key) {
                        assert_eq!(model.get(&key), Some(&number(&e)));
                    }
                }
                8 => {
                    cache.erase(&key);
                    model.remove(&key);
                    assert!(cache.get(&key).is_none());
                }
                _ if held.len() > 10 => {
                    let at = rng.below(held.len() as u64) as usize;
                    let (e, n) = held.swap_remove(at);
                    assert_eq!(number(&e), n, "a held entry stays what it is");
                }
                _ => {}
            }
            let pinned: usize = held.iter().map(|(e, _)| e.charge()).sum();
            if i % 64 == 0 {
                assert_eq!(cache.pinned_usage(), pinned);
                assert!(cache.usage() <= cache.capacity().max(pinned) + 20);
            }
        }
        cache.erase_unpinned();
        let pinned: usize = held.iter().map(|(e, _)| e.charge()).sum();
        assert_eq!((cache.usage(), cache.pinned_usage()), (pinned, pinned));
        drop(held);
        assert_eq!(cache.pinned_usage(), 0);
        cache.erase_unpinned();
        assert_eq!((cache.usage(), cache.occupancy_count()), (0, 0));
    }
}

#[test]
fn an_erased_entry_counts_until_it_is_let_go() {
    let cache = Cache::lru(1000, 0, false);
    let key = CacheKey([1, 2]);
    let held = cache.insert(key, bytes(1), 100, Priority::High).unwrap();
    assert_eq!((cache.usage(), cache.pinned_usage(), cache.occupancy_count()), (100, 100, 1));
    cache.erase(&key);
    assert_eq!((cache.usage(), cache.pinned_usage(), cache.occupancy_count()), (100, 100, 0));
    drop(held);
    assert_eq!((cache.usage(), cache.pinned_usage()), (0, 0));
}

#[test]
fn a_strict_cache_refuses_what_does_not_fit_beside_pinned_entries() {
    let cache = Cache::lru(100, 0, true);
    let held = cache.insert(CacheKey([1, 1]), bytes(1), 60, Priority::Low).unwrap();
    let e = cache.insert(CacheKey([1, 2]), bytes(2), 60, Priority::Low).unwrap_err();
    assert_eq!(
        e.to_string(),
        "Operation aborted: Memory limit reached: Insert failed due to LRU cache being full."
    );
    assert_eq!(cache.usage(), 60);
    drop(held);
    assert!(cache.insert(CacheKey([1, 2]), bytes(2), 60, Priority::Low).is_ok());
    assert!(cache.get(&CacheKey([1, 1])).is_none());
    cache.set_strict_capacity_limit(false);
    let held = cache.insert(CacheKey([1, 3]), bytes(3), 600, Priority::Low).unwrap();
    assert_eq!(number(&held), 3);
    assert!(cache.usage() >= 600 && cache.get(&CacheKey([1, 3])).is_none());
}

#[test]
fn a_lower_capacity_and_a_reservation_evict_at_once() {
    let cache = Cache::lru(64_000, 2, false);
    for i in 0..500 {
        cache.insert(CacheKey([7, i]), bytes(i), 100, Priority::Low).unwrap();
    }
    assert!(cache.usage() > 40_000);
    cache.set_capacity(10_000);
    assert!(cache.usage() <= 10_000 && cache.usage() > 5_000);
    assert_eq!(cache.capacity(), 10_000);
    let mut reservation = cache.reserve();
    reservation.set(8_000).unwrap();
    assert!(cache.usage() <= 10_000 && cache.pinned_usage() == 8_000);
    cache.set_strict_capacity_limit(true);
    assert!(reservation.set(11_000).is_err());
    assert_eq!(reservation.bytes(), 8_000);
    drop(reservation);
    assert_eq!(cache.pinned_usage(), 0);
    cache.set_capacity(0);
    assert_eq!(cache.usage(), 0);
}

#[test]
fn entries_that_are_used_and_dear_ones_outlive_a_scan() {
    let cache = Cache::lru(1000, 0, false);
    for i in 0..30 {
        cache.insert(CacheKey([1, i]), bytes(i), 10, Priority::Low).unwrap();
        cache.insert(CacheKey([2, i]), bytes(i), 10, Priority::High).unwrap();
    }
    for i in 0..2000 {
        cache.insert(CacheKey([3, i]), bytes(i), 10, Priority::Bottom).unwrap();
        let hot = CacheKey([1, i % 30]);
        assert!(cache.get(&hot).is_some() || i > 200, "a hot entry went in the first round");
    }
    let left = |file| (0..30).filter(|&i| cache.get(&CacheKey([file, i])).is_some()).count();
    assert!(left(1) >= 15, "{} of 30 hot entries are left", left(1));
}

#[test]
fn a_pinned_value_points_into_its_block() {
    let mut b = crate::format::block::BlockBuilder::new(16, true);
    b.add(b"key", b"the value");
    let block = Block::parse(b.finish().to_vec()).unwrap();
    let cache = Cache::clock(1 << 20, 0, -1, false);
    let entry = cache.insert(CacheKey([1, 0]), Value::Block(block), 50, Priority::Low).unwrap();
    let block = BlockRef::new(entry).unwrap();
    let mut cursor = crate::format::block::BlockCursor::new(block.clone());
    cursor.seek_to_first();
    let pinned = block.pin(cursor.value_range());
    drop((cursor, block));
    cache.erase_unpinned();
    assert_eq!(&pinned[..], b"the value");
    assert_eq!(cache.pinned_usage(), 50);
    drop(pinned);
    assert_eq!(cache.pinned_usage(), 0);
    assert!(cache.new_id() != cache.new_id());
}

#[test]
fn many_threads_agree_on_what_a_key_holds() {
    let cache = Cache::lru(20_000, 2, false);
    std::thread::scope(|scope| {
        for t in 0..4 {
            let cache = &cache;
            scope.spawn(move || {
                let mut rng = Rng::new(t);
                let mut held = Vec::new();
                for _ in 0..20_000 {
                    let n = rng.below(600);
                    let key = CacheKey([n % 5, n / 5]);
                    match rng.below(20) {
                        0 => cache.erase(&key),
                        1 => held.clear(),
                        2 => cache.set_capacity(10_000 + rng.below(10_000) as usize),
                        _ => {
                            let entry = cache.get(&key).unwrap_or_else(|| {
                                cache.insert(key, bytes(n), 50, Priority::Low).unwrap()
                            });
                            assert_eq!(number(&entry), n);
                            held.push(entry);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(cache.pinned_usage(), 0);
    assert_eq!(cache.usage(), 50 * cache.occupancy_count());
    cache.erase_unpinned();
    assert_eq!(cache.usage(), 0);
}
