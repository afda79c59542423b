//! The order of user keys, and of internal keys over it.
#![forbid(unsafe_code)]

use super::key;
use std::cmp::Ordering;
use std::sync::Arc;

/// An order of user keys, with a name that the manifest keeps.
pub trait Comparator: Send + Sync {
    /// Which comes first.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;
    /// The name that a directory is bound to.
    fn name(&self) -> &str;
    /// Shortens `start` to some key >= `start` and < `limit`; leaving it alone is right.
    fn find_shortest_separator(&self, _start: &mut Vec<u8>, _limit: &[u8]) {}
    /// Shortens `key` to some key >= `key`; leaving it alone is right.
    fn find_short_successor(&self, _key: &mut Vec<u8>) {}
    /// Bytes of user timestamp at the end of each key.
    fn timestamp_size(&self) -> usize {
        0
    }
    /// Is this plain byte order? Then learned structures may be used.
    fn is_bytewise(&self) -> bool {
        false
    }
    /// May two keys of different bytes be equal?
    fn can_equate_different_bytes(&self) -> bool {
        true
    }
}

/// Plain byte order: `leveldb.BytewiseComparator`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytewise;

impl Comparator for Bytewise {
    #[inline]
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }
    fn name(&self) -> &str {
        "leveldb.BytewiseComparator"
    }
    fn find_shortest_separator(&self, start: &mut Vec<u8>, limit: &[u8]) {
        let shared = start.iter().zip(limit).take_while(|(a, b)| a == b).count();
        let (Some(&a), Some(&b)) = (start.get(shared), limit.get(shared)) else { return };
        if a >= b {
            return;
        }
        if a + 1 < b {
            start.truncate(shared + 1);
            start[shared] += 1;
            return;
        }
        // a + 1 == b: the cut must come later, behind the first byte that can grow.
        if let Some(at) = (shared + 1..start.len()).find(|&i| start[i] < 0xFF) {
            start.truncate(at + 1);
            start[at] += 1;
        }
    }
    fn find_short_successor(&self, key: &mut Vec<u8>) {
        if let Some(at) = key.iter().position(|&b| b != 0xFF) {
            key.truncate(at + 1);
            key[at] += 1;
        }
    }
    fn is_bytewise(&self) -> bool {
        true
    }
    fn can_equate_different_bytes(&self) -> bool {
        false
    }
}

/// Reversed byte order: `rocksdb.ReverseBytewiseComparator`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReverseBytewise;

impl Comparator for ReverseBytewise {
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        b.cmp(a)
    }
    fn name(&self) -> &str {
        "rocksdb.ReverseBytewiseComparator"
    }
    fn can_equate_different_bytes(&self) -> bool {
        false
    }
}

/// The default order.
#[must_use]
pub fn bytewise() -> Arc<dyn Comparator> {
    Arc::new(Bytewise)
}

/// The order of internal keys over a user order.
#[derive(Clone)]
pub struct InternalComparator {
    user: Arc<dyn Comparator>,
    bytewise: bool,
}

impl InternalComparator {
    /// Over `user`.
    #[must_use]
    pub fn new(user: Arc<dyn Comparator>) -> Self {
        let bytewise = user.is_bytewise();
        Self { user, bytewise }
    }

    /// The user order.
    #[must_use]
    pub fn user(&self) -> &Arc<dyn Comparator> {
        &self.user
    }

    /// Is the user order plain byte order?
    #[inline]
    #[must_use]
    pub fn is_bytewise(&self) -> bool {
        self.bytewise
    }

    /// Compares user keys.
    #[inline]
    #[must_use]
    pub fn compare_user(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.bytewise { a.cmp(b) } else { self.user.compare(a, b) }
    }

    /// Compares internal keys.
    #[inline]
    #[must_use]
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.compare_user(key::user_key(a), key::user_key(b))
            .then_with(|| key::tag(b).cmp(&key::tag(a)))
    }
}

impl std::fmt::Debug for InternalComparator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InternalComparator({})", self.user.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_lies_between_its_neighbours() {
        let keys: [&[u8]; 9] =
            [b"", b"a", b"a\xff", b"a\xff\xff", b"ab", b"abc", b"b", b"b\x00", b"\xff"];
        for a in keys {
            for b in keys {
                if a < b {
                    let mut s = a.to_vec();
                    Bytewise.find_shortest_separator(&mut s, b);
                    assert!(a <= &s[..] && &s[..] < b, "{a:?} {s:?} {b:?}");
                }
            }
            let mut s = a.to_vec();
            Bytewise.find_short_successor(&mut s);
            assert!(a <= &s[..]);
        }
    }

    #[test]
    fn newer_versions_come_first() {
        let order = InternalComparator::new(bytewise());
        let a = key::internal(b"k", 7, key::Kind::Value);
        let b = key::internal(b"k", 6, key::Kind::Value);
        assert_eq!(order.compare(&a, &b), Ordering::Less);
        assert_eq!(order.compare(&key::seek_target(b"k", 7), &a), Ordering::Less);
    }
}
