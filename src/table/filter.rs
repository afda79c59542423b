//! The filter of one table: whole, in partitions, or none.
//!
//! A filter only ever proves absence, and only of what went into it: whole user keys, prefixes, or
//! both, as the properties say. Without a filter policy in the settings no filter is loaded.
#![forbid(unsafe_code)]

use super::blocks::{Class, Core, Held, How, Resident};
use super::file::Tail;
use super::index::{IndexShape, parse_index};
use crate::base::Result;
use crate::base::key::{self, MAX_SEQUENCE};
use crate::base::prefix::SliceTransform;
use crate::filter::{FULL_PREFIX, FilterReader, PARTITIONED_PREFIX, Probe, is_builtin_name};
use crate::format::block::Block;
use crate::format::handle::BlockHandle;
use crate::format::index_block::{IndexCursor, IndexFormat};
use crate::format::properties::TableProperties;
use crate::stats::Ticker;
use std::collections::BTreeMap;
use std::sync::Arc;

enum Layout {
    None,
    Full(Resident<Vec<u8>>),
    Partitioned { top: Resident<Block>, format: IndexFormat },
}

/// A filter and what it weighs in a cache.
fn filter_bytes(content: Vec<u8>) -> Result<(Vec<u8>, usize)> {
    let charge = content.len();
    Ok((content, charge))
}

/// What a table knows about absence.
pub(super) struct TableFilter {
    layout: Layout,
    /// Whole user keys are in it.
    whole_keys: bool,
    /// Prefixes by this extractor are in it, which is the configured one too.
    prefixes: Option<Arc<dyn SliceTransform>>,
}

impl TableFilter {
    pub(super) fn new(
        core: &Core,
        properties: &TableProperties,
        meta: &BTreeMap<Vec<u8>, BlockHandle>,
        cached: bool,
        extractor: Option<Arc<dyn SliceTransform>>,
    ) -> Self {
        let find = |prefix: &str| {
            meta.iter().find_map(|(name, handle)| {
                let policy = std::str::from_utf8(name).ok()?.strip_prefix(prefix)?;
                is_builtin_name(policy).then_some(*handle)
            })
        };
        let layout = if core.options.filter_policy.is_none() {
            Layout::None
        } else if let Some(handle) = find(FULL_PREFIX) {
            Layout::Full(Resident::new(handle, Class::Filter, cached))
        } else if let Some(handle) = find(PARTITIONED_PREFIX) {
            let cached = cached && !core.options.pin_top_level_index_and_filter;
            let format = IndexFormat { first_keys: false, ..IndexShape::of(properties).format };
            Layout::Partitioned { top: Resident::new(handle, Class::Filter, cached), format }
        } else {
            Layout::None
        };
        let same_prefixes = properties.prefix_filtering;
        let prefixes =
            extractor.filter(|e| same_prefixes && properties.prefix_extractor == e.name());
        Self { layout, whole_keys: properties.whole_key_filtering, prefixes }
    }

