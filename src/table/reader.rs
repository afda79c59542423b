//! An open table: footer, metadata, what stays in memory and what lives in the block cache.
//!
//! Opening reads the end of the file at once; that holds all metadata of most tables but the filter
//! and the classic index. Then:
//!
//! - by default filter and index are loaded at open and stay (the classic index only where there is
//!   no learned one; otherwise it is loaded when the learned one fails);
//! - with `cache_index_and_filter_blocks` they live in the block cache and come when a read wants
//!   them, the filter before the index, unless the settings pin them.
#![forbid(unsafe_code)]

use super::blocks::{Class, Core, Held, How, Lent, Resident};
use super::file::{BlockFile, Tail, Verify};
use super::filter::TableFilter;
use super::index::{ClassicIndex, IndexShape};
use super::iter::TableIter;
use super::prefetch::Readahead;
use crate::base::coding::Reader;
use crate::base::key::{self, Kind, TAG_BYTES};
use crate::base::prefix::SliceTransform;
use crate::base::{Error, InternalComparator, ParsedKey, Result, Sequence};
use crate::cache::Cache;
use crate::env::RandomAccessFile;
use crate::filter::Probe;
use crate::format::block::Block;
use crate::format::handle::{BlockHandle, Footer};
use crate::format::model_block;
use crate::format::properties::{self, TableProperties};
use crate::iter::BoxIter;
use crate::iter::tombstones::{Fragments, Tombstone};
use crate::learned::PgmFence;
use crate::options::{LearnedIndex, ReadOptions, TableOptions};
use crate::stats::{Statistics, Ticker};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What an iterator is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterPurpose {
    /// A user's read: blocks go through the cache, readahead grows with use.
    User,
    /// A compaction: big reads, nothing enters the cache.
    Compaction,
}

/// How a table is opened.
#[derive(Clone)]
pub struct OpenOptions {
    /// The file's name for error texts.
    pub name: String,
    /// Its number.
    pub number: u64,
    /// Its exact size.
    pub file_size: u64,
    /// The order of its keys.
    pub order: InternalComparator,
    /// Settings of tables.
    pub options: Arc<TableOptions>,
    /// Where its blocks live.
    pub cache: Option<Arc<Cache>>,
    /// The file's half of its cache keys, when it was open before; `None` takes a new one.
    pub cache_id: Option<u64>,
    /// Counters.
    pub statistics: Option<Arc<Statistics>>,
    /// The family's prefix extractor.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The manifest's largest sequence: the global sequence number of an ingested file.
    pub largest_sequence: Sequence,
    /// The level it is on; -1 unknown.
    pub level: i32,
}

impl OpenOptions {
    /// Plain settings: no cache, no counters, nothing known from a manifest.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        file_size: u64,
        order: InternalComparator,
        options: Arc<TableOptions>,
    ) -> Self {
        Self {
            name: name.into(),
            number: 0,
            file_size,
            order,
            options,
            cache: None,
            cache_id: None,
            statistics: None,
            prefix_extractor: None,
            largest_sequence: 0,
            level: -1,
        }
    }
}

/// The learned index, if the table has one and it can be used.
pub(super) struct LearnedPart {
    resident: Resident<PgmFence>,
    /// It failed once: the classic index serves from then on.
    rejected: AtomicBool,
    data_blocks: u64,
    meta_start: u64,
}

impl LearnedPart {
    fn make(&self, content: Vec<u8>) -> Result<(PgmFence, usize)> {
        let model = model_block::load(content, self.data_blocks, self.meta_start)?;
        let charge = model.memory();
        Ok((model, charge))
    }
}

/// An open table. Any number of threads may read it at the same time.
pub struct Table {
    pub(super) core: Core,
    number: u64,
    pub(super) properties: TableProperties,
    pub(super) filter: TableFilter,
    pub(super) classic: ClassicIndex,
    learned: Option<LearnedPart>,
    tombstones: Arc<Fragments>,
    /// All stored sequences are 0 and mean this.
    pub(super) global_sequence: Option<Sequence>,
    /// Names and places of the meta blocks.
    meta: BTreeMap<Vec<u8>, BlockHandle>,
    /// Where the data blocks end.
    data_end: u64,
}

const METAINDEX_MAX_BYTES: u64 = 16 << 20;

