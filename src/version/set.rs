//! The manifest as a file under way, and CURRENT that names it.
//!
//! A new manifest starts with a snapshot of everything and is synced before CURRENT names it, so a
//! crash at any point leaves one complete manifest in charge.
#![forbid(unsafe_code)]

use super::recover::DEFAULT_FAMILY;
use super::version::Version;
use crate::base::{Result, Sequence};
use crate::env::{self, FileSystem, WriteMode};
use crate::format::log::LogWriter;
use crate::format::manifest::VersionEdit;
use crate::format::name;
use std::path::Path;

/// Appends edits to one manifest. After an error the manifest's end is unknown: give it up and make
/// a new one.
#[derive(Debug)]
pub struct ManifestWriter {
    log: LogWriter,
    number: u64,
    /// Records of the append under way.
    failed: bool,
}

impl ManifestWriter {
    /// Makes manifest `number` with the edits of `snapshot` and syncs it. CURRENT does not change.
    pub fn create(
        fs: &dyn FileSystem,
        dir: &Path,
        number: u64,
        snapshot: &[VersionEdit],
    ) -> Result<Self> {
        let file = fs.create(&dir.join(name::manifest(number)), WriteMode::default())?;
        let mut writer = Self { log: LogWriter::new(file, 0), number, failed: false };
        writer.append(snapshot)?;
        Ok(writer)
    }

    /// Appends `edits` and syncs once.
    pub fn append(&mut self, edits: &[VersionEdit]) -> Result<()> {
        let written = self.try_append(edits);
        self.failed |= written.is_err();
        written
    }

    fn try_append(&mut self, edits: &[VersionEdit]) -> Result<()> {
        if self.failed {
            return Err(crate::base::Error::io_error(format!(
                "{}: an earlier write failed",
                name::manifest(self.number)
            )));
        }
        for edit in edits {
            let bytes = edit.encode();
            debug_assert_eq!(VersionEdit::decode(&bytes).as_ref().ok(), Some(edit));
            self.log.add_buffered(&bytes)?;
        }
        self.log.sync()
    }

    /// Appends `edits` so that readers see all of them or none, and syncs once.
    pub fn append_atomically(&mut self, edits: &[VersionEdit]) -> Result<()> {
        if edits.len() < 2 {
            return self.append(edits);
        }
        let mut to_come = u32::try_from(edits.len()).expect("a group has few edits");
        let group: Vec<_> = edits
            .iter()
            .map(|edit| {
                to_come -= 1;
                VersionEdit { atomic_group: Some(to_come), ..edit.clone() }
            })
            .collect();
        self.append(&group)
    }

    /// Bytes of the manifest.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.log.size()
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Did a write fail? Then the next edit needs a new manifest.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Closes the file.
    pub fn close(&mut self) -> Result<()> {
        self.log.close()
    }
}

/// Makes CURRENT name manifest `number`: a temporary file, synced, renamed, folder synced.
pub fn set_current(fs: &dyn FileSystem, dir: &Path, number: u64) -> Result<()> {
    let text = format!("{}\n", name::manifest(number));
    env::write_file_atomically(
        fs,
        &dir.join(name::temp(number)),
        &dir.join(name::CURRENT),
        text.as_bytes(),
    )
}

/// A family as a snapshot writes it.
#[derive(Clone, Copy, Debug)]
pub struct FamilySnapshot<'a> {
    /// Its id.
    pub id: u32,
    /// Its name.
    pub name: &'a str,
    /// The name of its comparator.
    pub comparator: &'a str,
    /// Its data in logs below this number is in tables.
    pub log_number: u64,
    /// Its files.
    pub version: &'a Version,
}

/// The numbers of the whole store as a snapshot writes them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers<'a> {
    /// The store's identity.
    pub db_id: Option<&'a str>,
    /// First number not in use.
    pub next_file_number: u64,
    /// Largest sequence number in use.
    pub last_sequence: Sequence,
    /// No log below this is needed.
    pub min_log_number_to_keep: u64,
    /// Largest family id ever used.
    pub max_column_family: u32,
}

/// The edits with which a new manifest begins.
#[must_use]
pub fn snapshot(numbers: &Numbers<'_>, families: &[FamilySnapshot<'_>]) -> Vec<VersionEdit> {
    let mut edits = Vec::with_capacity(2 * families.len() + 1);
    for family in families {
        let named = family.name != DEFAULT_FAMILY || family.id != 0;
        edits.push(VersionEdit {
            add_family: named.then(|| family.name.to_owned()),
            comparator: Some(family.comparator.to_owned()),
            ..VersionEdit::of(family.id)
        });
        let version = family.version;
        edits.push(VersionEdit {
            log_number: Some(family.log_number),
            last_sequence: Some(numbers.last_sequence),
            compact_cursors: (0..version.num_levels())
                .filter_map(|l| Some((as_level(l), version.cursor(l)?.to_vec())))
                .collect(),
            new_files: version.all_files().map(|(l, f)| (as_level(l), f.entry.clone())).collect(),
            ..VersionEdit::of(family.id)
        });
    }
    edits.push(VersionEdit {
        db_id: numbers.db_id.map(str::to_owned),
        prev_log_number: Some(0),
        next_file_number: Some(numbers.next_file_number),
        last_sequence: Some(numbers.last_sequence),
        min_log_number_to_keep: Some(numbers.min_log_number_to_keep),
        max_column_family: Some(numbers.max_column_family),
        ..VersionEdit::default()
    });
    edits
}

fn as_level(level: usize) -> i32 {
    i32::try_from(level).expect("there are few levels")
}
