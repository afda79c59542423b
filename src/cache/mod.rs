//! Floor 4: blocks shared among tables, up to a capacity.
//!
//! A [`Cache`] maps a [`CacheKey`] (which file, where in it) to an [`Entry`] behind an `Arc`. Whoever
//! holds the `Arc` pins the entry: it stays whole when it is evicted or erased. A hit takes a shard's
//! lock shared, marks the slot as used and clones the `Arc`; there is no list and no exclusive lock.
//! Eviction is a clock over each shard's slots (`clock.rs`) and passes over pinned entries.
//!
//! What callers can observe:
//! - `usage` is the charge of all entries that exist: in the table, or out of it and still held.
//! - `pinned_usage` is the part of it that somebody other than the table holds.
//! - Without the strict limit an insertion always works; what does not fit beside pinned entries is
//!   handed out without being in the table. With it, such an insertion fails.
//! - Lowering the capacity evicts at once.
//!
//! Any thread may call anything at any time.
#![forbid(unsafe_code)]

mod clock;

use crate::base::bytes::{Bytes, Owner};
use crate::base::sync::Mutex;
use crate::base::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::base::{Error, Result, SubKind};
use crate::format::block::{Block, HoldsBlock};
use clock::{Inserted, Shard};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// Which file and where in it: the first half from [`Cache::new_id`], or anything else unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheKey(pub [u64; 2]);

impl CacheKey {
    fn hash(self) -> u64 {
        let [a, b] = self.0;
        let product = u128::from(a ^ 0x9E37_79B9_7F4A_7C15) * u128::from(b ^ 0xD1B5_4A32_D192_ED03);
        let mixed = (product as u64) ^ (product >> 64) as u64;
        // A product with zero is zero whatever the other half is.
        (mixed ^ a.rotate_left(32) ^ b).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
    }
}

/// How dear an entry is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// Indexes and filters.
    High,
    /// Data.
    #[default]
    Low,
    /// First to go.
    Bottom,
}

/// What an entry holds.
pub enum Value {
    /// A parsed block.
    Block(Block),
    /// Bytes: a filter, a dictionary.
    Bytes(Vec<u8>),
    /// Anything else.
    Other(Box<dyn Any + Send + Sync>),
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Block(b) => write!(f, "Block({} B)", b.bytes().len()),
            Self::Bytes(b) => write!(f, "Bytes({} B)", b.len()),
            Self::Other(_) => f.write_str("Other"),
        }
    }
}

/// A value and what it costs. Immutable; pinned by whoever holds its `Arc`.
#[derive(Debug)]
pub struct Entry {
    value: Value,
    charge: usize,
    /// Where the charge is counted until the entry is gone.
    usage: Option<Arc<AtomicUsize>>,
}

impl Entry {
    /// An entry that no cache knows of.
    #[must_use]
    pub fn detached(value: Value) -> Arc<Self> {
        Arc::new(Self { value, charge: 0, usage: None })
    }

    fn counted(value: Value, charge: usize, usage: &Arc<AtomicUsize>) -> Arc<Self> {
        // Relaxed, here and below: a gauge that orders nothing.
        usage.fetch_add(charge, Ordering::Relaxed);
        Arc::new(Self { value, charge, usage: Some(Arc::clone(usage)) })
    }

    /// What it holds.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What it was charged for; 0 when no cache knows of it.
    #[must_use]
    pub fn charge(&self) -> usize {
        self.charge
    }

    /// The block, if it is one.
    #[inline]
    #[must_use]
    pub fn block(&self) -> Option<&Block> {
        match &self.value {
            Value::Block(block) => Some(block),
            _ => None,
        }
    }

    /// The value as a `T`, if it is one.
    #[must_use]
    pub fn other<T: 'static>(&self) -> Option<&T> {
        match &self.value {
            Value::Other(any) => any.downcast_ref(),
            _ => None,
        }
    }

    fn uncount(&mut self) {
        if let Some(usage) = self.usage.take() {
            usage.fetch_sub(self.charge, Ordering::Relaxed);
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.uncount();
    }
}

impl Owner for Entry {
    fn bytes(&self) -> &[u8] {
        match &self.value {
            Value::Block(block) => block.bytes(),
            Value::Bytes(bytes) => bytes,
            Value::Other(_) => &[],
        }
    }
}

