//! The manifest as a file under way, and CURRENT that names it.
//!
//! A new manifest starts with a snapshot of everything and is synced before CURRENT names it, so a
//! crash at any point leaves one complete manifest in charge.
#![forbid(unsafe_code)]

use super::recover::DEFAULT_FAMILY;
use super::version::Version;
use crate::base::{Error, Result, Sequence};
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
    /// A write failed, so the end is unknown.
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
            return Err(Error::io_error(format!(
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

/// Makes CURRENT name manifest `number`: a temporary file, synced, renamed, folder synced. The folder is synced
/// before as well: CURRENT must not name what a power cut may take away.
pub fn set_current(fs: &dyn FileSystem, dir: &Path, number: u64) -> Result<()> {
    fs.sync_dir(dir)?;
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
    /// Live logs, each with a number that its sequence numbers are not below.
    pub log_floors: &'a [(u64, Sequence)],
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
        log_floors: numbers.log_floors.to_vec(),
        ..VersionEdit::default()
    });
    edits
}

fn as_level(level: usize) -> i32 {
    i32::try_from(level).expect("there are few levels")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::InternalComparator;
    use crate::base::comparator::bytewise;
    use crate::base::key::{self, Kind};
    use crate::env::Env;
    use crate::format::manifest::FileEntry;
    use crate::version::builder;
    use crate::version::recover::{Recovered, recover};
    use std::process::Command;

    fn version(count: u64) -> Version {
        let new_files = (0..count)
            .map(|n| {
                // RocksDB wants the sequence numbers of level 0 in the files' order.
                let key = |m: u64| key::internal(&m.to_be_bytes(), 5 + m, Kind::Value);
                let entry = FileEntry {
                    number: 100 + n,
                    size: 1000,
                    smallest: key(2 * n),
                    largest: key(2 * n + 1),
                    smallest_sequence: 5 + 2 * n,
                    largest_sequence: 6 + 2 * n,
                    epoch: 3,
                    tail_size: 10,
                    ..FileEntry::default()
                };
                ((n % 7) as i32, entry)
            })
            .collect();
        let edit = VersionEdit { new_files, ..VersionEdit::default() };
        let empty = Version::empty(InternalComparator::new(bytewise()), 7);
        builder::apply(&empty, &[edit]).unwrap()
    }

    fn numbers() -> Numbers<'static> {
        Numbers {
            db_id: Some("some-id"),
            next_file_number: 500,
            last_sequence: 77,
            min_log_number_to_keep: 9,
            max_column_family: 12,
            log_floors: &[(9, 70), (12, 75)],
        }
    }

    fn families(version: &Version) -> [FamilySnapshot<'_>; 2] {
        let comparator = "leveldb.BytewiseComparator";
        [
            FamilySnapshot { id: 0, name: "default", comparator, log_number: 9, version },
            FamilySnapshot { id: 7, name: "ü", comparator, log_number: 10, version },
        ]
    }

    fn check(r: Recovered, version: &Version) {
        assert_eq!(r.manifest_number, 40);
        assert_eq!((r.next_file_number, r.last_sequence), (500, 77));
        assert_eq!((r.min_log_number_to_keep, r.max_column_family), (9, 12));
        assert_eq!(r.db_id.as_deref(), Some("some-id"));
        assert_eq!(r.log_floors.into_iter().collect::<Vec<_>>(), [(9, 70), (12, 75)]);
        let names: Vec<_> = r.families.iter().map(|f| (f.id, &f.name[..], f.log_number)).collect();
        assert_eq!(names, [(0, "default", 9), (7, "ü", 10)]);
        for family in r.families {
            let again = family.into_version(InternalComparator::new(bytewise()), 7).unwrap();
            let entries =
                |v: &Version| v.all_files().map(|(l, f)| (l, f.entry.clone())).collect::<Vec<_>>();
            assert_eq!(entries(&again), entries(version));
        }
    }

    #[test]
    fn a_snapshot_and_edits_come_back() {
        let fs = Env::memory(1).fs;
        let dir = Path::new("/db");
        fs.create_dir_all(dir).unwrap();
        let v = version(20);
        let edits = snapshot(&numbers(), &families(&v));
        let mut m = ManifestWriter::create(&*fs, dir, 40, &edits).unwrap();
        assert!(recover(&*fs, dir).is_err(), "CURRENT names nothing yet");
        set_current(&*fs, dir, 40).unwrap();
        let size = m.size();
        check(recover(&*fs, dir).unwrap(), &v);
        assert_eq!(recover(&*fs, dir).unwrap().manifest_bytes, size);
        let log = |family| VersionEdit { log_number: Some(60), ..VersionEdit::of(family) };
        m.append_atomically(&[log(0), log(7)]).unwrap();
        m.append(&[log(0)]).unwrap();
        let r = recover(&*fs, dir).unwrap();
        assert_eq!(r.manifest_bytes, m.size());
        assert!(r.families.iter().all(|f| f.log_number == 60));
        assert_eq!(fs.list(dir).unwrap().len(), 2, "no temporary file is left");
    }

    /// Debian's `ldb` reads what we write.
    #[test]
    fn rocksdbs_tool_reads_our_manifest() {
        let ldb = |arguments: &[&str]| Command::new("ldb").args(arguments).output();
        if ldb(&["--version"]).is_err() {
            eprintln!("SKIPPED: ldb (rocksdb-tools) is not installed");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let fs = Env::posix().fs;
        let v = version(20);
        let edits = snapshot(&numbers(), &families(&v));
        let mut m = ManifestWriter::create(&*fs, dir.path(), 40, &edits).unwrap();
        let log = |family| VersionEdit {
            log_number: Some(60),
            next_file_number: Some(500),
            last_sequence: Some(77),
            prev_log_number: Some(0),
            ..VersionEdit::of(family)
        };
        m.append_atomically(&[log(0), log(7)]).unwrap();
        m.close().unwrap();
        set_current(&*fs, dir.path(), 40).unwrap();
        check_ldb(
            &ldb(&["list_column_families", &format!("--db={}", dir.path().display())]),
            &["default", "ü"],
        );
        let manifest = dir.path().join("MANIFEST-000040");
        let path = format!("--path={}", manifest.display());
        let files = (0..20).map(|n| format!(" {}:1000", 100 + n));
        // The tool counts one number as used by itself.
        let wanted: Vec<String> = files
            .chain(["next_file_number 501".to_owned(), "last_sequence 77".to_owned()])
            .collect();
        let wanted: Vec<&str> = wanted.iter().map(|s| &s[..]).collect();
        check_ldb(&ldb(&["manifest_dump", &path]), &wanted);
    }

    fn check_ldb(output: &std::io::Result<std::process::Output>, wanted: &[&str]) {
        let output = output.as_ref().unwrap();
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.status.success(), "{text}");
        for wanted in wanted {
            assert!(text.contains(wanted), "{wanted:?} is not in\n{text}");
        }
    }
}
