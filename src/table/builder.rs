//! Sorted entries in, one file out.
//!
//! ```text
//! data block*  filter  index partition*  index  learned index  range tombstones  properties
//! metaindex  footer
//! ```
//!
//! Data blocks stream out as they fill. The rest is small and waits in memory for the end: a
//! separator and a handle for each block, a hash for each key of the filter, the range tombstones.
//! Only at the end is it known whether a user key spans blocks, which decides what the keys of the
//! index are; so that the whole index is of one kind, it is built then.
//!
//! Blocks are cut at `block_size`, but not between two versions of one user key unless the block
//! has twice that size by then: a point lookup stays within one block nearly always. In window mode
//! blocks have a third of the size, so that three of them are one read.
#![forbid(unsafe_code)]

use super::output::{Codec, Hashes, Output, WRITE_BUFFER_BYTES};
use super::unique_id::unique_id;
use crate::base::key::{self, Kind, MAX_SEQUENCE, SEPARATOR_KIND};
use crate::base::prefix::SliceTransform;
use crate::base::{Error, InternalComparator, ParsedKey, Result, Sequence};
use crate::env::WritableFile;
use crate::filter::{BUILTIN_NAME, FULL_PREFIX, FilterBuilder, PARTITIONED_PREFIX};
use crate::format::block::BlockBuilder;
use crate::format::compression;
use crate::format::handle::{BlockHandle, Footer};
use crate::format::index_block::{IndexBuilder, IndexFormat};
use crate::format::model_block;
use crate::format::properties::{META_NAME as PROPERTIES, TableProperties};
use crate::learned::{self, PgmFence, PgmFenceBuilder};
use crate::options::{
    Compression, CompressionOptions, DataBlockIndexType, IndexShortening, IndexType, LearnedIndex,
    TableOptions,
};
use crate::stats::Statistics;
use std::cmp::Ordering;
use std::sync::Arc;

/// How one table is written, and what its properties say about its origin.
#[derive(Clone)]
pub struct BuildOptions {
    /// The order of its keys.
    pub order: InternalComparator,
    /// Layout.
    pub options: Arc<TableOptions>,
    /// Codec of data and index blocks.
    pub compression: Compression,
    /// How hard.
    pub compression_opts: CompressionOptions,
    /// Prefixes that go into the filter.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Column family: number and name.
    pub family: (u32, String),
    /// The level it is written for; -1 unknown.
    pub level: i32,
    /// Its file number.
    pub number: u64,
    /// The file's name, for error texts.
    pub name: String,
    /// The store's identity.
    pub db_id: String,
    /// The identity of this opening of the store.
    pub db_session_id: String,
    /// The host.
    pub db_host_id: String,
    /// Unix seconds: age of the oldest data.
    pub creation_time: u64,
    /// Unix seconds: now.
    pub file_creation_time: u64,
    /// Unix seconds: when the oldest key was written; 0 unknown.
    pub oldest_key_time: u64,
    /// The merge operator's name, or `nullptr`.
    pub merge_operator: String,
    /// Build no filter (the last level with `optimize_filters_for_hits`).
    pub skip_filter: bool,
    /// A file made outside a store: carries the properties that ingestion needs.
    pub external: bool,
    /// Start writing out every so many bytes; 0 leaves it to the OS.
    pub bytes_per_sync: u64,
    /// Counters.
    pub statistics: Option<Arc<Statistics>>,
}

impl BuildOptions {
    /// Plain settings over `order`; the caller fills in what it knows.
    #[must_use]
    pub fn new(order: InternalComparator, options: Arc<TableOptions>) -> Self {
        Self {
            order,
            options,
            compression: Compression::None,
            compression_opts: CompressionOptions::default(),
            prefix_extractor: None,
            family: (0, "default".to_owned()),
            level: -1,
            number: 0,
            name: String::new(),
            db_id: String::new(),
            db_session_id: String::new(),
            db_host_id: String::new(),
            creation_time: 0,
            file_creation_time: 0,
            oldest_key_time: 0,
            merge_operator: "nullptr".to_owned(),
            skip_filter: false,
            external: false,
            bytes_per_sync: 0,
            statistics: None,
        }
    }
}