fn meta_entries(block: &Block) -> Result<Vec<(Vec<u8>, std::ops::Range<usize>)>> {
    let mut entries = Vec::new();
    let mut cursor = block.cursor();
    cursor.seek_to_first();
    while cursor.valid() {
        entries.push((cursor.key().to_vec(), cursor.value_range()));
        cursor.next();
    }
    cursor.status()?;
    Ok(entries)
}

impl Table {
    /// Opens: reads footer, metaindex, properties and what the settings want in memory.
    pub fn open(file: Arc<dyn RandomAccessFile>, options: OpenOptions) -> Result<Arc<Self>> {
        let size = options.file_size;
        let tail = Tail::read(&*file, &options.name, size)?;
        let footer = Footer::decode(&tail.bytes, size).map_err(|e| e.context(&options.name))?;
        let mut blocks = BlockFile { file, name: options.name, size, footer, dictionary: None };
        let meta = load_metaindex(&blocks, &tail)?;
        let handle_of = |name: &str| meta.get(name.as_bytes()).copied();

        let properties = match handle_of(properties::META_NAME) {
            Some(handle) => load_properties(&blocks, handle, &tail)?,
            None => TableProperties::new(),
        };
        let global_sequence = global_sequence(&properties, options.largest_sequence, &blocks)?;
        if let Some(handle) = handle_of("rocksdb.compression_dict") {
            blocks.dictionary = Some(blocks.meta(handle, Verify::Yes, Some(&tail))?.0);
        }
        let tombstones = match handle_of("rocksdb.range_del") {
            Some(handle) => {
                let found = load_tombstones(&blocks, handle, &tail, global_sequence)?;
                Arc::new(Fragments::build(found, &**options.order.user()))
            }
            None => Fragments::empty(),
        };
        let Some(index) = blocks.footer.index.or_else(|| handle_of("rocksdb.index")) else {
            return Err(blocks.corrupt("no index", size));
        };
        let meta_start = meta
            .values()
            .chain([&index, &blocks.footer.metaindex])
            .map(|handle| handle.offset)
            .min()
            .unwrap_or(size);

        let cache = options.cache.filter(|_| !options.options.no_block_cache);
        let in_cache = cache.is_some() && options.options.cache_index_and_filter_blocks;
        let pin_all = options.level == 0 && options.options.pin_l0_filter_and_index_blocks_in_cache;
        let cached = in_cache && !pin_all;
        let cache = cache.map(|cache| {
            let id = options.cache_id.unwrap_or_else(|| cache.new_id());
            (cache, id)
        });
        let core = Core {
            file: blocks,
            order: options.order,
            options: options.options,
            cache,
            statistics: options.statistics,
        };
        let filter = TableFilter::new(&core, &properties, &meta, cached, options.prefix_extractor);
        let shape = IndexShape::of(&properties);
        let pin_top = core.options.pin_top_level_index_and_filter && shape.two_level;
        let classic = ClassicIndex::new(index, shape, cached && !pin_top);
        let learned = handle_of(model_block::META_NAME)
            .filter(|_| {
                core.order.is_bytewise()
                    && core.order.user().timestamp_size() == 0
                    && core.options.pgm_fence_mode != LearnedIndex::Off
            })
            .map(|handle| LearnedPart {
                resident: Resident::new(handle, Class::Index, cached),
                rejected: AtomicBool::new(false),
                data_blocks: properties.num_data_blocks,
                meta_start,
            });
        let table = Self {
            core,
            number: options.number,
            properties,
            filter,
            classic,
            learned,
            tombstones,
            global_sequence,
            meta,
            data_end: meta_start,
        };
        table.load_resident(&tail)?;
        Ok(Arc::new(table))
    }

    /// Loads what is to stay in memory.
    fn load_resident(&self, tail: &Tail) -> Result<()> {
        let how = How { verify: Verify::Yes, fill_cache: true, use_cache: true, no_io: false };
        self.filter.preload(&self.core, how, tail)?;
        let learned = match &self.learned {
            Some(part) if part.resident.is_cached() => return Ok(()),
            Some(part) => {
                let make = |content| part.make(content);
                let loaded = part.resident.get(&self.core, how, Some(tail), make);
                self.unless_rejected(loaded).is_some()
            }
            None => false,
        };
        if !learned && !self.classic.is_cached() {
            self.classic.top(&self.core, how, Some(tail))?;
        }
        Ok(())
    }

