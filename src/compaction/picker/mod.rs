//! Pickers: pure functions of a version, options and what runs. No locks, no clock, no I/O.
//!
//! A compaction style is one file here and one row in `pick`.
#![forbid(unsafe_code)]

pub mod fifo;
pub mod leveled;
pub mod universal;

use super::pick::{self, InProgress, LevelFiles, Pick, Reason};
use super::score;
use crate::base::range::KeyRange;
use crate::options::{CfOptions, CompactionStyle};
use crate::version::Version;

/// The compaction that the family needs most, by its style.
#[must_use]
pub fn pick(version: &Version, options: &CfOptions, running: &InProgress) -> Option<Pick> {
    match options.compaction_style {
        CompactionStyle::Level => leveled::pick(version, options, running),
        CompactionStyle::Universal => universal::pick(version, options, running),
        CompactionStyle::Fifo => fifo::pick(version, options, running),
        CompactionStyle::None => None,
    }
}

/// Is there a picker for `style`? Others are refused when a store is opened.
#[must_use]
pub fn is_supported(style: CompactionStyle) -> bool {
    match style {
        CompactionStyle::Level
        | CompactionStyle::Universal
        | CompactionStyle::Fifo
        | CompactionStyle::None => true,
    }
}

/// A pick of these inputs with all that follows from them, not movable.
fn draft(
    version: &Version,
    options: &CfOptions,
    running: &InProgress,
    inputs: Vec<LevelFiles>,
    output_level: usize,
    reason: Reason,
) -> Pick {
    let order = &**version.order().user();
    let files = inputs.iter().flat_map(|(_, files)| files);
    let count = files.clone().count();
    let (small, large) = pick::key_range(files, order).unwrap_or_default();
    let range = KeyRange { begin: Some(&small), end: Some(&large) };
    let deeper = (output_level + 1..version.num_levels())
        .map(|level| version.overlapping(level, range))
        .find(|files| !files.is_empty());
    // Older files may stay on level 0 beside the result.
    let bottommost = output_level > 0 && deeper.is_none();
    let (base_level, _) = score::targets(version, options);
    let (compression, compression_opts) =
        pick::compression_of(options, output_level, base_level, bottommost);
    let all: usize = (0..version.num_levels()).map(|l| version.files(l).len()).sum();
    Pick {
        family: running.family,
        inputs,
        output_level,
        reason,
        is_manual: false,
        is_full: count == all,
        bottommost,
        trivial_move: false,
        deletion_only: false,
        max_output_file_size: match output_level {
            0 => u64::MAX,
            level => score::target_file_size(options, level, base_level),
        },
        max_grandparent_overlap: score::max_compaction_bytes(options),
        compression,
        compression_opts,
        grandparents: deeper.unwrap_or_default(),
        score: 0.0,
        cursor: None,
        next_begin: None,
    }
}
