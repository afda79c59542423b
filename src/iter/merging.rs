//! Many sorted streams as one, both ways.
//!
//! A binary heap of children, smallest key on top when going forward and largest when going back.
//! Stepping moves the top child and sifts it down: while it stays the smallest that is one or two
//! compares. Equal internal keys come in the order of the children, so a total order holds and a
//! turn in the middle neither repeats nor drops an entry.
//!
//! Promise: when a child fails, the whole stream is invalid with that error until the next seek; a
//! scan is never short without an error.
//!
//! Invariants, with `top = heap[0]` at key K:
//! 1. forward: every other child stands on its first entry behind (K, top), or is at its end;
//! 2. backward: every other child stands on its last entry before (K, top), or is at its end;
//! 3. `heap` holds exactly the valid children.
#![forbid(unsafe_code)]

use super::{BoxIter, Empty, InternalIterator};
use crate::base::key;
use crate::base::{Error, InternalComparator, Result};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

struct Child {
    iter: BoxIter,
    /// First eight bytes of the user key as a big-endian number, so that most compares need not
    /// touch the key. 0 when the order is not bytewise.
    prefix: u64,
}

/// A merge of sorted streams.
pub struct MergingIter {
    order: InternalComparator,
    children: Vec<Child>,
    heap: Vec<u32>,
    direction: Direction,
    error: Option<Error>,
    /// Scratch for the key at which the direction turns.
    turn: Vec<u8>,
}

impl std::fmt::Debug for MergingIter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MergingIter({} children, {:?})", self.children.len(), self.direction)
    }
}

/// `children` as one stream; a single child is handed back as it is.
#[must_use]
pub fn merge(order: InternalComparator, mut children: Vec<BoxIter>) -> BoxIter {
    match children.len() {
        0 => Box::new(Empty::default()),
        1 => children.remove(0),
        _ => Box::new(MergingIter::new(order, children)),
    }
}

impl MergingIter {
    /// Over `children`, newest data first: the order in which equal keys come.
    #[must_use]
    pub fn new(order: InternalComparator, children: Vec<BoxIter>) -> Self {
        let heap = Vec::with_capacity(children.len());
        let children = children.into_iter().map(|iter| Child { iter, prefix: 0 }).collect();
        Self { order, children, heap, direction: Direction::Forward, error: None, turn: Vec::new() }
    }

    /// The child that holds the current entry.
    #[must_use]
    pub fn current_child(&self) -> Option<usize> {
        self.heap.first().map(|&c| c as usize)
    }

    /// Moves only the current child on, to its first entry >= `target`, which must not lie before
    /// the current key. For skipping what is known to be hidden in that child. Forward only.
    pub fn seek_current(&mut self, target: &[u8]) {
        if self.direction != Direction::Forward {
            return;
        }
        if let Some(&top) = self.heap.first() {
            self.children[top as usize].iter.seek(target);
            self.top_moved();
        }
    }

    /// Moves only the current child back, to its last entry <= `target`, which must not lie behind
    /// the current key. Backward only.
    pub fn seek_current_for_prev(&mut self, target: &[u8]) {
        if self.direction != Direction::Backward {
            return;
        }
        if let Some(&top) = self.heap.first() {
            self.children[top as usize].iter.seek_for_prev(target);
            self.top_moved();
        }
    }

    /// Is child `a` to come before child `b`?
    #[inline]
    fn before(&self, a: u32, b: u32) -> bool {
        let (x, y) = (&self.children[a as usize], &self.children[b as usize]);
        let order = x
            .prefix
            .cmp(&y.prefix)
            .then_with(|| self.order.compare(x.iter.key(), y.iter.key()))
            .then(a.cmp(&b));
        match self.direction {
            Direction::Forward => order == Ordering::Less,
            Direction::Backward => order == Ordering::Greater,
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        let len = self.heap.len();
        let moving = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= len {
                break;
            }
            if child + 1 < len && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.before(self.heap[child], moving) {
                break;
            }
            self.heap[at] = self.heap[child];
            at = child;
        }
        self.heap[at] = moving;
    }

    /// Takes note of a child's new place. True when it stands on an entry; an error sinks the whole.
    #[inline]
    fn settle(&mut self, child: usize) -> bool {
        let bytewise = self.order.is_bytewise();
        let c = &mut self.children[child];
        if c.iter.valid() {
            if bytewise {
                c.prefix = key::prefix_number(key::user_key(c.iter.key()));
            }
            return true;
        }
        if let Err(e) = c.iter.status() {
            self.error = Some(e);
        }
        false
    }

    /// The top child moved in the current direction: put it where it belongs.
    #[inline]
    fn top_moved(&mut self) {
        let top = self.heap[0] as usize;
        if self.settle(top) {
            self.sift_down(0);
        } else if self.error.is_some() {
            self.heap.clear();
        } else {
            let last = self.heap.pop().expect("the top is there");
            if !self.heap.is_empty() {
                self.heap[0] = last;
                self.sift_down(0);
            }
        }
    }

    /// Positions all children with `place` and builds the heap.
    fn restart(
        &mut self,
        direction: Direction,
        mut place: impl FnMut(usize, &mut dyn InternalIterator),
    ) {
        self.direction = direction;
        self.error = None;
        self.heap.clear();
        for i in 0..self.children.len() {
            place(i, self.children[i].iter.as_mut());
            if self.settle(i) {
                self.heap.push(u32::try_from(i).expect("fewer than 2^32 children"));
            } else if self.error.is_some() {
                self.heap.clear();
                return;
            }
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.sift_down(at);
        }
    }

