//! A skip list of entries in an arena: many writers, readers without locks, nothing ever removed.
//!
//! A node is one piece of the arena; the pointer `p` leads to its header, the tower lies in front:
//!
//!     next[h-1] .. next[1] next[0] | p: prefix u64 | key_bytes u32 | value_bytes u32 | key | value
//!
//! so that the bottom link, the prefix and the first bytes of the key share a cache line. `key` is the
//! internal key. `prefix` is the first eight bytes of the user key as a number when the order is
//! bytewise, else 0: most compares need no more.
//!
//! Who may call what: any number of threads may insert, search and iterate at the same time.
//!
//! Invariants:
//! 1. a node's header, key and value are written before any link leads to it, and never after;
//! 2. level 0 holds all nodes in strictly ascending internal key order, at all times;
//! 3. a node on level n + 1 is on level n; links are only ever changed by compare-and-swap from the
//!    successor that was read to a new node between the two. So nothing is ever unlinked;
//! 4. the head has the full height and no key; it stands before all.
//!
//! An entry with an internal key that is there already is not inserted.
#![allow(unsafe_code, reason = "nodes with inline keys and towers")]

use super::Representation;
use crate::base::arena::Arena;
use crate::base::key::{self, TAG_BYTES};
#[cfg(not(loom))]
use crate::base::sync::Mutex;
use crate::base::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::base::{InternalComparator, Result};
use crate::iter::{BoxIter, InternalIterator};
#[cfg(loom)]
use loom::sync::Mutex;
use std::cmp::Ordering as Order;
use std::ops::ControlFlow;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

/// Levels. With a quarter of the nodes rising a level, enough for 4^12 entries.
const MAX_HEIGHT: usize = 12;

type Link = AtomicPtr<Header>;

/// What a node pointer leads to; the key and the value follow it, the tower stands before it.
#[repr(C)]
struct Header {
    prefix: u64,
    key_bytes: u32,
    value_bytes: u32,
}

const HEADER_BYTES: usize = size_of::<Header>();

/// A node of this list or its head. Valid as long as the list.
type Node = NonNull<Header>;

/// Where an insert found its place: on each level the node before and, read from it, the one behind.
#[derive(Clone, Copy)]
struct Splice {
    height: usize,
    before: [Node; MAX_HEIGHT],
    behind: [*mut Header; MAX_HEIGHT],
}

/// See the module's text.
pub struct SkipList {
    order: InternalComparator,
    arena: Arena,
    head: Node,
    height: AtomicUsize,
    /// Where the last insert went: batches and loads are often sorted. Never waited for.
    last: Mutex<Splice>,
}

// SAFETY: nodes live in the arena that the list owns, and are immutable but for their links, which are
// atomics; see the invariants.
unsafe impl Send for SkipList {}
// SAFETY: as above; inserts from many threads meet only in compare-and-swap of links.
unsafe impl Sync for SkipList {}

impl std::fmt::Debug for SkipList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SkipList({:?})", self.arena)
    }
}

/// A key to look for: its internal form, with the prefix taken once.
struct Target<'a> {
    prefix: u64,
    key: &'a [u8],
}

impl SkipList {
    /// An empty list; its arena grows by `chunk_bytes`.
    #[must_use]
    pub fn new(order: InternalComparator, chunk_bytes: usize) -> Self {
        let arena = Arena::new(chunk_bytes);
        let head = Self::allocate(&arena, MAX_HEIGHT, 0, 0, 0);
        let last =
            Splice { height: 0, before: [head; MAX_HEIGHT], behind: [null_mut(); MAX_HEIGHT] };
        Self { order, arena, head, height: AtomicUsize::new(1), last: Mutex::new(last) }
    }

    /// A node with empty links and header; key and value are not yet written.
    fn allocate(
        arena: &Arena,
        height: usize,
        prefix: u64,
        key_bytes: u32,
        value_bytes: u32,
    ) -> Node {
        let tower = height * size_of::<Link>();
        let piece =
            arena.allocate(tower + HEADER_BYTES + key_bytes as usize + value_bytes as usize);
        for level in 0..height {
            // SAFETY: the piece begins with room for `height` links.
            let link = unsafe { piece.cast::<Link>().add(level) };
            // SAFETY: inside the piece, which is aligned for links, and ours alone so far.
            unsafe { link.write(Link::new(null_mut())) };
        }
        // SAFETY: behind the tower the piece has room for a header.
        let node = unsafe { piece.add(tower) }.cast::<Header>();
        // SAFETY: inside the piece, aligned, and ours alone so far.
        unsafe { node.write(Header { prefix, key_bytes, value_bytes }) };
        node
    }