/// An entry that is known to hold a block, for cursors to stand on. A clone pins it once more.
#[derive(Clone, Debug)]
pub struct BlockRef(Arc<Entry>);

impl BlockRef {
    /// `entry`, if it holds a block.
    #[must_use]
    pub fn new(entry: Arc<Entry>) -> Option<Self> {
        entry.block().is_some().then_some(Self(entry))
    }

    /// A block that no cache knows of.
    #[must_use]
    pub fn detached(block: Block) -> Self {
        Self(Entry::detached(Value::Block(block)))
    }

    /// The entry.
    #[must_use]
    pub fn entry(&self) -> &Arc<Entry> {
        &self.0
    }

    /// `range` of the block's bytes, which stay pinned with it. No copy, no allocation.
    #[must_use]
    pub fn pin(&self, range: Range<usize>) -> Bytes {
        let owner: Arc<dyn Owner> = Arc::<Entry>::clone(&self.0);
        Bytes::shared(owner, range)
    }
}

impl HoldsBlock for BlockRef {
    #[inline]
    fn block(&self) -> &Block {
        self.0.block().expect("checked when it was made")
    }
}

/// Which of RocksDB's caches this stands for. Both evict alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// `LRUCache`
    Lru,
    /// `HyperClockCache`
    HyperClock,
}

/// A cache. See the module's header.
pub struct Cache {
    kind: CacheKind,
    shards: Box<[Shard]>,
    shift: u32,
    strict: AtomicBool,
    /// Guards changes of capacity and reservations, each of which visits all shards.
    limits: Mutex<Limits>,
    reserved: AtomicUsize,
    next_id: AtomicU64,
}

#[derive(Debug)]
struct Limits {
    capacity: usize,
}

impl Cache {
    /// RocksDB's LRU cache: 2^`shard_bits` shards, as many as suit the capacity when negative.
    #[must_use]
    pub fn lru(capacity: usize, shard_bits: i32, strict: bool) -> Arc<Self> {
        Self::new(CacheKind::Lru, capacity, shard_bits, strict)
    }

    /// RocksDB's clock cache. The estimated charge of an entry is not needed here.
    #[must_use]
    pub fn clock(
        capacity: usize,
        _entry_charge: usize,
        shard_bits: i32,
        strict: bool,
    ) -> Arc<Self> {
        Self::new(CacheKind::HyperClock, capacity, shard_bits, strict)
    }

    fn new(kind: CacheKind, capacity: usize, shard_bits: i32, strict: bool) -> Arc<Self> {
        const MIN_SHARD_BYTES: usize = 512 << 10;
        let bits = match u32::try_from(shard_bits) {
            Ok(bits) => bits.min(19),
            Err(_) => (capacity / MIN_SHARD_BYTES).max(1).ilog2().min(6),
        };
        let count = 1usize << bits;
        let shards = (0..count).map(|_| Shard::new(capacity.div_ceil(count))).collect();
        Arc::new(Self {
            kind,
            shards,
            shift: 64 - bits,
            strict: AtomicBool::new(strict),
            limits: Mutex::new(Limits { capacity }),
            reserved: AtomicUsize::new(0),
            next_id: AtomicU64::new(1),
        })
    }

    #[inline]
    fn shard(&self, hash: u64) -> &Shard {
        &self.shards[hash.checked_shr(self.shift).unwrap_or(0) as usize]
    }

    /// The entry of `key`. Holding it pins it.
    #[inline]
    #[must_use]
    pub fn get(&self, key: &CacheKey) -> Option<Arc<Entry>> {
        let hash = key.hash();
        self.shard(hash).get(hash, key)
    }

    /// Puts `value` under `key` in place of whatever was there, and pins it.
    pub fn insert(
        &self,
        key: CacheKey,
        value: Value,
        charge: usize,
        priority: Priority,
    ) -> Result<Arc<Entry>> {
        let hash = key.hash();
        // Relaxed: a setting that orders nothing.
        let strict = self.strict.load(Ordering::Relaxed);
        match self.shard(hash).insert(hash, key, value, charge, priority, strict) {
            Inserted::Yes(entry) => Ok(entry),
            Inserted::Full => Err(full()),
        }
    }

