//! A sorted stream over entries in memory, and a check of any stream against such entries.
//! For tests.
#![forbid(unsafe_code)]

use super::{BoxIter, InternalIterator};
use crate::base::rng::Rng;
use crate::base::{Error, InternalComparator, Result};
use std::cmp::Ordering;

pub(crate) type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// Entries in memory; entry number `fails_at` reads as damaged.
pub(crate) struct Fixed {
    order: InternalComparator,
    entries: Entries,
    fails_at: Option<usize>,
    at: Option<usize>,
    failed: bool,
}

impl Fixed {
    pub(crate) fn boxed(
        order: InternalComparator,
        entries: Entries,
        fails_at: Option<usize>,
    ) -> BoxIter {
        Box::new(Self { order, entries, fails_at, at: None, failed: false })
    }

    fn go(&mut self, at: Option<usize>) {
        self.failed = at.is_some() && at == self.fails_at;
        self.at = at.filter(|&i| i < self.entries.len() && !self.failed);
    }
}

impl InternalIterator for Fixed {
    fn valid(&self) -> bool {
        self.at.is_some()
    }
    fn seek_to_first(&mut self) {
        self.go(Some(0));
    }
    fn seek_to_last(&mut self) {
        self.go(self.entries.len().checked_sub(1));
    }
    fn seek(&mut self, target: &[u8]) {
        let at =
            self.entries.partition_point(|e| self.order.compare(&e.0, target) == Ordering::Less);
        self.go(Some(at));
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let after =
            self.entries.partition_point(|e| self.order.compare(&e.0, target) != Ordering::Greater);
        self.go(after.checked_sub(1));
    }
    fn next(&mut self) {
        if let Some(i) = self.at {
            self.go(Some(i + 1));
        }
    }
    fn prev(&mut self) {
        if let Some(i) = self.at {
            self.go(i.checked_sub(1));
        }
    }
    fn key(&self) -> &[u8] {
        self.at.map_or(&[], |i| &self.entries[i].0)
    }
    fn value(&self) -> &[u8] {
        self.at.map_or(&[], |i| &self.entries[i].1)
    }
    fn status(&self) -> Result<()> {
        if self.failed { Err(Error::corruption("damaged entry")) } else { Ok(()) }
    }
}

/// Moves `iter` at random and compares it with `all`, which is sorted.
pub(crate) fn check_against(
    iter: &mut dyn InternalIterator,
    all: &Entries,
    order: &InternalComparator,
    rng: &mut Rng,
    steps: usize,
    values: bool,
) {
    let mut at: Option<usize> = None;
    assert!(!iter.valid());
    for _ in 0..steps {
        match rng.below(10) {
            0 => {
                iter.seek_to_first();
                at = (!all.is_empty()).then_some(0);
            }
            1 => {
                iter.seek_to_last();
                at = all.len().checked_sub(1);
            }
            n @ (2 | 3) => {
                let target = if all.is_empty() || rng.one_in(3) {
                    let len = rng.below(6) as usize;
                    let user: Vec<u8> =
                        (0..len).map(|_| b"ab\xff"[rng.below(3) as usize]).collect();
                    crate::base::key::seek_target(&user, rng.below(5))
                } else {
                    all[rng.below(all.len() as u64) as usize].0.clone()
                };
                if n == 2 {
                    iter.seek(&target);
                    let i = all.partition_point(|e| order.compare(&e.0, &target) == Ordering::Less);
                    at = Some(i).filter(|&i| i < all.len());
                } else {
                    iter.seek_for_prev(&target);
                    let i =
                        all.partition_point(|e| order.compare(&e.0, &target) != Ordering::Greater);
                    at = i.checked_sub(1);
                }
            }
            4..=6 => {
                iter.next();
                at = at.map(|i| i + 1).filter(|&i| i < all.len());
            }
            _ => {
                iter.prev();
                at = at.and_then(|i| i.checked_sub(1));
            }
        }
        assert!(iter.status().is_ok());
        assert_eq!(iter.valid(), at.is_some());
        if let Some(i) = at {
            assert_eq!(iter.key(), all[i].0);
            if values {
                assert_eq!(iter.value(), all[i].1);
            }
        } else {
            assert!(iter.key().is_empty() && iter.value().is_empty());
        }
    }
}
