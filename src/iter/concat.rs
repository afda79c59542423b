//! Disjoint sorted children, opened when reached, as one stream: a level of files.
//!
//! Promise: at most one child is open at any time. A child that cannot be opened or fails makes the
//! stream invalid with that error until the next seek.
//!
//! Invariant: `run` is sorted; every internal key of child i lies within `smallest(i)..=largest(i)`,
//! and `largest(i) < smallest(i + 1)`.
#![forbid(unsafe_code)]

use super::{BoxIter, InternalIterator};
use crate::base::{Error, InternalComparator, Result};
use std::cmp::Ordering;

/// Sorted disjoint children and how to open one.
pub trait Run: Send {
    /// How many.
    fn len(&self) -> usize;
    /// Is there none?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// An internal key at or before all of child `i`.
    fn smallest(&self, i: usize) -> &[u8];
    /// An internal key at or behind all of child `i`.
    fn largest(&self, i: usize) -> &[u8];
    /// A cursor over child `i`.
    fn open(&mut self, i: usize) -> Result<BoxIter>;
}

/// A run given by its bounds and a closure.
struct Bounded<F> {
    bounds: Vec<(Vec<u8>, Vec<u8>)>,
    opener: F,
}

impl<F: FnMut(usize) -> Result<BoxIter> + Send> Run for Bounded<F> {
    fn len(&self) -> usize {
        self.bounds.len()
    }
    fn smallest(&self, i: usize) -> &[u8] {
        &self.bounds[i].0
    }
    fn largest(&self, i: usize) -> &[u8] {
        &self.bounds[i].1
    }
    fn open(&mut self, i: usize) -> Result<BoxIter> {
        (self.opener)(i)
    }
}

/// One stream over a [`Run`].
pub struct ConcatIter {
    order: InternalComparator,
    run: Box<dyn Run>,
    /// The open child and its number.
    current: Option<(usize, BoxIter)>,
    error: Option<Error>,
}

impl std::fmt::Debug for ConcatIter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ConcatIter({} children)", self.run.len())
    }
}

impl ConcatIter {
    /// Over `run`.
    #[must_use]
    pub fn new(order: InternalComparator, run: Box<dyn Run>) -> Self {
        Self { order, run, current: None, error: None }
    }

    /// Over children with these smallest and largest internal keys, opened by `opener`.
    #[must_use]
    pub fn over(
        order: InternalComparator,
        bounds: Vec<(Vec<u8>, Vec<u8>)>,
        opener: impl FnMut(usize) -> Result<BoxIter> + Send + 'static,
    ) -> Self {
        Self::new(order, Box::new(Bounded { bounds, opener }))
    }

    /// Makes child `i` the current one. False when there is no such child or it does not open.
    fn enter(&mut self, i: usize) -> bool {
        if self.current.as_ref().is_some_and(|c| c.0 == i) {
            return true;
        }
        // The old one goes first, so that never two are open.
        self.current = None;
        if i >= self.run.len() {
            return false;
        }
        match self.run.open(i) {
            Ok(iter) => {
                self.current = Some((i, iter));
                true
            }
            Err(e) => {
                self.error = Some(e);
                false
            }
        }
    }

    /// The current child ended or failed: goes on with later ones.
    fn skip_forward(&mut self) {
        while let Some((i, iter)) = &self.current {
            if iter.valid() {
                return;
            }
            if let Err(e) = iter.status() {
                self.error = Some(e);
                self.current = None;
                return;
            }
            let after = i + 1;
            if !self.enter(after) {
                return;
            }
            if let Some((_, iter)) = &mut self.current {
                iter.seek_to_first();
            }
        }
    }

    fn skip_backward(&mut self) {
        while let Some((i, iter)) = &self.current {
            if iter.valid() {
                return;
            }
            if let Err(e) = iter.status() {
                self.error = Some(e);
                self.current = None;
                return;
            }
            let Some(before) = i.checked_sub(1) else {
                self.current = None;
                return;
            };
            if !self.enter(before) {
                return;
            }
            if let Some((_, iter)) = &mut self.current {
                iter.seek_to_last();
            }
        }
    }