    /// Takes `key` out. Whoever holds the entry keeps it.
    pub fn erase(&self, key: &CacheKey) {
        let hash = key.hash();
        self.shard(hash).erase(hash, key);
    }

    /// Takes out all that nobody else holds.
    pub fn erase_unpinned(&self) {
        self.shards.iter().for_each(Shard::erase_unpinned);
    }

    /// Bytes at most.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.limits.lock().capacity
    }

    /// Changes that, and evicts what is too much.
    pub fn set_capacity(&self, capacity: usize) {
        let mut limits = self.limits.lock();
        limits.capacity = capacity;
        self.share_out(&limits);
    }

    fn share_out(&self, limits: &Limits) {
        // Relaxed: changed under `limits` only.
        let rest = limits.capacity.saturating_sub(self.reserved.load(Ordering::Relaxed));
        let each = rest.div_ceil(self.shards.len());
        self.shards.iter().for_each(|s| s.set_capacity(each));
    }

    /// Do insertions fail that do not fit?
    #[must_use]
    pub fn strict_capacity_limit(&self) -> bool {
        self.strict.load(Ordering::Relaxed)
    }

    /// Changes that.
    pub fn set_strict_capacity_limit(&self, strict: bool) {
        self.strict.store(strict, Ordering::Relaxed);
    }

    /// Charge of all entries that exist, and what is reserved.
    #[must_use]
    pub fn usage(&self) -> usize {
        self.shards.iter().map(Shard::usage).sum::<usize>() + self.reserved.load(Ordering::Relaxed)
    }

    /// The part of `usage` that is held by others than the table.
    #[must_use]
    pub fn pinned_usage(&self) -> usize {
        let pinned = self.shards.iter().map(Shard::pinned_usage).sum::<usize>();
        pinned + self.reserved.load(Ordering::Relaxed)
    }

    /// Entries in the table.
    #[must_use]
    pub fn occupancy_count(&self) -> usize {
        self.shards.iter().map(|s| s.len()).sum()
    }

    /// Slots of the table.
    #[must_use]
    pub fn table_address_count(&self) -> usize {
        self.shards.iter().map(|s| s.slots()).sum()
    }

    /// A number that no other call on this cache has given.
    #[must_use]
    pub fn new_id(&self) -> u64 {
        // Relaxed: only the number matters.
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// RocksDB's name of the cache.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.kind {
            CacheKind::Lru => "LRUCache",
            CacheKind::HyperClock => "HyperClockCache",
        }
    }

    /// Which cache this stands for.
    #[must_use]
    pub fn kind(&self) -> CacheKind {
        self.kind
    }

    /// Reserves nothing yet; see [`Reservation::set`].
    #[must_use]
    pub fn reserve(self: &Arc<Self>) -> Reservation {
        Reservation { cache: Arc::clone(self), bytes: 0 }
    }
}

fn full() -> Error {
    Error::aborted("Insert failed due to LRU cache being full.").with_sub(SubKind::MemoryLimit)
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({} of {} B)", self.name(), self.usage(), self.capacity())
    }
}

/// Memory outside the cache that counts against its capacity: memtables, filters being built. It
/// takes room from entries, and is given back on drop.
#[derive(Debug)]
pub struct Reservation {
    cache: Arc<Cache>,
    bytes: usize,
}

impl Reservation {
    /// Reserves `bytes` in all. Fails, and leaves it as it was, when the cache is strict and the
    /// capacity too small.
    pub fn set(&mut self, bytes: usize) -> Result<()> {
        let limits = self.cache.limits.lock();
        let others = self.cache.reserved.load(Ordering::Relaxed) - self.bytes;
        let all = others.saturating_add(bytes);
        if bytes > self.bytes && all > limits.capacity && self.cache.strict_capacity_limit() {
            return Err(full());
        }
        self.cache.reserved.store(all, Ordering::Relaxed);
        self.bytes = bytes;
        self.cache.share_out(&limits);
        Ok(())
    }

    /// Bytes reserved.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let given_back = self.set(0);
        debug_assert!(given_back.is_ok(), "giving back always works");
    }
}

#[cfg(test)]
mod tests;
