//! How badly each level needs a compaction: RocksDB's scores.
//!
//! A score of 1 or more asks for a compaction. Level 0 counts files against the trigger (and bytes
//! against level 1, so that large files do not pile up); each other level counts bytes against its
//! target. Bytes that are being compacted already do not count.
//!
//! Targets, static: level 1 is `max_bytes_for_level_base`, each next one the multiplier times more.
//! Targets, dynamic: the last level is as large as it is and the others are derived from it upwards;
//! the first one that would fall under `base / multiplier` is the *base level*, into which level 0 is
//! merged. Levels between are empty. An empty family has its last level as base level.
#![forbid(unsafe_code)]

use super::picker::universal;
use crate::options::{CfOptions, CompactionStyle};
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// Scores above 1 of dynamic levels are scaled so that the order says more.
const SCALE: f64 = 10.0;

/// What `compute` finds.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    /// (level, score), the neediest first. The last level has none.
    pub levels: Vec<(usize, f64)>,
    /// The level under level 0.
    pub base_level: usize,
    /// Target bytes by level; level 0 has none (0), unused ones the largest number.
    pub targets: Vec<u64>,
    /// Bytes that compactions must still rewrite to bring all levels to their targets.
    pub estimated_pending_bytes: u64,
    /// Level-0 files, for write stalls; sorted runs in the universal style.
    pub level0_files: usize,
}

impl Scores {
    /// Does any level ask for a compaction?
    #[must_use]
    pub fn needs_compaction(&self) -> bool {
        self.levels.first().is_some_and(|(_, score)| *score >= 1.0)
    }

    /// The target of `level`.
    #[must_use]
    pub fn target(&self, level: usize) -> u64 {
        self.targets.get(level).copied().unwrap_or(u64::MAX)
    }
}

/// The level under level 0 and the targets of all levels.
#[must_use]
pub fn targets(version: &Version, options: &CfOptions) -> (usize, Vec<u64>) {
    let levels = version.num_levels();
    let is_leveled = options.compaction_style == CompactionStyle::Level;
    let base = options.max_bytes_for_level_base.max(1);
    let multiplier = options.max_bytes_for_level_multiplier;
    let mut targets = vec![u64::MAX; levels];
    if let Some(zero) = targets.first_mut() {
        *zero = 0;
    }
    if levels < 2 {
        return (0, targets);
    }
    if !(is_leveled && options.level_compaction_dynamic_level_bytes) {
        let mut target = base;
        for (level, slot) in targets.iter_mut().enumerate().skip(1) {
            if level > 1 {
                let extra = options.max_bytes_for_level_multiplier_additional.get(level - 1);
                let extra = f64::from(extra.copied().unwrap_or(1).max(1));
                target = scale(scale(target, multiplier), extra);
            }
            *slot = target;
        }
        return (1, targets);
    }
    let largest = (1..levels).map(|l| version.level_bytes(l)).max().unwrap_or(0);
    let Some(first) = (1..levels).find(|l| !version.files(*l).is_empty()) else {
        return (levels - 1, targets);
    };
    let least = scale(base, 1.0 / multiplier);
    let mut size = largest;
    for _ in first..levels - 1 {
        size = scale(size, 1.0 / multiplier);
    }
    let mut base_level = first;
    let base_size = if size <= least {
        least + 1
    } else {
        while base_level > 1 && size > base {
            base_level -= 1;
            size = scale(size, 1.0 / multiplier);
        }
        size.clamp(1, base)
    };
    let mut target = base_size;
    for (level, slot) in targets.iter_mut().enumerate().skip(base_level) {
        if level > base_level {
            target = scale(target, multiplier);
        }
        // Never below the base: else upper levels would be smaller than level 0.
        *slot = target.max(base);
    }
    (base_level, targets)
}

/// Scores and what follows from them.
#[must_use]
pub fn compute(version: &Version, options: &CfOptions) -> Scores {
    match options.compaction_style {
        CompactionStyle::Level => leveled(version, options),
        CompactionStyle::Universal => {
            let runs = universal::run_count(version);
            let trigger = options.level0_file_num_compaction_trigger.max(1);
            unleveled(version, runs, runs as f64 / f64::from(trigger))
        }
        CompactionStyle::Fifo => {
            let limit = options.fifo.max_table_files_size.max(1);
            let mut score = version.total_bytes() as f64 / limit as f64;
            if options.fifo.allow_compaction {
                let trigger = options.level0_file_num_compaction_trigger.max(1);
                score = score.max(version.files(0).len() as f64 / f64::from(trigger));
            }
            unleveled(version, version.files(0).len(), score)
        }
        CompactionStyle::None => unleveled(version, version.files(0).len(), 0.0),
    }
}