    /// Turns round at the current entry; the current child stays the top.
    fn turn(&mut self, direction: Direction) {
        let top = self.heap[0] as usize;
        let mut at = std::mem::take(&mut self.turn);
        at.clear();
        at.extend_from_slice(self.children[top].iter.key());
        self.restart(direction, |i, child| {
            if i == top {
                return;
            }
            match direction {
                Direction::Forward => {
                    child.seek(&at);
                    if i < top && child.valid() && child.key() == at {
                        child.next();
                    }
                }
                Direction::Backward => {
                    child.seek_for_prev(&at);
                    if i > top && child.valid() && child.key() == at {
                        child.prev();
                    }
                }
            }
        });
        self.turn = at;
        debug_assert!(self.heap.first().is_none_or(|&t| t as usize == top));
    }
}

impl InternalIterator for MergingIter {
    #[inline]
    fn valid(&self) -> bool {
        !self.heap.is_empty()
    }

    fn seek_to_first(&mut self) {
        self.restart(Direction::Forward, |_, child| child.seek_to_first());
    }

    fn seek_to_last(&mut self) {
        self.restart(Direction::Backward, |_, child| child.seek_to_last());
    }

    fn seek(&mut self, target: &[u8]) {
        self.restart(Direction::Forward, |_, child| child.seek(target));
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.restart(Direction::Backward, |_, child| child.seek_for_prev(target));
    }

    #[inline]
    fn next(&mut self) {
        if self.heap.is_empty() {
            return;
        }
        if self.direction != Direction::Forward {
            self.turn(Direction::Forward);
            if self.heap.is_empty() {
                return;
            }
        }
        self.children[self.heap[0] as usize].iter.next();
        self.top_moved();
    }

    #[inline]
    fn prev(&mut self) {
        if self.heap.is_empty() {
            return;
        }
        if self.direction != Direction::Backward {
            self.turn(Direction::Backward);
            if self.heap.is_empty() {
                return;
            }
        }
        self.children[self.heap[0] as usize].iter.prev();
        self.top_moved();
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.heap.first().map_or(&[], |&c| self.children[c as usize].iter.key())
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.heap.first().map_or(&[], |&c| self.children[c as usize].iter.value())
    }

    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixed::{Fixed, check_against};
    use super::*;
    use crate::base::comparator::{ReverseBytewise, bytewise};
    use crate::base::key::{Kind, internal};
    use crate::base::rng::Rng;
    use std::sync::Arc;

    type Entries = Vec<(Vec<u8>, Vec<u8>)>;

    fn random_children(rng: &mut Rng, order: &InternalComparator) -> (Vec<Entries>, Entries) {
        let count = rng.below(6) as usize;
        let mut children = Vec::new();
        let mut all = Vec::new();
        for c in 0..count {
            let mut entries = Vec::new();
            for _ in 0..rng.below(20) {
                let len = rng.below(10) as usize;
                let user: Vec<u8> = (0..len).map(|_| b"ab\xff"[rng.below(3) as usize]).collect();
                let sequence = rng.below(4);
                entries.push((internal(&user, sequence, Kind::Value), vec![c as u8]));
            }
            entries.sort_by(|a, b| order.compare(&a.0, &b.0));
            entries.dedup_by(|a, b| a.0 == b.0);
            all.extend(entries.iter().cloned());
            children.push(entries);
        }
        // Equal keys: by child, which the stable sort keeps.
        all.sort_by(|a, b| order.compare(&a.0, &b.0));
        (children, all)
    }

    #[test]
    fn it_equals_the_sorted_union_both_ways() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let order = if seed % 4 == 0 {
                InternalComparator::new(Arc::new(ReverseBytewise))
            } else {
                InternalComparator::new(bytewise())
            };
            let (children, all) = random_children(&mut rng, &order);
            let children =
                children.into_iter().map(|e| Fixed::boxed(order.clone(), e, None)).collect();
            let mut iter = MergingIter::new(order.clone(), children);
            check_against(&mut iter, &all, &order, &mut rng, 300, true);
        }
    }

    #[test]
    fn a_failing_child_is_an_error_not_a_short_scan() {
        let order = InternalComparator::new(bytewise());
        let entry = |k: &[u8]| (internal(k, 1, Kind::Value), Vec::new());
        let good = Fixed::boxed(order.clone(), vec![entry(b"a"), entry(b"d")], None);
        let bad = Fixed::boxed(order.clone(), vec![entry(b"b"), entry(b"c")], Some(1));
        let mut iter = MergingIter::new(order, vec![good, bad]);
        iter.seek_to_first();
        assert_eq!(key::user_key(iter.key()), b"a");
        iter.next();
        assert_eq!(key::user_key(iter.key()), b"b");
        iter.next();
        assert!(!iter.valid());
        assert!(iter.status().unwrap_err().is_corruption());
        iter.next();
        assert!(!iter.valid() && iter.status().is_err());
        iter.seek(&key::seek_target(b"cc", 9));
        assert!(iter.valid() && iter.status().is_ok());
        assert_eq!(key::user_key(iter.key()), b"d");
    }

    #[test]
    fn no_children_and_one_child() {
        let order = InternalComparator::new(bytewise());
        let mut none = merge(order.clone(), Vec::new());
        none.seek_to_first();
        assert!(!none.valid() && none.status().is_ok());
        let one = Fixed::boxed(order.clone(), vec![(internal(b"k", 1, Kind::Value), vec![])], None);
        let mut one = merge(order, vec![one]);
        one.seek_to_last();
        assert!(one.valid());
    }
}
