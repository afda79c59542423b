//! Blocks of one table by way of the cache: looked up, loaded, counted, held.
//!
//! Data blocks come and go with reads. Metadata ([`Resident`]) is either pinned in its table or lives
//! in the cache too. Whoever wants a block gets it held (a reference counted) or, where it stays in
//! the table anyway, lent.
#![forbid(unsafe_code)]

use super::file::{BlockFile, Tail, Verify};
use super::prefetch::Readahead;
use crate::base::bytes::Owner;
use crate::base::{Error, InternalComparator, Result};
use crate::cache::{Cache, CacheKey, Entry, Priority, Value};
use crate::format::block::{Block, HoldsBlock, KeyForm};
use crate::format::handle::BlockHandle;
use crate::learned::PgmFence;
use crate::options::{ReadOptions, ReadTier, TableOptions};
use crate::stats::ticker::tick;
use crate::stats::{Statistics, Ticker};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// How blocks are loaded for one read.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) verify: Verify,
    pub(super) fill_cache: bool,
    /// Look into the cache first?
    pub(super) use_cache: bool,
    /// Only what needs no I/O.
    pub(super) no_io: bool,
}

impl How {
    pub(super) fn of(options: &ReadOptions) -> Self {
        Self {
            verify: if options.verify_checksums { Verify::Yes } else { Verify::No },
            fill_cache: options.fill_cache,
            use_cache: true,
            no_io: matches!(options.read_tier, ReadTier::BlockCache | ReadTier::Memtable),
        }
    }

    /// Everything checked, straight from the file.
    pub(super) const PLAIN: Self =
        Self { verify: Verify::Yes, fill_cache: false, use_cache: false, no_io: false };
}

/// What a block is, for counters and the cache's priorities.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Data,
    Index,
    Filter,
}

impl Class {
    fn hit(self) -> Ticker {
        match self {
            Self::Data => Ticker::BlockCacheDataHit,
            Self::Index => Ticker::BlockCacheIndexHit,
            Self::Filter => Ticker::BlockCacheFilterHit,
        }
    }
    fn miss(self) -> Ticker {
        match self {
            Self::Data => Ticker::BlockCacheDataMiss,
            Self::Index => Ticker::BlockCacheIndexMiss,
            Self::Filter => Ticker::BlockCacheFilterMiss,
        }
    }
    pub(super) fn reads(self) -> Ticker {
        match self {
            Self::Data => Ticker::DataReads,
            Self::Index => Ticker::IndexReads,
            Self::Filter => Ticker::FilterReads,
        }
    }
}

/// What can live in the cache.
pub(super) trait Cacheable: Send + Sync + 'static {
    fn into_value(self) -> Value;
    fn of(entry: &Entry) -> Option<&Self>;
}

impl Cacheable for Block {
    fn into_value(self) -> Value {
        Value::Block(self)
    }
    #[inline]
    fn of(entry: &Entry) -> Option<&Self> {
        entry.block()
    }
}

/// A filter.
impl Cacheable for Vec<u8> {
    fn into_value(self) -> Value {
        Value::Bytes(self)
    }
    #[inline]
    fn of(entry: &Entry) -> Option<&Self> {
        match entry.value() {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl Cacheable for PgmFence {
    fn into_value(self) -> Value {
        Value::Other(Box::new(self))
    }
    #[inline]
    fn of(entry: &Entry) -> Option<&Self> {
        entry.other()
    }
}

/// A value made of a block, held: in the cache, or by whoever holds this.
pub(super) enum Held<T: Cacheable> {
    Cached(Arc<Entry>),
    Own(Arc<T>),
}

impl<T: Cacheable> Clone for Held<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Cached(entry) => Self::Cached(Arc::clone(entry)),
            Self::Own(value) => Self::Own(Arc::clone(value)),
        }
    }
}

impl<T: Cacheable> Deref for Held<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Cached(entry) => T::of(entry).expect("checked when it was taken out"),
            Self::Own(value) => value,
        }
    }
}

/// A data or index block.
pub(super) type BlockRef = Held<Block>;