/// What became of a build.
#[derive(Clone, Debug, Default)]
pub struct TableSummary {
    /// Bytes of the file.
    pub file_size: u64,
    /// Bytes behind the data blocks.
    pub tail_size: u64,
    /// Entries, range tombstones included.
    pub entries: u64,
    /// Smallest and largest sequence numbers among all entries.
    pub sequences: (Sequence, Sequence),
    /// First and last internal key of the points; empty when there are none.
    pub first_key: Vec<u8>,
    /// See `first_key`.
    pub last_key: Vec<u8>,
    /// MANIFEST field 12, when database and session identity are known.
    pub unique_id: Option<[u8; 16]>,
    /// Bytes of the learned index; 0 when the table has none.
    pub learned_bytes: u64,
    /// Bytes of the classic index.
    pub index_bytes: u64,
    /// What the file says about itself.
    pub properties: TableProperties,
}

/// Behind a separator that is no key of the table: before all keys of its user key.
const SEPARATOR_TAG: u64 = (MAX_SEQUENCE << 8) | SEPARATOR_KIND as u64;

/// Byte strings one behind the other.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Strings {
    fn push(&mut self, s: &[u8]) {
        self.bytes.extend_from_slice(s);
        self.ends.push(self.bytes.len());
    }

    fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }
}

/// What is known of the data blocks written so far.
#[derive(Default)]
struct Blocks {
    handles: Vec<BlockHandle>,
    /// Internal keys, >= all keys of the block and < all of the next.
    separators: Strings,
    /// First internal keys, kept only for the index that wants them.
    first_keys: Strings,
    /// Ends (exclusive, as block numbers) of the partitions of a two-level index.
    cuts: Vec<usize>,
    /// Bytes that the entries of the partition under way take, about.
    part_size: usize,
    /// Does some user key have versions in two blocks?
    spanned: bool,
}

/// Counters for the properties.
#[derive(Default)]
struct Counts {
    entries: u64,
    deletions: u64,
    merges: u64,
    range_deletions: u64,
    key_bytes: u64,
    value_bytes: u64,
    smallest: Option<Sequence>,
    largest: Sequence,
}

/// Writes one table. Keys come in strictly ascending internal order; range tombstones
/// (kind `RangeDeletion`, value = end key) in any order, at any time. After an error the build is
/// lost: every later call fails.
pub struct TableBuilder {
    options: BuildOptions,
    out: Output,
    codec: Codec,
    block_size: usize,
    data: BlockBuilder,
    /// First internal key of the block under way.
    block_first: Vec<u8>,
    first_key: Vec<u8>,
    last_key: Vec<u8>,
    /// A block is written whose separator waits for the next key.
    separator_pending: bool,
    blocks: Blocks,
    hashes: Option<Hashes>,
    learned: Option<PgmFenceBuilder>,
    tombstones: Vec<(Vec<u8>, Vec<u8>)>,
    counts: Counts,
    filter_policy: String,
    error: Option<Error>,
}