    /// The learned index, unless there is none or it does not hold: then the classic one serves.
    pub(super) fn learned(&self, how: How) -> Option<Held<PgmFence>> {
        let part = self.serving()?;
        self.unless_rejected(part.resident.get(
            &self.core,
            How { verify: Verify::Yes, ..how },
            None,
            |content| part.make(content),
        ))
    }

    /// The same for the length of a borrow.
    #[inline]
    pub(super) fn lend_learned(&self, how: How) -> Option<Lent<'_, PgmFence>> {
        let part = self.serving()?;
        let how = How { verify: Verify::Yes, ..how };
        self.unless_rejected(part.resident.lend(&self.core, how, |content| part.make(content)))
    }

    #[inline]
    fn serving(&self) -> Option<&LearnedPart> {
        // Relaxed: a stale answer means one more try.
        self.learned.as_ref().filter(|part| !part.rejected.load(Ordering::Relaxed))
    }

    #[inline]
    fn unless_rejected<T>(&self, loaded: Result<T>) -> Option<T> {
        if let Err(error) = &loaded
            && error.is_corruption()
        {
            self.reject_learned();
        }
        loaded.ok()
    }

    /// Serves by the classic index from now on.
    #[cold]
    pub(super) fn reject_learned(&self) {
        if let Some(part) = &self.learned
            && !part.rejected.swap(true, Ordering::Relaxed)
        {
            self.core.tick(Ticker::LearnedRejected, 1);
        }
    }

    /// Puts `model` in place of the learned index, whatever it says.
    #[cfg(test)]
    pub(super) fn set_model(&mut self, model: PgmFence) {
        let resident = Resident::new(BlockHandle::default(), Class::Index, false);
        resident.pin(model);
        let rejected = AtomicBool::new(false);
        self.learned = Some(LearnedPart { resident, rejected, data_blocks: 0, meta_start: 0 });
    }

    /// Does the learned index serve?
    #[must_use]
    pub fn is_learned(&self) -> bool {
        self.serving().is_some()
    }

    /// A cursor over the points.
    pub fn iter(self: &Arc<Self>, options: &ReadOptions, purpose: IterPurpose) -> BoxIter {
        TableIter::boxed(self, options, purpose)
    }

    /// Range tombstones.
    #[must_use]
    pub fn tombstones(&self) -> &Arc<Fragments> {
        &self.tombstones
    }

    /// About where in the file `ikey` lies, in bytes; for a key behind all others the place of the last
    /// block or the end of the data. Whoever knows the file's bounds asks only inside them.
    #[must_use]
    pub fn approximate_offset(&self, ikey: &[u8]) -> u64 {
        let how = How { verify: Verify::Yes, fill_cache: true, use_cache: true, no_io: false };
        if let Some(learned) = self.lend_learned(how) {
            let at = learned.candidates(key::user_key(ikey)).predicted;
            return learned.handle(at).0;
        }
        self.classic.offset_of(&self.core, how, ikey).unwrap_or(self.data_end)
    }

    /// What the file says about itself.
    #[must_use]
    pub fn properties(&self) -> &TableProperties {
        &self.properties
    }

    /// The number that all its entries count as, if it was ingested.
    #[must_use]
    pub fn global_sequence(&self) -> Option<Sequence> {
        self.global_sequence
    }

    /// Reads every block and compares its checksum.
    pub fn verify_checksums(&self) -> Result<()> {
        let mut ahead = Readahead::fixed(256 << 10);
        self.classic.for_each_data_block(&self.core, &mut |handle| {
            self.core.file.content_ahead(handle, Verify::Yes, &mut ahead).map(drop)
        })?;
        for (name, &handle) in &self.meta {
            if name == properties::META_NAME.as_bytes() {
                // Patched in place by old releases: loading knows how to tell.
                let tail = Tail { start: self.core.file.size, bytes: Vec::new() };
                load_properties(&self.core.file, handle, &tail)?;
            } else {
                let (stored, _) = self.core.file.stored(handle, None)?;
                self.core.file.verify(handle, &stored)?;
            }
        }
        self.filter.verify_partitions(&self.core)?;
        let metaindex = self.core.file.footer.metaindex;
        let (stored, _) = self.core.file.stored(metaindex, None)?;
        self.core.file.verify(metaindex, &stored)
    }

    /// May the table hold `user_key`? True when nothing proves the contrary.
    pub fn may_match_key(&self, options: &ReadOptions, user_key: &[u8]) -> Result<bool> {
        self.filter.may_match_key(&self.core, How::of(options), &Probe::new(user_key))
    }

    /// May the table hold a key with the prefix of `user_key`? True when nothing proves the contrary.
    pub fn may_match_prefix(&self, options: &ReadOptions, user_key: &[u8]) -> Result<bool> {
        self.filter.may_match_prefix(&self.core, How::of(options), user_key)
    }

    /// Bytes of memory held outside the block cache.
    #[must_use]
    pub fn memory(&self) -> usize {
        let learned = self.learned.as_ref().and_then(|part| part.resident.pinned());
        size_of::<Self>()
            + self.filter.memory()
            + self.classic.memory()
            + learned.map_or(0, |model| model.memory())
            + self.tombstones.memory()
            + self.core.file.dictionary.as_ref().map_or(0, Vec::len)
    }

    /// The file's number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The file's half of its cache keys.
    #[must_use]
    pub fn cache_id(&self) -> Option<u64> {
        self.core.cache.as_ref().map(|(_, id)| *id)
    }

    /// The file's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.core.file.name
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({})", self.core.file.name)
    }
}

