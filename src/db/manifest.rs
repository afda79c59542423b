//! Edits: to the manifest first, then to memory.
//!
//! One edit at a time (the manifest lock): versions are built from the state, the record is written and synced
//! with no other lock held, then the state follows. After a failed write the record's fate is unknown: the
//! next edit begins a new manifest from memory, and until that stands the tables that the failed record
//! names are not deleted.
#![forbid(unsafe_code)]

use super::{Inner, Manifest, State, obsolete};
use crate::base::{Error, Result};
use crate::env::LogLevel;
use crate::format::manifest::VersionEdit;
use crate::format::name;
use crate::version::set::{self, FamilySnapshot, ManifestWriter, Numbers};
use crate::version::{Version, builder};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    /// Makes `edits` durable, all or none, then calls `install` under the state lock, where the families'
    /// versions are the new ones already. Edits of a family that was dropped meanwhile are left out, and the
    /// tables they name deleted: nobody could read an edit of a family that is not there.
    pub(super) fn log_edits(
        &self,
        given: &[VersionEdit],
        install: impl FnOnce(&mut State),
    ) -> Result<()> {
        let mut manifest = self.manifest.lock();
        if manifest.is_closed {
            return Err(Error::shutdown(""));
        }
        let mut versions: BTreeMap<u32, Arc<Version>> = BTreeMap::new();
        let edits: Vec<VersionEdit>;
        {
            let mut state = self.state.lock();
            let added: Vec<u32> =
                given.iter().filter(|e| e.add_family.is_some()).map(|e| e.family).collect();
            let (known, late): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|edit| {
                state.families.contains_key(&edit.family) || added.contains(&edit.family)
            });
            for edit in late {
                state.lost.extend(made_by(&edit));
            }
            edits = known;
            for edit in &edits {
                if !(edit.new_files.is_empty()
                    && edit.deleted_files.is_empty()
                    && edit.compact_cursors.is_empty())
                    && let Some(family) = state.families.get(&edit.family)
                {
                    versions.insert(edit.family, Arc::clone(&family.version));
                }
            }
        }
        let mut old = Vec::new();
        for (id, version) in &mut versions {
            let of_family: Vec<VersionEdit> =
                edits.iter().filter(|e| e.family == *id).cloned().collect();
            let built = Arc::new(builder::apply(version, &of_family).inspect_err(|_| {
                // Nothing was written; what was made for it is nobody's.
                let mut state = self.state.lock();
                state.lost.extend(edits.iter().flat_map(made_by));
            })?);
            old.push((*id, std::mem::replace(version, built)));
        }
        let last_sequence = self.published();
        let full: Vec<VersionEdit> = edits
            .iter()
            .map(|edit| VersionEdit {
                prev_log_number: Some(0),
                next_file_number: Some(self.next_file.load(Ordering::Relaxed)),
                last_sequence: Some(last_sequence),
                ..edit.clone()
            })
            .collect();
        let written = if full.is_empty() { Ok(()) } else { self.write_edits(&mut manifest, &full) };
        if let Err(error) = written {
            let given_up = manifest.writer.take().map(|w| w.number());
            manifest.given_up.extend(given_up);
            manifest
                .doubtful
                .extend(edits.iter().flat_map(|e| &e.new_files).map(|(_, f)| f.number));
            if edits.iter().any(|e| e.drop_family || e.add_family.is_some()) {
                self.families_in_doubt.store(true, Ordering::Release);
                self.attention.store(true, Ordering::Release);
            }
            self.log(LogLevel::Error, &format!("The manifest could not be written: {error}"));
            return Err(error);
        }
        let doubtful = std::mem::take(&mut manifest.doubtful);
        let mut state = self.state.lock();
        for (id, version) in versions {
            if let Some(family) = state.families.get_mut(&id) {
                family.version = Arc::clone(&version);
                state.live_versions.push(Arc::downgrade(&version));
            }
        }
        for (id, before) in old {
            let Some(family) = state.families.get(&id) else { continue };
            let kept: std::collections::BTreeSet<u64> =
                obsolete::files_of(&family.version).iter().map(|f| f.number()).collect();
            let gone =
                obsolete::files_of(&before).into_iter().filter(|f| !kept.contains(&f.number()));
            let core = Arc::clone(&family.core);
            state.retire(&core, gone);
        }
        state.give_up_doubtful(doubtful);
        install(&mut state);
        Ok(())
    }

    /// Writes the manifest anew if it is unknown which families it has: a write to a family that the next
    /// open does not find would be lost.
    pub(super) fn settle_families(&self) -> Result<()> {
        if !self.families_in_doubt.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut manifest = self.manifest.lock();
        if manifest.writer.is_none() {
            let writer = self.begin_manifest()?;
            self.publish_manifest(&mut manifest, writer)?;
        }
        let doubtful = std::mem::take(&mut manifest.doubtful);
        self.state.lock().give_up_doubtful(doubtful);
        Ok(())
    }

    fn write_edits(&self, manifest: &mut Manifest, edits: &[VersionEdit]) -> Result<()> {
        let limit = self.options.load().max_manifest_file_size;
        if manifest.writer.as_ref().is_some_and(|w| w.size() < limit)
            && let Some(writer) = &mut manifest.writer
        {
            return writer.append_atomically(edits);
        }
        let mut writer = self.begin_manifest()?;
        if let Err(error) = writer.append_atomically(edits) {
            self.discard_manifest(writer.number());
            return Err(error);
        }
        self.publish_manifest(manifest, writer)
    }

    /// Removes a manifest that CURRENT does not name.
    fn discard_manifest(&self, number: u64) {
        // A leftover is found at the next open.
        let _ = self.env.fs.remove(&self.path.join(name::manifest(number)));
    }

    /// A new manifest that tells the state as it is; CURRENT does not name it yet.
    pub(super) fn begin_manifest(&self) -> Result<ManifestWriter> {
        let number = self.new_file_number();
        let state = self.state.lock();
        let log_floors: Vec<_> = state.logs.iter().map(|l| (l.number, l.floor)).collect();
        let numbers = Numbers {
            log_floors: &log_floors,
            db_id: self.options.load().write_dbid_to_manifest.then_some(&*self.identity),
            next_file_number: self.next_file.load(Ordering::Relaxed),
            last_sequence: self.published(),
            min_log_number_to_keep: 0,
            max_column_family: state.max_family,
        };
        let families: Vec<FamilySnapshot<'_>> = state
            .families
            .values()
            .map(|f| FamilySnapshot {
                id: f.core.id,
                name: &f.core.name,
                comparator: f.core.order.user().name(),
                log_number: f.log_number,
                version: &f.version,
            })
            .collect();
        let edits = set::snapshot(&numbers, &families);
        drop(families);
        drop(state);
        ManifestWriter::create(&*self.env.fs, &self.path, number, &edits)
            .inspect_err(|_| self.discard_manifest(number))
    }

    /// CURRENT names `writer` from now on; the manifest before is deleted.
    pub(super) fn publish_manifest(
        &self,
        manifest: &mut Manifest,
        writer: ManifestWriter,
    ) -> Result<()> {
        if let Err(error) = set::set_current(&*self.env.fs, &self.path, writer.number()) {
            manifest.given_up.push(writer.number());
            return Err(error);
        }
        manifest.is_published = true;
        self.families_in_doubt.store(false, Ordering::Release);
        let old = manifest.writer.replace(writer).map(|w| w.number());
        let gone = manifest.given_up.drain(..).chain(old);
        let mut state = self.state.lock();
        if state.deletions_disabled > 0 {
            // Somebody may be copying it.
            state.undeleted.extend(gone.map(|n| self.path.join(name::manifest(n))));
            return Ok(());
        }
        drop(state);
        for number in gone {
            self.discard_manifest(number);
        }
        Ok(())
    }
}

/// Tables that came with an edit. A file that only moved between levels did not: a dropped family's readers
/// may have it.
fn made_by(edit: &VersionEdit) -> Vec<u64> {
    let moved: Vec<u64> = edit.deleted_files.iter().map(|(_, n)| *n).collect();
    let numbers = edit.new_files.iter().map(|(_, f)| f.number);
    numbers.filter(|n| !moved.contains(n)).collect()
}

impl State {
    /// Tables of edits that did not come about after all may go.
    fn give_up_doubtful(&mut self, doubtful: Vec<u64>) {
        if doubtful.is_empty() {
            return;
        }
        let live: std::collections::BTreeSet<u64> = self
            .families
            .values()
            .flat_map(|f| obsolete::files_of(&f.version))
            .map(|f| f.number())
            .collect();
        self.lost.extend(doubtful.into_iter().filter(|n| !live.contains(n)));
    }
}