impl TableBuilder {
    /// Into `file`, which must be empty.
    pub fn new(options: BuildOptions, file: Box<dyn WritableFile>) -> Result<Self> {
        let table = Arc::clone(&options.options);
        if table.block_align && !(table.block_size as usize).is_power_of_two() {
            return Err(Error::invalid_argument(
                "Block alignment requested but block size is not a power of 2",
            ));
        }
        // 0 and 1 are no longer written, 6 and 7 only read; 5 is what every supported release opens.
        let format_version = table.format_version.clamp(2, 5);
        let compression = match options.compression {
            Compression::Disable => Compression::None,
            c if compression::is_supported(c as u8) => c,
            c => {
                return Err(Error::not_supported(format!(
                    "compression type {c:?} is not built in, or can only be read"
                )));
            }
        };
        let plain_order = options.order.is_bytewise() && options.order.user().timestamp_size() == 0;
        let learned =
            (plain_order && table.pgm_fence_mode != LearnedIndex::Off).then(PgmFenceBuilder::new);
        let window = learned.is_some() && table.pgm_fence_mode == LearnedIndex::Window;
        let block_size = (table.block_size as usize).max(1);
        let hashes = match &table.filter_policy {
            Some(policy) if !options.skip_filter => {
                FilterBuilder::at_level(policy, format_version, options.level).map(|builder| {
                    Hashes {
                        builder,
                        parts: Vec::new(),
                        entries: 0,
                        whole_keys: table.whole_key_filtering,
                        prefixes: options.prefix_extractor.clone(),
                        last_prefix: None,
                    }
                })
            }
            _ => None,
        };
        let hashed_by =
            table.filter_policy.as_ref().map_or_else(String::new, |p| p.name().to_owned());
        let restart = usize::try_from(table.block_restart_interval).unwrap_or(1).max(1);
        let mut data = BlockBuilder::new(restart, table.use_delta_encoding);
        if table.data_block_index_type == DataBlockIndexType::BinaryAndHash {
            data = data.with_hash(table.data_block_hash_table_util_ratio);
        }
        Ok(Self {
            out: Output {
                file,
                buffer: Vec::with_capacity(WRITE_BUFFER_BYTES + (64 << 10)),
                offset: 0,
                footer: Footer::new(
                    format_version,
                    table.checksum as u8,
                    BlockHandle::default(),
                    BlockHandle::default(),
                ),
                bytes_per_sync: options.bytes_per_sync,
                synced: 0,
            },
            codec: Codec {
                kind: compression,
                opts: options.compression_opts,
                version: format_version,
                verify: table.verify_compression,
                buffer: Vec::new(),
                name: options.name.clone(),
            },
            block_size: if window { block_size.div_ceil(3) } else { block_size },
            data,
            block_first: Vec::new(),
            first_key: Vec::new(),
            last_key: Vec::new(),
            separator_pending: false,
            blocks: Blocks::default(),
            hashes,
            learned,
            tombstones: Vec::new(),
            counts: Counts::default(),
            filter_policy: hashed_by,
            error: None,
            options,
        })
    }