    /// The link of `node` on `level`. The node must be that high; every caller got it as a
    /// member of that level or is about to make it one.
    #[inline]
    fn link(&self, node: Node, level: usize) -> &Link {
        // SAFETY: a node on `level` has links for 0..=level in front of its header.
        let link = unsafe { node.cast::<Link>().sub(level + 1) };
        // SAFETY: written when the node was allocated; lives as long as the arena, so as `self`.
        unsafe { link.as_ref() }
    }

    #[inline]
    fn next(&self, node: Node, level: usize) -> Option<Node> {
        // Acquire: pairs with the Release that linked the node, so that its bytes are seen.
        NonNull::new(self.link(node, level).load(Ordering::Acquire))
    }

    #[inline]
    fn header(&self, node: Node) -> &Header {
        // SAFETY: written before the node was shared (invariant 1); lives as long as `self`.
        unsafe { node.as_ref() }
    }

    #[inline]
    fn key(&self, node: Node) -> &[u8] {
        let bytes = self.header(node).key_bytes as usize;
        // SAFETY: the key follows the header.
        let start = unsafe { node.cast::<u8>().add(HEADER_BYTES) };
        // SAFETY: `bytes` bytes were written there before the node was shared (invariant 1).
        unsafe { std::slice::from_raw_parts(start.as_ptr(), bytes) }
    }

    #[inline]
    fn value(&self, node: Node) -> &[u8] {
        let header = self.header(node);
        // SAFETY: the value follows the key.
        let start = unsafe { node.cast::<u8>().add(HEADER_BYTES + header.key_bytes as usize) };
        // SAFETY: `value_bytes` bytes were written there before the node was shared (invariant 1).
        unsafe { std::slice::from_raw_parts(start.as_ptr(), header.value_bytes as usize) }
    }

    #[inline]
    fn prefix(&self, user_key: &[u8]) -> u64 {
        if self.order.is_bytewise() { key::prefix_number(user_key) } else { 0 }
    }