/// A value held, or borrowed from the table that it stays in: for reads that end before the borrow
/// does, and so need not count references that all threads share.
pub(super) enum Lent<'t, T: Cacheable> {
    Borrowed(&'t T),
    Held(Held<T>),
}

impl<T: Cacheable> Deref for Lent<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(value) => value,
            Self::Held(held) => held,
        }
    }
}

impl HoldsBlock for Lent<'_, Block> {
    #[inline]
    fn block(&self) -> &Block {
        self
    }
}

impl HoldsBlock for BlockRef {
    #[inline]
    fn block(&self) -> &Block {
        self
    }
}

impl BlockRef {
    /// What keeps the block's bytes alive.
    pub(super) fn owner(&self) -> Arc<dyn Owner> {
        match self {
            Self::Cached(entry) => Arc::clone(entry) as Arc<dyn Owner>,
            Self::Own(block) => Arc::clone(block) as Arc<dyn Owner>,
        }
    }
}

/// Metadata that is loaded when it is wanted, and stays in the table or in the cache.
pub(super) struct Resident<T: Cacheable> {
    pub(super) handle: BlockHandle,
    pub(super) class: Class,
    /// Lives in the block cache.
    cached: bool,
    pinned: OnceLock<Arc<T>>,
}

impl<T: Cacheable> Resident<T> {
    pub(super) fn new(handle: BlockHandle, class: Class, cached: bool) -> Self {
        Self { handle, class, cached, pinned: OnceLock::new() }
    }

    pub(super) fn is_cached(&self) -> bool {
        self.cached
    }

    #[cfg(test)]
    pub(super) fn pin(&self, value: T) {
        assert!(self.pinned.set(Arc::new(value)).is_ok());
    }

    pub(super) fn pinned(&self) -> Option<&Arc<T>> {
        self.pinned.get()
    }

    /// The value for the length of a borrow.
    #[inline]
    pub(super) fn lend(
        &self,
        core: &Core,
        how: How,
        make: impl FnOnce(Vec<u8>) -> Result<(T, usize)>,
    ) -> Result<Lent<'_, T>> {
        match self.pinned.get() {
            Some(value) => Ok(Lent::Borrowed(value)),
            None => self.get(core, how, None, make).map(Lent::Held),
        }
    }

    /// The value; loaded and made by `make` (which also says what it weighs) if it is not there.
    pub(super) fn get(
        &self,
        core: &Core,
        how: How,
        tail: Option<&Tail>,
        make: impl FnOnce(Vec<u8>) -> Result<(T, usize)>,
    ) -> Result<Held<T>> {
        if let Some(value) = self.pinned.get() {
            return Ok(Held::Own(Arc::clone(value)));
        }
        let how = How { use_cache: self.cached, fill_cache: self.cached, ..how };
        let held = core.load(self.handle, self.class, how, tail, make)?;
        if let (false, Held::Own(value)) = (self.cached, &held) {
            // Two threads may load it at the same time; one of the two stays.
            return Ok(Held::Own(Arc::clone(self.pinned.get_or_init(|| Arc::clone(value)))));
        }
        Ok(held)
    }
}

/// The file and how its blocks are cached and counted: what every part of a table works with.
pub(super) struct Core {
    pub(super) file: BlockFile,
    pub(super) order: InternalComparator,
    pub(super) options: Arc<TableOptions>,
    /// With the file's half of its keys.
    pub(super) cache: Option<(Arc<Cache>, u64)>,
    pub(super) statistics: Option<Arc<Statistics>>,
}

impl Core {
    #[inline]
    pub(super) fn tick(&self, ticker: Ticker, n: u64) {
        tick(self.statistics.as_deref(), ticker, n);
    }

    /// The cached value at `offset`.
    #[inline]
    pub(super) fn cached<T: Cacheable>(&self, offset: u64, class: Class) -> Option<Held<T>> {
        let (cache, id) = self.cache.as_ref()?;
        match cache.get(&CacheKey([*id, offset])) {
            Some(entry) if T::of(&entry).is_some() => {
                if let Some(statistics) = &self.statistics {
                    statistics.add(Ticker::BlockCacheHit, 1);
                    statistics.add(class.hit(), 1);
                }
                Some(Held::Cached(entry))
            }
            _ => {
                if let Some(statistics) = &self.statistics {
                    statistics.add(Ticker::BlockCacheMiss, 1);
                    statistics.add(class.miss(), 1);
                }
                None
            }
        }
    }