/// Scores of a style in which only level 0 has one; nothing is estimated to be pending.
fn unleveled(version: &Version, level0_files: usize, score: f64) -> Scores {
    Scores {
        levels: vec![(0, score)],
        base_level: version.num_levels().min(2) - 1,
        targets: vec![u64::MAX; version.num_levels()],
        estimated_pending_bytes: 0,
        level0_files,
    }
}

fn leveled(version: &Version, options: &CfOptions) -> Scores {
    let (base_level, targets) = targets(version, options);
    let levels = version.num_levels();
    let mut scores = Scores {
        levels: Vec::with_capacity(levels),
        base_level,
        targets,
        estimated_pending_bytes: 0,
        level0_files: version.files(0).len(),
    };
    let dynamic = options.level_compaction_dynamic_level_bytes;
    scores.levels.push((0, level0_score(version, options, &scores)));
    let mut coming_down = if dynamic { idle_bytes(version.files(0)).1 } else { 0 };
    for level in 1..levels.saturating_sub(1) {
        let target = scores.target(level);
        let (_, idle) = idle_bytes(version.files(level));
        let ratio = idle as f64 / target as f64;
        let score = if dynamic && idle >= target {
            SCALE * idle as f64 / (target as f64 + coming_down as f64)
        } else {
            ratio
        };
        if level >= base_level {
            coming_down += version.level_bytes(level).saturating_sub(target);
        }
        scores.levels.push((level, score));
    }
    // Stable: of equal scores the upper level goes first.
    scores.levels.sort_by(|a, b| b.1.total_cmp(&a.1));
    scores.estimated_pending_bytes = pending(version, options, &scores);
    scores
}

fn level0_score(version: &Version, options: &CfOptions, scores: &Scores) -> f64 {
    let (files, bytes) = idle_bytes(version.files(0));
    let trigger = options.level0_file_num_compaction_trigger.max(1);
    let mut score = files as f64 / f64::from(trigger);
    if version.num_levels() < 2 {
        return score;
    }
    let base = options.max_bytes_for_level_base.max(1);
    if !options.level_compaction_dynamic_level_bytes {
        return score.max(bytes as f64 / base as f64);
    }
    if bytes >= base {
        score = score.max(1.01);
    }
    let target = scores.target(scores.base_level);
    if bytes > target {
        let base_bytes = version.level_bytes(scores.base_level).max(target);
        score = score.max(bytes as f64 / base_bytes.max(1) as f64);
    }
    if score > 1.0 { score * SCALE } else { score }
}

/// Number and bytes of the files that no compaction holds.
fn idle_bytes(files: &[Arc<FileMeta>]) -> (usize, u64) {
    let idle = files.iter().filter(|f| !f.is_being_compacted());
    idle.fold((0, 0), |(n, bytes), f| (n + 1, bytes + f.compensated_size()))
}

/// RocksDB's estimate: each level's excess moves one down and rewrites its share there.
fn pending(version: &Version, options: &CfOptions, scores: &Scores) -> u64 {
    let levels = version.num_levels();
    if levels < 2 || scores.base_level == 0 {
        return 0;
    }
    let level0 = version.level_bytes(0);
    let trigger = options.level0_file_num_compaction_trigger.max(1) as usize;
    let triggered = !version.files(0).is_empty()
        && (version.files(0).len() >= trigger || level0 >= options.max_bytes_for_level_base);
    let mut total = 0u64;
    let mut moving = 0u64;
    if triggered {
        total = level0.saturating_add(version.level_bytes(scores.base_level));
        moving = level0;
    }
    for level in scores.base_level..levels - 1 {
        let size = version.level_bytes(level).saturating_add(moving);
        let target = scores.target(level);
        moving = size.saturating_sub(target);
        let next = version.level_bytes(level + 1);
        if moving > 0 && next > 0 {
            let share = moving as f64 * (next as f64 / size as f64 + 1.0);
            total = total.saturating_add(share as u64);
        }
    }
    total
}

/// `bytes * factor`, without overflow.
fn scale(bytes: u64, factor: f64) -> u64 {
    // A float too large becomes the largest number.
    (bytes as f64 * factor) as u64
}

/// Bytes of an output file on `level`.
#[must_use]
pub fn target_file_size(options: &CfOptions, level: usize, base_level: usize) -> u64 {
    let steps = if level == 0 {
        0
    } else if options.level_compaction_dynamic_level_bytes {
        level.saturating_sub(base_level.max(1))
    } else {
        level - 1
    };
    let multiplier = f64::from(options.target_file_size_multiplier.max(1));
    let steps = i32::try_from(steps).unwrap_or(i32::MAX);
    scale(options.target_file_size_base.max(1), multiplier.powi(steps))
}

/// Most bytes of one compaction.
#[must_use]
pub fn max_compaction_bytes(options: &CfOptions) -> u64 {
    match options.max_compaction_bytes {
        0 => options.target_file_size_base.saturating_mul(25),
        n => n,
    }
}