    #[inline]
    fn target<'a>(&self, internal: &'a [u8]) -> Target<'a> {
        Target { prefix: self.prefix(key::user_key(internal)), key: internal }
    }

    #[inline]
    fn compare(&self, node: Node, target: &Target<'_>) -> Order {
        match self.header(node).prefix.cmp(&target.prefix) {
            Order::Equal => self.order.compare(self.key(node), target.key),
            unequal => unequal,
        }
    }

    /// The last node on `level` before `target`, from `node` on, and the one read behind it.
    #[inline]
    fn walk(
        &self,
        mut node: Node,
        level: usize,
        target: &Target<'_>,
        known_behind: *mut Header,
    ) -> (Node, *mut Header) {
        loop {
            let Some(next) = self.next(node, level) else { return (node, null_mut()) };
            // The level above has compared with this one already.
            if next.as_ptr() == known_behind || self.compare(next, target) != Order::Less {
                return (node, next.as_ptr());
            }
            node = next;
        }
    }

    /// The first node at or behind `target`.
    #[inline]
    fn find(&self, target: &Target<'_>) -> Option<Node> {
        let mut node = self.head;
        let mut behind = null_mut();
        for level in (0..self.top()).rev() {
            (node, behind) = self.walk(node, level, target, behind);
        }
        NonNull::new(behind)
    }

    /// The last node for which `goes_on` holds, which must hold for a prefix of the list.
    fn find_last(&self, goes_on: impl Fn(Node) -> bool) -> Option<Node> {
        let mut node = self.head;
        for level in (0..self.top()).rev() {
            while let Some(next) = self.next(node, level) {
                if !goes_on(next) {
                    break;
                }
                node = next;
            }
        }
        (node != self.head).then_some(node)
    }

    #[inline]
    fn top(&self) -> usize {
        // Relaxed: a reader that misses a new level starts lower and finds the same.
        self.height.load(Ordering::Relaxed)
    }

    fn before(&self, node: Node) -> Option<Node> {
        let target = Target { prefix: self.header(node).prefix, key: self.key(node) };
        self.find_last(|n| self.compare(n, &target) == Order::Less)
    }

    /// Makes `splice` enclose `target` on levels `0..height`, keeping what still does.
    fn enclose(&self, splice: &mut Splice, height: usize, target: &Target<'_>) {
        let top = self.top().max(height);
        if splice.height < top {
            // The new levels have never been looked at: start from the head.
            splice.height = 0;
        }
        // Up from the bottom to the first level that still encloses the target.
        let mut good = 0;
        while good < splice.height {
            let (before, behind) = (splice.before[good], splice.behind[good]);
            let fits = self.link(before, good).load(Ordering::Acquire) == behind
                && (before == self.head || self.compare(before, target) == Order::Less)
                && NonNull::new(behind).is_none_or(|n| self.compare(n, target) != Order::Less);
            if fits {
                break;
            }
            good += 1;
        }
        let start = if good < splice.height { good } else { top };
        let (mut node, mut behind) = if start == top {
            (self.head, null_mut())
        } else {
            (splice.before[start], splice.behind[start])
        };
        for level in (0..start).rev() {
            (node, behind) = self.walk(node, level, target, behind);
            splice.before[level] = node;
            splice.behind[level] = behind;
        }
        splice.height = top;
    }

    /// Links a new node. False, and nothing inserted, when its key is there already.
    fn link_in(&self, node: Node, height: usize, splice: &mut Splice, target: &Target<'_>) -> bool {
        for level in 0..height {
            loop {
                let behind = splice.behind[level];
                if level == 0
                    && NonNull::new(behind).is_some_and(|n| self.compare(n, target) == Order::Equal)
                {
                    return false;
                }
                // Relaxed: the exchange below publishes it.
                self.link(node, level).store(behind, Ordering::Relaxed);
                // Release: pairs with the Acquire in `next`; shows the node's bytes and links.
                let linked = self.link(splice.before[level], level).compare_exchange(
                    behind,
                    node.as_ptr(),
                    Ordering::Release,
                    Ordering::Relaxed,
                );
                if linked.is_ok() {
                    break;
                }
                // Somebody came in between. What was before still is (nothing is unlinked).
                (splice.before[level], splice.behind[level]) =
                    self.walk(splice.before[level], level, target, null_mut());
            }
            splice.before[level] = node;
        }
        true
    }

    /// A height that is random over entries and needs no shared state.
    fn pick_height(tag: u64, prefix: u64) -> usize {
        let mut z = tag.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ prefix.rotate_left(29);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        // Two bits a level: a quarter rises.
        (1 + z.trailing_zeros() as usize / 2).min(MAX_HEIGHT)
    }

    /// Inserts the entry (`user_key`, `tag`, `value`). False when that internal key is there already.
    ///
    /// # Panics
    /// When the key or the value is 4 GiB or larger: sizes are checked where data comes in.
    pub fn insert(&self, user_key: &[u8], tag: u64, value: &[u8]) -> bool {
        let prefix = self.prefix(user_key);
        let height = Self::pick_height(tag, prefix);
        let key_bytes = u32::try_from(user_key.len() + TAG_BYTES).expect("keys are below 4 GiB");
        let value_bytes = u32::try_from(value.len()).expect("values are below 4 GiB");
        let node = Self::allocate(&self.arena, height, prefix, key_bytes, value_bytes);
        // SAFETY: behind the header the node has room for key and value.
        let mut to = unsafe { node.cast::<u8>().add(HEADER_BYTES) };
        for part in [user_key, &tag.to_le_bytes(), value] {
            // SAFETY: the room behind the header is the sum of these parts; ours alone so far.
            unsafe { to.copy_from_nonoverlapping(NonNull::from(part).cast::<u8>(), part.len()) };
            // SAFETY: at most one past the end of the piece.
            to = unsafe { to.add(part.len()) };
        }
        let target = Target { prefix, key: self.key(node) };
        // Relaxed: see `top`.
        self.height.fetch_max(height, Ordering::Relaxed);
        #[cfg(not(loom))]
        let last = self.last.try_lock();
        #[cfg(loom)]
        let last = self.last.try_lock().ok();
        if let Some(mut last) = last {
            self.enclose(&mut last, height, &target);
            return self.link_in(node, height, &mut last, &target);
        }
        let mut splice =
            Splice { height: 0, before: [self.head; MAX_HEIGHT], behind: [null_mut(); MAX_HEIGHT] };
        self.enclose(&mut splice, height, &target);
        self.link_in(node, height, &mut splice, &target)
    }
}