    /// The number of children for which `is_before` holds; it must hold for a prefix of them.
    fn count_while(&self, is_before: impl Fn(&dyn Run, usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.run.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.run.as_ref(), middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl InternalIterator for ConcatIter {
    #[inline]
    fn valid(&self) -> bool {
        self.current.as_ref().is_some_and(|c| c.1.valid())
    }

    fn seek_to_first(&mut self) {
        self.error = None;
        if self.enter(0) {
            if let Some((_, iter)) = &mut self.current {
                iter.seek_to_first();
            }
            self.skip_forward();
        }
    }

    fn seek_to_last(&mut self) {
        self.error = None;
        let Some(last) = self.run.len().checked_sub(1) else { return };
        if self.enter(last) {
            if let Some((_, iter)) = &mut self.current {
                iter.seek_to_last();
            }
            self.skip_backward();
        }
    }

    fn seek(&mut self, target: &[u8]) {
        self.error = None;
        let order = &self.order;
        let at = self.count_while(|r, i| order.compare(r.largest(i), target) == Ordering::Less);
        if self.enter(at) {
            if let Some((_, iter)) = &mut self.current {
                iter.seek(target);
            }
            self.skip_forward();
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.error = None;
        let order = &self.order;
        let after =
            self.count_while(|r, i| order.compare(r.smallest(i), target) != Ordering::Greater);
        let Some(at) = after.checked_sub(1) else {
            self.current = None;
            return;
        };
        if self.enter(at) {
            if let Some((_, iter)) = &mut self.current {
                iter.seek_for_prev(target);
            }
            self.skip_backward();
        }
    }

    #[inline]
    fn next(&mut self) {
        if let Some((_, iter)) = &mut self.current {
            iter.next();
            if !iter.valid() {
                self.skip_forward();
            }
        }
    }

    #[inline]
    fn prev(&mut self) {
        if let Some((_, iter)) = &mut self.current {
            iter.prev();
            if !iter.valid() {
                self.skip_backward();
            }
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.current.as_ref().map_or(&[], |c| c.1.key())
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.current.as_ref().map_or(&[], |c| c.1.value())
    }

    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixed::{Fixed, check_against};
    use super::*;
    use crate::base::comparator::bytewise;
    use crate::base::key::{self, Kind, internal};
    use crate::base::rng::Rng;

    type Entries = Vec<(Vec<u8>, Vec<u8>)>;

    type Bounds = Vec<(Vec<u8>, Vec<u8>)>;

    /// Cuts sorted entries into children, some of them empty but with bounds.
    fn cut(all: &Entries, rng: &mut Rng) -> (Bounds, Vec<Entries>) {
        let (mut bounds, mut parts) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < all.len() {
            let take = (1 + rng.below(4) as usize).min(all.len() - at);
            let part = all[at..at + take].to_vec();
            bounds.push((part[0].0.clone(), part[take - 1].0.clone()));
            // A child may hold nothing but range deletions: bounds and no entries.
            parts.push(part);
            at += take;
        }
        (bounds, parts)
    }

    #[test]
    fn it_equals_the_whole() {
        let order = InternalComparator::new(bytewise());
        for seed in 0..100 {
            let mut rng = Rng::new(seed);
            let mut all: Entries = (0..rng.below(30))
                .map(|_| {
                    let len = rng.below(5) as usize;
                    let user = rng.bytes(len);
                    (internal(&user, rng.below(3), Kind::Value), rng.bytes(2))
                })
                .collect();
            all.sort_by(|a, b| order.compare(&a.0, &b.0));
            all.dedup_by(|a, b| a.0 == b.0);
            let (bounds, mut parts) = cut(&all, &mut rng);
            if parts.len() > 2 && rng.one_in(2) {
                let gone = rng.below(parts.len() as u64) as usize;
                let removed = std::mem::take(&mut parts[gone]);
                all.retain(|e| !removed.contains(e));
            }
            let o = order.clone();
            let mut iter = ConcatIter::over(order.clone(), bounds, move |i| {
                Ok(Fixed::boxed(o.clone(), parts[i].clone(), None))
            });
            check_against(&mut iter, &all, &order, &mut rng, 200, true);
        }
    }

    #[test]
    fn a_child_that_does_not_open_is_an_error_until_the_next_seek() {
        let order = InternalComparator::new(bytewise());
        let entry = |k: &[u8]| (internal(k, 1, Kind::Value), Vec::new());
        let parts = [vec![entry(b"a")], vec![entry(b"b")], vec![entry(b"c")]];
        let bounds = parts.iter().map(|p| (p[0].0.clone(), p[0].0.clone())).collect();
        let o = order.clone();
        let mut iter = ConcatIter::over(order, bounds, move |i| {
            if i == 1 {
                return Err(Error::corruption("no such table"));
            }
            Ok(Fixed::boxed(o.clone(), parts[i].clone(), None))
        });
        iter.seek_to_first();
        assert!(iter.valid());
        iter.next();
        assert!(!iter.valid() && iter.status().is_err());
        iter.next();
        assert!(!iter.valid() && iter.status().is_err());
        iter.seek(&key::seek_target(b"c", 5));
        assert!(iter.valid() && iter.status().is_ok());
        iter.prev();
        assert!(!iter.valid() && iter.status().is_err());
    }
}
