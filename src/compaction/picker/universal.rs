//! Universal (size-tiered) compaction: few rewrites, more room.
//!
//! The store is a list of *sorted runs*, newest first: each file of level 0, then each level that
//! holds anything. Only neighbouring runs are merged. When there are at least
//! `level0_file_num_compaction_trigger` runs, the first of these that applies:
//!
//!  1. Space: all runs but the oldest together hold more than `max_size_amplification_percent` of the
//!     oldest one. They are all merged into the last level.
//!  2. Sizes: from some run on, each next one is not larger than those before together (or than the one
//!     before) plus `size_ratio` percent. These are merged, if at least `min_merge_width`.
//!  3. Number: the newest runs are merged, so many that the trigger is not reached any more.
//!
//! The result goes right above the next older run, or into the last level if there is none.
#![forbid(unsafe_code)]

use super::leveled::RangePick;
use crate::compaction::pick::{InProgress, LevelFiles, Pick, Reason};
use crate::options::{CfOptions, StopStyle, UniversalOptions};
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// A sorted run.
struct Run {
    level: usize,
    files: Vec<Arc<FileMeta>>,
    bytes: u64,
    is_busy: bool,
}

/// The runs, newest first.
fn runs(version: &Version) -> Vec<Run> {
    let run = |level, files: &[Arc<FileMeta>]| Run {
        level,
        bytes: files.iter().map(|f| f.compensated_size()).sum(),
        is_busy: files.iter().any(|f| f.is_being_compacted()),
        files: files.to_vec(),
    };
    let level0 = version.files(0).iter().map(|f| run(0, std::slice::from_ref(f)));
    let deeper = (1..version.num_levels()).filter(|l| !version.files(*l).is_empty());
    level0.chain(deeper.map(|l| run(l, version.files(l)))).collect()
}

/// How many sorted runs there are.
#[must_use]
pub fn run_count(version: &Version) -> usize {
    let deeper = (1..version.num_levels()).filter(|l| !version.files(*l).is_empty());
    version.files(0).len() + deeper.count()
}

/// What to merge now, if anything.
#[must_use]
pub fn pick(version: &Version, options: &CfOptions, running: &InProgress) -> Option<Pick> {
    let runs = runs(version);
    let trigger = options.level0_file_num_compaction_trigger.max(1) as usize;
    if runs.len() < trigger.max(2) {
        return None;
    }
    let settings = &options.universal;
    let (range, reason) = too_much_space(&runs, settings)
        .map(|range| (range, Reason::UniversalSizeAmplification))
        .or_else(|| {
            let ratio = u64::from(settings.size_ratio);
            let range = similar(&runs, settings, Some(ratio), usize::MAX)?;
            Some((range, Reason::UniversalSizeRatio))
        })
        .or_else(|| {
            let idle = runs.iter().filter(|r| !r.is_busy).count();
            let excess = (idle + 1).checked_sub(trigger).filter(|n| *n >= 2)?;
            let range = similar(&runs, settings, None, excess)?;
            Some((range, Reason::UniversalSortedRuns))
        })?;
    let output_level = match runs.get(range.end) {
        None => version.num_levels() - 1,
        Some(next) => next.level.saturating_sub(1),
    };
    let mut inputs: Vec<LevelFiles> = Vec::new();
    for run in &runs[range] {
        match inputs.last_mut() {
            Some((0, files)) if run.level == 0 => files.extend(run.files.iter().cloned()),
            _ => inputs.push((run.level, run.files.clone())),
        }
    }
    let pick = super::draft(version, options, running, inputs, output_level, reason);
    let order = &**version.order().user();
    let (small, large) = pick.key_range(order);
    (!running.overlaps_output(order, output_level, &small, &large)).then_some(pick)
}

/// What a manual compaction does: all runs become one in the last level. A single run that is there
/// already is rewritten only if asked to.
pub fn pick_all(
    version: &Version,
    options: &CfOptions,
    running: &InProgress,
    rewrite: bool,
) -> RangePick {
    let last = version.num_levels() - 1;
    let inputs: Vec<LevelFiles> = (0..=last)
        .filter(|l| !version.files(*l).is_empty())
        .map(|l| (l, version.files(l).to_vec()))
        .collect();
    match &inputs[..] {
        [] => return RangePick::Nothing,
        [(level, _)] if *level == last && last > 0 && !rewrite => return RangePick::Nothing,
        _ => {}
    }
    if !running.running.is_empty() || version.all_files().any(|(_, f)| f.is_being_compacted()) {
        return RangePick::Conflict;
    }
    let mut pick = super::draft(version, options, running, inputs, last, Reason::Manual);
    pick.is_manual = true;
    RangePick::Pick(Box::new(pick))
}

/// Rule 1.
fn too_much_space(runs: &[Run], settings: &UniversalOptions) -> Option<std::ops::Range<usize>> {
    let (oldest, newer) = runs.split_last()?;
    if oldest.is_busy {
        return None;
    }
    let idle = newer.iter().rev().take_while(|r| !r.is_busy).count();
    let bytes: u64 = newer.iter().rev().take(idle).map(|r| r.bytes).sum();
    let percent = u128::from(settings.max_size_amplification_percent);
    let is_over = idle > 0 && u128::from(bytes) * 100 >= percent * u128::from(oldest.bytes);
    is_over.then(|| newer.len() - idle..runs.len())
}

/// Rules 2 and 3: neighbours of similar size; with no `ratio` of any size.
fn similar(
    runs: &[Run],
    settings: &UniversalOptions,
    ratio: Option<u64>,
    most: usize,
) -> Option<std::ops::Range<usize>> {
    let least = settings.min_merge_width.max(2) as usize;
    let most = most.min(settings.max_merge_width as usize);
    let grown = |bytes: u64, ratio: u64| u128::from(bytes) * u128::from(100 + ratio) / 100;
    for start in 0..runs.len() {
        if runs[start].is_busy {
            continue;
        }
        let mut bytes = runs[start].bytes;
        let mut end = start + 1;
        while end < runs.len() && end - start < most && !runs[end].is_busy {
            let next = runs[end].bytes;
            if let Some(ratio) = ratio {
                if grown(bytes, ratio) < u128::from(next) {
                    break;
                }
                // Similar sizes: nor may it be much smaller.
                if settings.stop_style == StopStyle::SimilarSize
                    && grown(next, ratio) < u128::from(bytes)
                {
                    break;
                }
            }
            bytes = if settings.stop_style == StopStyle::SimilarSize {
                next
            } else {
                bytes.saturating_add(next)
            };
            end += 1;
        }
        if end - start >= least {
            return Some(start..end);
        }
    }
    None
}