impl Representation for SkipList {
    fn insert(&self, user_key: &[u8], tag: u64, value: &[u8]) -> bool {
        self.insert(user_key, tag, value)
    }

    fn scan(&self, target: &[u8], sink: &mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>) {
        let mut node = self.find(&self.target(target));
        while let Some(n) = node {
            if sink(self.key(n), self.value(n)).is_break() {
                return;
            }
            node = self.next(n, 0);
        }
    }

    fn iter(self: Arc<Self>) -> BoxIter {
        Box::new(Cursor { list: self, node: None })
    }

    fn reserved(&self) -> usize {
        self.arena.reserved()
    }

    fn used(&self) -> usize {
        self.arena.used()
    }
}

/// A cursor; keeps the list alive. Sees entries that come in while it lives.
struct Cursor {
    list: Arc<SkipList>,
    node: Option<Node>,
}

// SAFETY: the node belongs to the list, which the cursor keeps alive and which may be used from any
// thread.
unsafe impl Send for Cursor {}

impl InternalIterator for Cursor {
    #[inline]
    fn valid(&self) -> bool {
        self.node.is_some()
    }
    fn seek_to_first(&mut self) {
        self.node = self.list.next(self.list.head, 0);
    }
    fn seek_to_last(&mut self) {
        self.node = self.list.find_last(|_| true);
    }
    fn seek(&mut self, target: &[u8]) {
        self.node = self.list.find(&self.list.target(target));
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let target = self.list.target(target);
        self.node = self.list.find_last(|n| self.list.compare(n, &target) != Order::Greater);
    }
    #[inline]
    fn next(&mut self) {
        if let Some(n) = self.node {
            self.node = self.list.next(n, 0);
        }
    }
    fn prev(&mut self) {
        if let Some(n) = self.node {
            self.node = self.list.before(n);
        }
    }
    #[inline]
    fn key(&self) -> &[u8] {
        self.node.map_or(&[], |n| self.list.key(n))
    }
    #[inline]
    fn value(&self) -> &[u8] {
        self.node.map_or(&[], |n| self.list.value(n))
    }
    fn status(&self) -> Result<()> {
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::comparator::{ReverseBytewise, bytewise};
    use crate::base::key::{Kind, internal, pack};
    use crate::base::rng::Rng;
    use crate::iter::fixed::check_against;

    fn sorted(list: &Arc<SkipList>) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut iter = Representation::iter(Arc::clone(list));
        let mut all = Vec::new();
        iter.seek_to_first();
        while iter.valid() {
            all.push((iter.key().to_vec(), iter.value().to_vec()));
            iter.next();
        }
        all
    }

    #[test]
    fn it_equals_a_sorted_list() {
        for seed in 0..60 {
            let mut rng = Rng::new(seed);
            let order = if seed % 4 == 0 {
                InternalComparator::new(Arc::new(ReverseBytewise))
            } else {
                InternalComparator::new(bytewise())
            };
            let list = Arc::new(SkipList::new(order.clone(), 4096));
            let mut all: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            let mut counter = 0u64;
            for _ in 0..rng.below(300) {
                counter += 1;
                let len = rng.below(12) as usize;
                let user: Vec<u8> = match rng.below(3) {
                    0 => counter.to_be_bytes().to_vec(),
                    _ => (0..len).map(|_| b"ab\xff"[rng.below(3) as usize]).collect(),
                };
                let sequence = rng.below(5);
                let value = rng.bytes(3);
                let fresh = list.insert(&user, pack(sequence, 1), &value);
                let key = internal(&user, sequence, Kind::Value);
                assert_eq!(fresh, !all.iter().any(|e| e.0 == key));
                if fresh {
                    all.push((key, value));
                }
            }
            all.sort_by(|a, b| order.compare(&a.0, &b.0));
            assert_eq!(sorted(&list), all);
            let mut iter = Representation::iter(list);
            check_against(iter.as_mut(), &all, &order, &mut rng, 200, true);
        }
    }

