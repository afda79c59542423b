use super::*;
use crate::base::rng::Rng;

fn build(policy: &FilterPolicy, version: u32, keys: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut b = FilterBuilder::new(policy, version).unwrap();
    keys.for_each(|k| b.add_key(&k));
    b.finish()
}

#[test]
fn filters_match_exactly_as_many_absent_keys_as_rocksdbs() {
    let yes = (0..1500).map(|i| format!("yes{i:020}").into_bytes());
    let keys = [b"bar".to_vec(), b"foo".to_vec()].into_iter().chain(yes);
    for (policy, expected) in [(FilterPolicy::bloom(8.0), 188), (FilterPolicy::ribbon(8.0), 226)] {
        let filter = build(&policy, 5, keys.clone());
        assert!(keys.clone().all(|k| FilterReader::may_match(&filter, &k)));
        let hits = (0..10000)
            .filter(|i| FilterReader::may_match(&filter, format!("no{i:020}").as_bytes()))
            .count();
        assert_eq!(hits, expected, "{policy:?}");
    }
}

#[test]
fn a_hybrid_policy_starts_with_ribbon_at_its_level() {
    let policy = FilterPolicy::ribbon_hybrid(8.0, 1);
    let keys: Vec<_> = (0..2000).map(|i| format!("{i}").into_bytes()).collect();
    for (level, meta) in [(-1, 0xFF), (0, 0xFF), (1, 0xFE), (6, 0xFE)] {
        let mut b = FilterBuilder::at_level(&policy, 5, level).unwrap();
        keys.iter().for_each(|k| b.add_key(k));
        let estimate = b.size_estimate();
        let filter = b.finish();
        assert_eq!((filter[filter.len() - META_BYTES], filter.len()), (meta, estimate));
    }
    assert_eq!(FilterPolicy::ribbon(8.0).kind_at(0), FilterKind::Ribbon);
}

#[test]
fn every_key_added_may_match_and_most_others_do_not() {
    let mut rng = Rng::new(1);
    for version in [4, 5] {
        for bits in [1.0, 6.5, 10.0, 16.0, 30.0, 60.0] {
            let keys: Vec<_> = (0..2000).map(|i| rng.bytes(i % 40 + 4)).collect();
            let filter = build(&FilterPolicy::bloom(bits), version, keys.iter().cloned());
            assert!(keys.iter().all(|k| FilterReader::may_match(&filter, k)));
            let wrong =
                (0..2000).filter(|_| FilterReader::may_match(&filter, &rng.bytes(50))).count();
            if bits >= 10.0 {
                assert!(wrong < 60, "{wrong} of 2000 with {bits} bits, version {version}");
            }
        }
    }
}

#[test]
fn versions_and_prefixes_count_once() {
    let mut b = FilterBuilder::new(&FilterPolicy::bloom(10.0), 5).unwrap();
    for key in ["aa1", "aa", "aa1", "aa", "aa2", "aa", "aa2", "aa", "aa3", "aa"] {
        b.add_key(key.as_bytes());
    }
    assert_eq!(b.entries(), 4);
    assert!(FilterBuilder::new(&FilterPolicy::bloom(0.4), 5).is_none());
    assert!(FilterBuilder::new(&FilterPolicy::bloom(f64::NAN), 5).is_none());
    assert_eq!(FilterPolicy::bloom(0.5).millibits(), 1000);
    assert_eq!(FilterPolicy::bloom(9.9995).millibits(), 10000);
}

#[test]
fn a_filter_without_keys_never_matches_and_an_unknown_one_always_does() {
    assert!(!FilterReader::may_match(&[], b"k"));
    assert!(!FilterReader::may_match(&[0xFF, 0, 6, 0, 0], b"k"));
    for meta in [
        [0, 0, 0, 0, 0],
        [0xFE, 0, 1, 0, 0],
        [0x80, 0, 0, 0, 0],
        [0xFF, 1, 6, 0, 0],
        [0xFF, 0, 0x26, 0, 0],
    ] {
        let mut filter = vec![0; 64];
        filter.extend_from_slice(&meta);
        assert!(FilterReader::may_match(&filter, b"k"), "{meta:?}");
    }
}

#[test]
fn nonsense_never_panics() {
    let mut rng = Rng::new(2);
    for i in 0..20_000 {
        let bytes = rng.bytes(i % 200);
        let _ = FilterReader::may_match(&bytes, &rng.bytes(9)); // either answer will do
    }
}

#[test]
fn policies_come_back_from_option_text() {
    for policy in
        [FilterPolicy::bloom(9.9), FilterPolicy::ribbon(10.0), FilterPolicy::ribbon_hybrid(8.0, 2)]
    {
        assert_eq!(FilterPolicy::from_option_text(&policy.option_text()), Some(policy));
    }
    assert_eq!(FilterPolicy::from_option_text("nonsense"), None);
}