fn load_metaindex(file: &BlockFile, tail: &Tail) -> Result<BTreeMap<Vec<u8>, BlockHandle>> {
    let handle = file.footer.metaindex;
    if handle.size > METAINDEX_MAX_BYTES {
        return Err(file.corrupt("metaindex too large", handle.offset));
    }
    let content = file.meta(handle, Verify::Yes, Some(tail))?.0;
    let parse = || {
        let block = Block::parse(content)?;
        let mut meta = BTreeMap::new();
        for (name, value) in meta_entries(&block)? {
            meta.insert(name, BlockHandle::read(&mut Reader::new(&block.bytes()[value]))?);
        }
        Ok(meta)
    };
    parse().map_err(|e| file.locate(e, handle.offset))
}

/// The properties. Old releases patched the global sequence number in the file after the checksum
/// was made; a block that is right with those 8 bytes zeroed is right.
fn load_properties(file: &BlockFile, handle: BlockHandle, tail: &Tail) -> Result<TableProperties> {
    let (stored, _) = file.stored(handle, Some(tail))?;
    if let Err(error) = file.verify(handle, &stored) {
        let mut zeroed = stored.clone();
        let content = zeroed.get_mut(..handle.size as usize).unwrap_or_default();
        if !properties::zero_global_sequence(content) || file.verify(handle, &zeroed).is_err() {
            return Err(error);
        }
    }
    let content = file.content(handle, stored, Verify::No, None)?;
    Block::parse(content)
        .and_then(|block| TableProperties::decode(&block))
        .map_err(|e| file.locate(e, handle.offset))
}

fn global_sequence(
    properties: &TableProperties,
    largest: Sequence,
    file: &BlockFile,
) -> Result<Option<Sequence>> {
    let bad = |what: &str| Err(file.corrupt(what, file.size));
    match (properties.external_version, properties.global_sequence) {
        (None | Some(0), None | Some(0)) => Ok(None),
        (None | Some(0), Some(_)) => bad("global sequence number in a file that is not external"),
        (Some(1), _) => Ok(None),
        (Some(2), stored) => {
            let stored = stored.unwrap_or(0);
            if stored != 0 && largest != 0 && stored != largest {
                return bad(&format!(
                    "global sequence number {stored} does not agree with {largest}"
                ));
            }
            Ok(Some(stored.max(largest)))
        }
        (Some(version), _) => bad(&format!("external file of unknown version {version}")),
    }
}

fn load_tombstones(
    file: &BlockFile,
    handle: BlockHandle,
    tail: &Tail,
    global: Option<Sequence>,
) -> Result<Vec<Tombstone>> {
    let content = file.meta(handle, Verify::Yes, Some(tail))?.0;
    let parse = || {
        let block = Block::parse(content)?;
        let mut found = Vec::new();
        for (ikey, value) in meta_entries(&block)? {
            if ikey.len() < TAG_BYTES {
                return Err(Error::corruption("short range tombstone"));
            }
            let entry = ParsedKey::parse(&ikey)
                .filter(|entry| entry.kind == Kind::RangeDeletion)
                .ok_or_else(|| Error::corruption("not a range tombstone"))?;
            found.push(Tombstone {
                begin: entry.user_key.to_vec(),
                end: block.bytes()[value].to_vec(),
                sequence: global.unwrap_or(entry.sequence),
            });
        }
        Ok(found)
    };
    parse().map_err(|e| file.locate(e, handle.offset))
}