    /// Is there anything in the cache for `offset`? Not counted as a look-up.
    pub(super) fn holds(&self, offset: u64) -> bool {
        self.cache.as_ref().is_some_and(|(cache, id)| cache.get(&CacheKey([*id, offset])).is_some())
    }

    /// Puts a value into the cache where `fill` says so.
    pub(super) fn keep<T: Cacheable>(
        &self,
        offset: u64,
        class: Class,
        fill: bool,
        value: T,
        charge: usize,
    ) -> Result<Held<T>> {
        let Some((cache, id)) = self.cache.as_ref().filter(|_| fill) else {
            return Ok(Held::Own(Arc::new(value)));
        };
        let high =
            class != Class::Data && self.options.cache_index_and_filter_blocks_with_high_priority;
        let priority = if high { Priority::High } else { Priority::Low };
        match cache.insert(CacheKey([*id, offset]), value.into_value(), charge, priority) {
            Ok(entry) => {
                self.tick(Ticker::BlockCacheAdd, 1);
                Ok(Held::Cached(entry))
            }
            Err(error) => {
                self.tick(Ticker::BlockCacheAddFailures, 1);
                Err(error)
            }
        }
    }

    /// The value made of the block at `handle`: from the cache, or loaded.
    pub(super) fn load<T: Cacheable>(
        &self,
        handle: BlockHandle,
        class: Class,
        how: How,
        tail: Option<&Tail>,
        make: impl FnOnce(Vec<u8>) -> Result<(T, usize)>,
    ) -> Result<Held<T>> {
        if how.use_cache
            && let Some(held) = self.cached(handle.offset, class)
        {
            return Ok(held);
        }
        if how.no_io {
            return Err(Error::incomplete("no blocking io"));
        }
        let dictionary = if class == Class::Data { self.file.dictionary.as_deref() } else { None };
        let (stored, reads) = self.file.stored(handle, tail)?;
        self.tick(class.reads(), reads);
        let content = self.file.content(handle, stored, how.verify, dictionary)?;
        let (value, charge) = make(content).map_err(|e| self.file.locate(e, handle.offset))?;
        self.keep(handle.offset, class, how.fill_cache && how.use_cache, value, charge)
    }

    /// A data block.
    #[inline]
    pub(super) fn data(&self, handle: BlockHandle, how: How) -> Result<BlockRef> {
        self.load(handle, Class::Data, how, None, |content| self.parse_data(content, how))
    }

    /// A data block; one that stays is prepared for searches.
    pub(super) fn parse_data(&self, content: Vec<u8>, how: How) -> Result<(Block, usize)> {
        let mut block = Block::parse(content)?;
        if how.fill_cache && how.use_cache && self.cache.is_some() && self.order.is_bytewise() {
            block.prepare(KeyForm::Internal);
        }
        let charge = block.memory();
        Ok((block, charge))
    }

    /// A data block by way of an iterator's readahead.
    pub(super) fn data_ahead(
        &self,
        handle: BlockHandle,
        how: How,
        ahead: &mut Readahead,
    ) -> Result<BlockRef> {
        if how.use_cache
            && let Some(held) = self.cached(handle.offset, Class::Data)
        {
            return Ok(held);
        }
        if how.no_io {
            return Err(Error::incomplete("no blocking io"));
        }
        let (content, reads) = self.file.content_ahead(handle, how.verify, ahead)?;
        self.tick(Ticker::DataReads, reads);
        let (block, charge) =
            self.parse_data(content, how).map_err(|e| self.file.locate(e, handle.offset))?;
        self.keep(handle.offset, Class::Data, how.fill_cache && how.use_cache, block, charge)
    }

    /// Error for an entry that is no internal key.
    #[cold]
    pub(super) fn bad_entry(&self, offset: u64) -> Error {
        self.file.corrupt("entry with a bad internal key in the block", offset)
    }
}