    /// Loads what is to stay in memory.
    pub(super) fn preload(&self, core: &Core, how: How, tail: &Tail) -> Result<()> {
        match &self.layout {
            Layout::Full(block) if !block.is_cached() => {
                block.get(core, how, Some(tail), filter_bytes).map(drop)
            }
            Layout::Partitioned { top, format } if !top.is_cached() => {
                let make = |content| parse_index(core, *format, content);
                top.get(core, how, Some(tail), make).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Is there one?
    pub(super) fn exists(&self) -> bool {
        !matches!(self.layout, Layout::None)
    }

    /// May the key of `probe` be in the table?
    #[inline]
    pub(super) fn may_match_key(&self, core: &Core, how: How, probe: &Probe<'_>) -> Result<bool> {
        if !self.exists() {
            return Ok(true);
        }
        if self.whole_keys {
            return self.may_match(core, how, probe.key(), probe);
        }
        self.may_match_prefix(core, how, probe.key())
    }

    /// May a key with the prefix of `user_key` be in the table?
    pub(super) fn may_match_prefix(&self, core: &Core, how: How, user_key: &[u8]) -> Result<bool> {
        let (Some(prefixes), false) = (&self.prefixes, matches!(self.layout, Layout::None)) else {
            return Ok(true);
        };
        if !prefixes.in_domain(user_key) {
            return Ok(true);
        }
        let mut answer = Ok(true);
        core.tick(Ticker::BloomFilterPrefixChecked, 1);
        prefixes.with_prefix(user_key, &mut |prefix| {
            answer = self.may_match(core, how, user_key, &Probe::new(prefix));
        });
        if matches!(answer, Ok(false)) {
            core.tick(Ticker::BloomFilterPrefixUseful, 1);
        }
        answer
    }

    /// May `probe`, the key or a prefix of `user_key`, be in the filter?
    #[inline]
    fn may_match(&self, core: &Core, how: How, user_key: &[u8], probe: &Probe<'_>) -> Result<bool> {
        match &self.layout {
            Layout::None => Ok(true),
            Layout::Full(block) => {
                // The usual case: in memory, no counting of references.
                if let Some(bytes) = block.pinned() {
                    return Ok(FilterReader::may_match_probe(bytes, probe));
                }
                let bytes = match block.get(core, how, None, filter_bytes) {
                    // Without I/O nothing is proven.
                    Err(_) if how.no_io => return Ok(true),
                    other => other?,
                };
                Ok(FilterReader::may_match_probe(&bytes, probe))
            }
            Layout::Partitioned { top, format } => {
                match self.partition(core, how, top, *format, user_key) {
                    Err(_) if how.no_io => Ok(true),
                    Err(error) => Err(error),
                    Ok(None) => Ok(false),
                    Ok(Some(bytes)) => Ok(FilterReader::may_match_probe(&bytes, probe)),
                }
            }
        }
    }

    /// The partition that `user_key` would be in: the first whose last key is not below it, else the
    /// last.
    fn partition(
        &self,
        core: &Core,
        how: How,
        top: &Resident<Block>,
        format: IndexFormat,
        user_key: &[u8],
    ) -> Result<Option<Held<Vec<u8>>>> {
        let block = top.lend(core, how, |content| parse_index(core, format, content))?;
        let mut cursor = IndexCursor::new(block, format);
        let mut target = Vec::with_capacity(user_key.len() + 8);
        key::append_internal(&mut target, user_key, key::pack(MAX_SEQUENCE, key::SEEK_KIND));
        cursor.seek(&core.order, &target);
        if !cursor.valid() && cursor.status().is_ok() {
            cursor.seek_to_last();
        }
        cursor.status().map_err(|e| core.file.locate(e, top.handle.offset))?;
        if !cursor.valid() {
            return Ok(None);
        }
        core.load(cursor.handle(), Class::Filter, how, None, filter_bytes).map(Some)
    }

    /// Compares the checksums of partitions.
    pub(super) fn verify_partitions(&self, core: &Core) -> Result<()> {
        let Layout::Partitioned { top, format } = &self.layout else { return Ok(()) };
        let block = top.lend(core, How::PLAIN, |content| parse_index(core, *format, content))?;
        let mut cursor = IndexCursor::new(block, *format);
        cursor.seek_to_first();
        while cursor.valid() {
            let handle = cursor.handle();
            let (stored, _) = core.file.stored(handle, None)?;
            core.file.verify(handle, &stored)?;
            cursor.next();
        }
        cursor.status().map_err(|e| core.file.locate(e, top.handle.offset))
    }

    /// Bytes held outside the block cache.
    pub(super) fn memory(&self) -> usize {
        match &self.layout {
            Layout::Full(block) => block.pinned().map_or(0, |b| b.len()),
            Layout::Partitioned { top, .. } => top.pinned().map_or(0, |b| b.memory()),
            Layout::None => 0,
        }
    }
}