    #[test]
    fn many_writers_and_readers_agree() {
        let order = InternalComparator::new(bytewise());
        let list = Arc::new(SkipList::new(order.clone(), 64 << 10));
        let (threads, each) = (4u64, 3000u64);
        std::thread::scope(|s| {
            for t in 0..threads {
                let list = Arc::clone(&list);
                s.spawn(move || {
                    let mut rng = Rng::new(t);
                    for i in 0..each {
                        // Few keys, so that writers meet.
                        let user = rng.below(64).to_be_bytes();
                        let sequence = i * threads + t;
                        assert!(list.insert(&user, pack(sequence, 1), &sequence.to_le_bytes()));
                        if i % 100 == 0 {
                            // What was written before is there, in order.
                            let mut seen = false;
                            let target = internal(&user, sequence, Kind::Value);
                            list.scan(&target, &mut |k, v| {
                                seen = k == target && v == sequence.to_le_bytes();
                                ControlFlow::Break(())
                            });
                            assert!(seen);
                        }
                    }
                });
            }
            let list = Arc::clone(&list);
            let order = order.clone();
            s.spawn(move || {
                for _ in 0..30 {
                    let all = sorted(&list);
                    assert!(all.windows(2).all(|w| order.compare(&w[0].0, &w[1].0) == Order::Less));
                }
            });
        });
        assert_eq!(sorted(&list).len() as u64, threads * each);
    }

    #[test]
    fn equal_keys_from_many_threads_go_in_once() {
        let list = SkipList::new(InternalComparator::new(bytewise()), 4096);
        let inserted: usize = std::thread::scope(|s| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    let list = &list;
                    s.spawn(move || {
                        (0..500u64)
                            .filter(|i| list.insert(&i.to_be_bytes(), pack(7, 1), b"v"))
                            .count()
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(inserted, 500);
    }

    #[test]
    fn heights_are_spread() {
        let mut counts = [0usize; MAX_HEIGHT + 1];
        for i in 0..100_000u64 {
            counts[SkipList::pick_height(pack(i, 1), 0)] += 1;
        }
        assert!((70_000..80_000).contains(&counts[1]), "{counts:?}");
        assert!((15_000..22_000).contains(&counts[2]), "{counts:?}");
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::base::comparator::bytewise;
    use crate::base::key::pack;

    #[test]
    fn two_writers_and_a_reader() {
        loom::model(|| {
            let list = Arc::new(SkipList::new(InternalComparator::new(bytewise()), 4096));
            let writers: Vec<_> = [(b"a", 3), (b"b", 2)]
                .into_iter()
                .map(|(k, sequence)| {
                    let list = Arc::clone(&list);
                    loom::thread::spawn(move || {
                        assert!(list.insert(k, pack(sequence, 1), k));
                    })
                })
                .collect();
            let mut seen = Vec::new();
            list.scan(&crate::base::key::seek_target(b"", 9), &mut |k, v| {
                assert_eq!(key::user_key(k), v);
                seen.push(v.to_vec());
                ControlFlow::Continue(())
            });
            assert!(seen.is_sorted());
            for w in writers {
                w.join().unwrap();
            }
            let mut all = Vec::new();
            list.scan(&crate::base::key::seek_target(b"", 9), &mut |_, v| {
                all.push(v.to_vec());
                ControlFlow::Continue(())
            });
            assert_eq!(all, [b"a".to_vec(), b"b".to_vec()]);
        });
    }

    #[test]
    fn one_of_two_equal_inserts_wins() {
        loom::model(|| {
            let list = Arc::new(SkipList::new(InternalComparator::new(bytewise()), 4096));
            let other = Arc::clone(&list);
            let thread = loom::thread::spawn(move || other.insert(b"k", pack(1, 1), b"1"));
            let mine = list.insert(b"k", pack(1, 1), b"2");
            assert!(mine != thread.join().unwrap());
        });
    }
}
