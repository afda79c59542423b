//! Where tables go when a store has more than one folder for them (`db_paths`, `cf_paths`).
//!
//! The manifest says for each file which folder it is in, as a place in the list that the options
//! give. New data goes to the first folder; deeper levels go to the first folder whose target size
//! has room left for the whole level beside those above it; the last folder takes the rest.
#![forbid(unsafe_code)]

use super::pick::Pick;
use crate::options::{CfOptions, CompactionStyle};
use std::path::PathBuf;

/// A folder and the bytes that it is meant to hold.
pub type Folder = (PathBuf, u64);

/// The folder that a file's path number means. A list that has become shorter puts its last
/// folder in for those that are gone, as RocksDB does.
///
/// # Panics
/// On an empty list, which no family has.
#[must_use]
pub fn of(folders: &[Folder], path_id: u32) -> &PathBuf {
    let at = usize::try_from(path_id).unwrap_or(usize::MAX).min(folders.len() - 1);
    &folders[at].0
}

/// Which folder the outputs of `pick` go to.
#[must_use]
pub fn for_pick(folders: &[Folder], options: &CfOptions, pick: &Pick) -> u32 {
    if folders.len() < 2 {
        return 0;
    }
    let at = if options.compaction_style == CompactionStyle::Universal {
        let ratio = u64::from(options.universal.size_ratio);
        by_file_size(folders, pick.files().map(|(_, f)| f.size()).sum(), ratio)
    } else {
        by_level(folders, options, pick.output_level)
    };
    // There are no more than four.
    u32::try_from(at).unwrap_or(0)
}

/// Levels fill the folders from the top; one that does not fit goes to the next folder, whole.
fn by_level(folders: &[Folder], options: &CfOptions, level: usize) -> usize {
    let mut size = options.max_bytes_for_level_base;
    let mut current = 0;
    for (at, &(_, target)) in folders.iter().enumerate().take(folders.len() - 1) {
        let mut left = target;
        while size <= left {
            if current == level {
                return at;
            }
            left -= size;
            // Level 0 counts as large as level 1.
            if current > 0 {
                let extra = options.max_bytes_for_level_multiplier_additional.get(current);
                let growth =
                    options.max_bytes_for_level_multiplier * f64::from(extra.copied().unwrap_or(1));
                size = (size as f64 * growth) as u64;
            }
            current += 1;
        }
    }
    folders.len() - 1
}

/// The first folder that holds the file and, with those before it, what the file grows to.
fn by_file_size(folders: &[Folder], size: u64, size_ratio: u64) -> usize {
    let before_merge = u128::from(size) * u128::from(100u64.saturating_sub(size_ratio)) / 100;
    let mut room = 0u128;
    for (at, &(_, target)) in folders.iter().enumerate().take(folders.len() - 1) {
        if target > size && room + u128::from(target - size) > before_merge {
            return at;
        }
        room += u128::from(target);
    }
    folders.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(targets: &[u64]) -> Vec<Folder> {
        targets.iter().map(|t| (PathBuf::from(format!("/{t}")), *t)).collect()
    }

    #[test]
    fn a_level_goes_to_the_first_folder_with_room_for_it() {
        let options = CfOptions {
            max_bytes_for_level_base: 100,
            max_bytes_for_level_multiplier: 10.0,
            ..CfOptions::default()
        };
        let at = |targets: &[u64]| -> Vec<usize> {
            (0..5).map(|level| by_level(&folders(targets), &options, level)).collect()
        };
        assert_eq!(at(&[250, u64::MAX]), [0, 0, 1, 1, 1]);
        assert_eq!(at(&[1300, u64::MAX]), [0, 0, 0, 1, 1]);
        assert_eq!(at(&[200, 1000, 5]), [0, 0, 1, 2, 2]);
        assert_eq!(at(&[10, 20, 5]), [2, 2, 2, 2, 2]);
        assert_eq!(at(&[u64::MAX]), [0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_run_goes_to_the_first_folder_that_holds_it_and_its_growth() {
        let folders = folders(&[300, 500, u64::MAX]);
        assert_eq!(by_file_size(&folders, 100, 1), 0);
        assert_eq!(by_file_size(&folders, 200, 1), 1);
        assert_eq!(by_file_size(&folders, 900, 1), 2);
    }

    #[test]
    fn a_lost_folder_is_the_last_one() {
        let folders = folders(&[1, 2]);
        assert_eq!(of(&folders, 1), &PathBuf::from("/2"));
        assert_eq!(of(&folders, 3), &PathBuf::from("/2"));
    }
}