    /// Adds an entry.
    pub fn add(&mut self, ikey: &[u8], value: &[u8]) -> Result<()> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let added = self.add_entry(ikey, value);
        if let Err(error) = &added {
            self.error = Some(error.clone());
        }
        added
    }

    fn corrupt(&self, what: &str) -> Error {
        Error::corruption(format!("{what} in {} at {}", self.options.name, self.out.offset))
    }

    fn add_entry(&mut self, ikey: &[u8], value: &[u8]) -> Result<()> {
        let Some(entry) = ParsedKey::parse(ikey) else {
            return Err(self.corrupt("key without tag, or of unknown kind,"));
        };
        if entry.kind == Kind::RangeDeletion {
            self.tombstones.push((ikey.to_vec(), value.to_vec()));
            self.counts.range_deletions += 1;
            self.count(&entry, ikey, value);
            return Ok(());
        }
        let first = self.last_key.is_empty();
        let mut new_user_key = true;
        if !first {
            let last_user = key::user_key(&self.last_key);
            let order = self.options.order.compare_user(last_user, entry.user_key);
            new_user_key = order == Ordering::Less;
            if order == Ordering::Greater
                || (order == Ordering::Equal && key::tag(&self.last_key) <= key::tag(ikey))
            {
                return Err(self.corrupt("keys out of order"));
            }
        }
        if !self.data.is_empty() && self.must_cut(ikey, value, new_user_key) {
            self.flush_block(Some(entry.user_key))?;
        }
        if self.separator_pending {
            self.add_separator(Some(ikey));
        }
        if new_user_key && let Some(hashes) = &mut self.hashes {
            hashes.add(entry.user_key);
        }
        if self.data.is_empty() {
            self.block_first.clear();
            self.block_first.extend_from_slice(ikey);
        }
        if first {
            self.first_key.extend_from_slice(ikey);
        }
        self.data.add(ikey, value);
        self.last_key.clear();
        self.last_key.extend_from_slice(ikey);
        self.count(&entry, ikey, value);
        Ok(())
    }

    #[inline]
    fn count(&mut self, entry: &ParsedKey<'_>, ikey: &[u8], value: &[u8]) {
        let c = &mut self.counts;
        c.entries += 1;
        c.key_bytes += ikey.len() as u64;
        c.value_bytes += value.len() as u64;
        match entry.kind {
            Kind::Deletion
            | Kind::SingleDeletion
            | Kind::DeletionWithTimestamp
            | Kind::RangeDeletion => c.deletions += 1,
            Kind::Merge => c.merges += 1,
            _ => {}
        }
        c.smallest = Some(c.smallest.map_or(entry.sequence, |s| s.min(entry.sequence)));
        c.largest = c.largest.max(entry.sequence);
    }

    /// Does the block under way end before this entry?
    #[inline]
    fn must_cut(&self, ikey: &[u8], value: &[u8], new_user_key: bool) -> bool {
        let size = self.data.size_estimate();
        if !new_user_key {
            return size >= 2 * self.block_size;
        }
        if size >= self.block_size {
            return true;
        }
        // A block nearly full is not made larger than asked for.
        let deviation = self.options.options.block_size_deviation;
        let Ok(deviation) = usize::try_from(deviation) else { return false };
        if deviation == 0 || deviation > 100 {
            return false;
        }
        let after = size + ikey.len() + value.len() + 7;
        after > self.block_size && size * 100 > self.block_size * (100 - deviation)
    }

    /// Writes the block under way. `next` is the user key that follows.
    fn flush_block(&mut self, next: Option<&[u8]>) -> Result<()> {
        let content = self.data.finish();
        let (stored, kind) = self.codec.pack(content, true)?;
        let handle = self.out.block(stored, kind)?;
        self.data.reset();
        if let Some(learned) = &mut self.learned {
            let (first, last) = (key::user_key(&self.block_first), key::user_key(&self.last_key));
            learned.add_block(first, last, handle.offset, handle.size);
        }
        self.blocks.handles.push(handle);
        if self.options.options.index_type == IndexType::BinarySearchWithFirstKey {
            self.blocks.first_keys.push(&self.block_first);
        }
        self.separator_pending = true;
        if self.options.options.index_type == IndexType::TwoLevel {
            self.blocks.part_size += self.last_key.len() + 12;
            if self.blocks.part_size as u64 >= self.options.options.metadata_block_size {
                self.cut_partition(next);
            }
        }
        self.align()
    }

    /// Ends a partition of index and filter behind the last block.
    fn cut_partition(&mut self, next: Option<&[u8]>) {
        self.blocks.part_size = 0;
        self.blocks.cuts.push(self.blocks.handles.len());
        if self.options.options.partition_filters
            && let Some(hashes) = &mut self.hashes
        {
            hashes.cut(next);
        }
    }

    /// Fills up to where the next block may start.
    fn align(&mut self) -> Result<()> {
        if !self.options.options.block_align || self.codec.kind != Compression::None {
            return Ok(());
        }
        let unit = self.options.options.block_size;
        let fill = (unit - self.out.offset % unit) % unit;
        self.out.write(&vec![0; fill as usize])
    }

    /// The separator behind the last block, once the next key (or that there is none) is known.
    fn add_separator(&mut self, next: Option<&[u8]>) {
        self.separator_pending = false;
        let last = &self.last_key;
        let order = &self.options.order;
        let shortening = self.options.options.index_shortening;
        let Some(next) = next else {
            let mut short = key::user_key(last).to_vec();
            if shortening == IndexShortening::ShortenSeparatorsAndSuccessor {
                order.user().find_short_successor(&mut short);
            }
            if order.compare_user(key::user_key(last), &short) == Ordering::Less {
                short.extend_from_slice(&SEPARATOR_TAG.to_le_bytes());
                self.blocks.separators.push(&short);
            } else {
                self.blocks.separators.push(last);
            }
            return;
        };
        let (last_user, next_user) = (key::user_key(last), key::user_key(next));
        if order.compare_user(last_user, next_user) == Ordering::Equal {
            self.blocks.spanned = true;
            self.blocks.separators.push(last);
            return;
        }
        let mut short = last_user.to_vec();
        if shortening != IndexShortening::None {
            order.user().find_shortest_separator(&mut short, next_user);
        }
        // A comparator is user code: what it says is used only if it keeps its promise.
        if short.len() <= last_user.len()
            && order.compare_user(last_user, &short) == Ordering::Less
            && order.compare_user(&short, next_user) == Ordering::Less
        {
            short.extend_from_slice(&SEPARATOR_TAG.to_le_bytes());
            self.blocks.separators.push(&short);
        } else {
            self.blocks.separators.push(last);
        }
    }

    /// Bytes so far, the block under way included as it stands.
    #[must_use]
    pub fn file_size(&self) -> u64 {
        let pending = if self.data.is_empty() { 0 } else { self.data.size_estimate() as u64 };
        self.out.offset + pending
    }

    /// Entries so far, range tombstones included.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.counts.entries
    }

    /// Writes the rest, syncs and closes.
    pub fn finish(mut self) -> Result<TableSummary> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.finish_file()
    }

    /// Gives up: closes the file, which the caller deletes.
    pub fn abandon(mut self) {
        // The file goes away; so does whatever is wrong with it.
        let _ = self.out.file.close();
    }

    fn finish_file(&mut self) -> Result<TableSummary> {
        if !self.data.is_empty() {
            self.flush_block(None)?;
        }
        if self.separator_pending {
            self.add_separator(None);
        }
        let data_end = self.out.offset;
        let format = self.index_format();
        let mut meta: Vec<(String, BlockHandle)> = Vec::new();
        let blocks = self.blocks.handles.len();
        if blocks > 0
            && self.options.options.index_type == IndexType::TwoLevel
            && self.blocks.cuts.last() != Some(&blocks)
        {
            self.cut_partition(None);
        }
        let cuts = std::mem::take(&mut self.blocks.cuts);

        let filter_start = self.out.offset;
        let filter_entries = self.write_filter(&cuts, format, &mut meta)?;
        let filter_size = self.out.offset - filter_start;

        let index_start = self.out.offset;
        let (index, top_level_size) = self.write_index(&cuts, format)?;
        let index_size = self.out.offset - index_start;
        let learned = self.write_learned(data_end, index_size, &mut meta)?;
        self.write_tombstones(&mut meta)?;

        let mut properties = self.properties(data_end, format);
        properties.index_size = index_size;
        properties.top_level_index_size = top_level_size;
        properties.index_partitions = cuts.len() as u64;
        properties.filter_size = filter_size;
        properties.num_filter_entries = filter_entries;
        let mut learned_bytes = 0;
        if let Some(model) = learned {
            learned_bytes = model.bytes().len() as u64;
            let text = model_block::property_text(&model);
            properties.user.insert(model_block::PROPERTY_NAME.into(), text.into_bytes());
        }
        let handle = self.out.raw_block(&properties.encode())?;
        meta.push((PROPERTIES.to_owned(), handle));

        meta.sort_by(|a, b| a.0.cmp(&b.0));
        let mut block = BlockBuilder::new(1, true);
        let mut value = Vec::new();
        for (name, handle) in &meta {
            value.clear();
            handle.encode(&mut value);
            block.add(name.as_bytes(), &value);
        }
        let metaindex = self.out.raw_block(block.finish())?;
        let footer = Footer { metaindex, index: Some(index), ..self.out.footer };
        self.out.write(&footer.encode())?;
        self.out.flush()?;
        self.out.file.sync()?;
        self.out.file.close()?;
        let o = &self.options;
        Ok(TableSummary {
            file_size: self.out.offset,
            tail_size: self.out.offset - data_end,
            entries: self.counts.entries,
            sequences: (self.counts.smallest.unwrap_or(0), self.counts.largest),
            first_key: std::mem::take(&mut self.first_key),
            last_key: std::mem::take(&mut self.last_key),
            unique_id: unique_id(&o.db_id, &o.db_session_id, o.number),
            learned_bytes,
            index_bytes: index_size,
            properties,
        })
    }

    /// What all index blocks of this file look like.
    fn index_format(&self) -> IndexFormat {
        let t = &self.options.options;
        IndexFormat {
            user_keys: self.codec.version >= 3 && !self.blocks.spanned,
            delta_handles: self.codec.version >= 4 && !t.block_align,
            first_keys: t.index_type == IndexType::BinarySearchWithFirstKey,
        }
    }

    fn write_index(&mut self, cuts: &[usize], format: IndexFormat) -> Result<(BlockHandle, u64)> {
        let t = Arc::clone(&self.options.options);
        let restart = usize::try_from(t.index_block_restart_interval).unwrap_or(1).max(1);
        let mut top = IndexBuilder::new();
        let mut part = IndexBuilder::new();
        let count = self.blocks.handles.len();
        let mut start = 0;
        let whole = [count];
        let ends = if cuts.is_empty() { &whole[..] } else { cuts };
        for &end in ends {
            part.clear();
            for i in start..end {
                let first = if format.first_keys { self.blocks.first_keys.get(i) } else { &[] };
                part.add(self.blocks.separators.get(i), first, self.blocks.handles[i]);
            }
            start = end;
            let content = part.finish(restart, format);
            let (stored, kind) = self.codec.pack(&content, t.enable_index_compression)?;
            let handle = self.out.block(stored, kind)?;
            if cuts.is_empty() {
                return Ok((handle, 0));
            }
            if let Some(last) = part.last_separator() {
                top.add(last, &[], handle);
            }
        }
        let content = top.finish(restart, IndexFormat { first_keys: false, ..format });
        let (stored, kind) = self.codec.pack(&content, t.enable_index_compression)?;
        let size = stored.len() as u64;
        Ok((self.out.block(stored, kind)?, size))
    }

    /// Writes the filter and says how many entries it has.
    fn write_filter(
        &mut self,
        cuts: &[usize],
        format: IndexFormat,
        meta: &mut Vec<(String, BlockHandle)>,
    ) -> Result<u64> {
        let Some(mut hashes) = self.hashes.take() else { return Ok(0) };
        if hashes.parts.is_empty() {
            let filter = hashes.finish();
            if hashes.entries > 0 {
                let handle = self.out.raw_block(&filter)?;
                meta.push((format!("{FULL_PREFIX}{BUILTIN_NAME}"), handle));
            }
            return Ok(hashes.entries);
        }
        let mut top = IndexBuilder::new();
        for (part, &end) in hashes.parts.iter().zip(cuts) {
            let handle = self.out.raw_block(part)?;
            top.add(self.blocks.separators.get(end - 1), &[], handle);
        }
        let format = IndexFormat { first_keys: false, ..format };
        let restart = self.options.options.index_block_restart_interval;
        let restart = usize::try_from(restart).unwrap_or(1).max(1);
        let handle = self.out.raw_block(&top.finish(restart, format))?;
        meta.push((format!("{PARTITIONED_PREFIX}{BUILTIN_NAME}"), handle));
        Ok(hashes.entries)
    }

    fn write_learned(
        &mut self,
        data_end: u64,
        index_size: u64,
        meta: &mut Vec<(String, BlockHandle)>,
    ) -> Result<Option<PgmFence>> {
        let Some(builder) = self.learned.take() else { return Ok(None) };
        let mode = match self.options.options.pgm_fence_mode {
            LearnedIndex::Window => learned::Mode::Window,
            _ => learned::Mode::Exact,
        };
        let options = learned::BuildOptions { mode, standard_index_bytes: index_size };
        let Some(content) = builder.finish(data_end, &options) else { return Ok(None) };
        let handle = self.out.raw_block(&content)?;
        meta.push((model_block::META_NAME.to_owned(), handle));
        PgmFence::parse(content).map(Some)
    }

    fn write_tombstones(&mut self, meta: &mut Vec<(String, BlockHandle)>) -> Result<()> {
        if self.tombstones.is_empty() {
            return Ok(());
        }
        let order = &self.options.order;
        self.tombstones.sort_by(|a, b| order.compare(&a.0, &b.0).then_with(|| a.1.cmp(&b.1)));
        self.tombstones.dedup();
        let mut block = BlockBuilder::new(1, true);
        for (ikey, end) in &self.tombstones {
            block.add(ikey, end);
        }
        let handle = self.out.raw_block(block.finish())?;
        meta.push(("rocksdb.range_del".to_owned(), handle));
        Ok(())
    }

    fn properties(&self, data_end: u64, format: IndexFormat) -> TableProperties {
        let (o, t, c) = (&self.options, &self.options.options, &self.counts);
        let index_type = match t.index_type {
            // The hash is an accelerator that is not written.
            IndexType::HashSearch => IndexType::BinarySearch,
            // A file of range tombstones alone has an index of no blocks, in one piece.
            IndexType::TwoLevel if self.blocks.handles.is_empty() => IndexType::BinarySearch,
            other => other,
        };
        let c_opts = &o.compression_opts;
        TableProperties {
            index_type: index_type as u32,
            index_key_is_user_key: u64::from(format.user_keys),
            index_value_is_delta_encoded: u64::from(format.delta_handles),
            whole_key_filtering: t.whole_key_filtering,
            prefix_filtering: o.prefix_extractor.is_some(),
            num_entries: c.entries,
            num_deletions: c.deletions,
            num_merge_operands: c.merges,
            num_range_deletions: c.range_deletions,
            raw_key_size: c.key_bytes,
            raw_value_size: c.value_bytes,
            data_size: data_end,
            num_data_blocks: self.blocks.handles.len() as u64,
            format_version: u64::from(self.codec.version),
            column_family_id: u64::from(o.family.0),
            column_family_name: o.family.1.clone(),
            creation_time: o.creation_time,
            file_creation_time: o.file_creation_time,
            oldest_key_time: o.oldest_key_time,
            original_file_number: o.number,
            comparator: o.order.user().name().to_owned(),
            merge_operator: o.merge_operator.clone(),
            property_collectors: "[]".to_owned(),
            prefix_extractor: o
                .prefix_extractor
                .as_ref()
                .map_or("nullptr", |e| e.name())
                .to_owned(),
            filter_policy: self.filter_policy.clone(),
            compression: compression::name(self.codec.kind as u8).to_owned(),
            compression_options: format!(
                "window_bits={}; level={}; strategy={}; max_dict_bytes=0; \
                 zstd_max_train_bytes=0; enabled={}; max_dict_buffer_bytes=0; \
                 use_zstd_dict_trainer={}; ",
                c_opts.window_bits,
                c_opts.level,
                c_opts.strategy,
                u8::from(c_opts.enabled),
                u8::from(c_opts.use_zstd_dict_trainer),
            ),
            db_id: o.db_id.clone(),
            db_session_id: o.db_session_id.clone(),
            db_host_id: o.db_host_id.clone(),
            tail_start_offset: Some(data_end),
            external_version: o.external.then_some(2),
            global_sequence: o.external.then_some(0),
            ..TableProperties::new()
        }
    }
}
