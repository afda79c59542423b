//! FIFO compaction: a bounded queue of files. Nothing is merged down; the oldest files are dropped.
//!
//!  1. Files older than `ttl` go, from the oldest on, up to the first younger one. The age is that
//!     of the file, so that no entry goes before its time.
//!  2. While all files together are over `max_table_files_size`, the oldest one goes. Files on other
//!     levels (from a time with another style) are older than those on level 0.
//!  3. Otherwise, if `allow_compaction`, the newest small files of level 0 are merged into one.
//!
//! One compaction at a time.
#![forbid(unsafe_code)]

use super::leveled::{AGE_DEFAULT, THIRTY_DAYS, cheap_merge};
use crate::compaction::pick::{InProgress, LevelFiles, Pick, Reason};
use crate::compaction::score;
use crate::options::CfOptions;
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// What is to be dropped or merged now, if anything.
#[must_use]
pub fn pick(version: &Version, options: &CfOptions, running: &InProgress) -> Option<Pick> {
    let busy = version.all_files().any(|(_, f)| f.is_being_compacted());
    if busy || !running.running.is_empty() {
        return None;
    }
    let drop = |inputs, reason| {
        let mut pick = super::draft(version, options, running, inputs, 0, reason);
        pick.deletion_only = true;
        pick
    };
    if let Some(inputs) = expired(version, options, running.now_seconds) {
        return Some(drop(inputs, Reason::FifoTtl));
    }
    if let Some(inputs) = excess(version, options) {
        return Some(drop(inputs, Reason::FifoMaxSize));
    }
    if !options.fifo.allow_compaction {
        return None;
    }
    let least = options.level0_file_num_compaction_trigger.max(2) as usize;
    let per_file = (options.write_buffer_size as f64 * 1.1) as u64;
    let most = score::max_compaction_bytes(options);
    let count = cheap_merge(version.files(0), most, per_file)?;
    if count < least {
        return None;
    }
    let inputs = vec![(0, version.files(0)[..count].to_vec())];
    Some(super::draft(version, options, running, inputs, 0, Reason::FifoReduceFiles))
}

/// All files, the oldest first.
fn by_age(version: &Version) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
    (0..version.num_levels()).rev().flat_map(|level| {
        // Level 0 is sorted newest first; of others the order is as good as any.
        version.files(level).iter().rev().map(move |f| (level, f))
    })
}

fn grouped<'a>(files: impl Iterator<Item = (usize, &'a Arc<FileMeta>)>) -> Option<Vec<LevelFiles>> {
    let mut inputs: Vec<LevelFiles> = Vec::new();
    for (level, file) in files {
        match inputs.last_mut() {
            Some((l, files)) if *l == level => files.push(Arc::clone(file)),
            _ => inputs.push((level, vec![Arc::clone(file)])),
        }
    }
    inputs.reverse();
    (!inputs.is_empty()).then_some(inputs)
}

fn expired(version: &Version, options: &CfOptions, now: u64) -> Option<Vec<LevelFiles>> {
    let ttl = if options.ttl == AGE_DEFAULT { THIRTY_DAYS } else { options.ttl };
    if ttl == 0 || now == 0 {
        return None;
    }
    let is_old = |f: &FileMeta| {
        let made = f.entry.file_creation_time;
        made > 0 && now.saturating_sub(made) > ttl
    };
    grouped(by_age(version).take_while(|(_, f)| is_old(f)))
}

fn excess(version: &Version, options: &CfOptions) -> Option<Vec<LevelFiles>> {
    let mut left = version.total_bytes();
    let limit = options.fifo.max_table_files_size;
    grouped(by_age(version).take_while(|(_, f)| {
        let is_over = left > limit;
        left = left.saturating_sub(f.size());
        is_over
    }))
}
