//! Column families: create, drop, handles.
//!
//! Family changes are made by a lone leader (nobody writes meanwhile): manifest first, then memory.
#![forbid(unsafe_code)]

use super::tables::{FamilyTables, Io, Tables as _};
use super::{Db, FamilyState, FamilyTable, Inner, State, obsolete};
use crate::base::sync::ArcCell;
use crate::base::{Comparator, Error, InternalComparator, Result};
use crate::cache::Cache;
use crate::compaction::folders::Folder;
use crate::compaction::score;
use crate::env::LogLevel;
use crate::format::manifest::VersionEdit;
use crate::hooks::MergeOperator;
use crate::memtable::{MemTable, MemTableSettings};
use crate::options::CfOptions;
use crate::table::{Table, TableCache, TableSettings};
use crate::version::{FileCounts, FileMeta, SuperVersion, Version};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Bytes of the block cache that a family gets when its options bring none.
const DEFAULT_BLOCK_CACHE: usize = 32 << 20;

/// What writers and readers of a family need.
pub(super) struct FamilyCore {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) order: InternalComparator,
    pub(super) options: ArcCell<CfOptions>,
    /// Memtables and files, pinned together.
    pub(super) view: ArcCell<SuperVersion>,
    /// How its files are reached.
    pub(super) tables: Arc<FamilyTables>,
    next_memtable: AtomicU64,
    /// The last field: it goes when the view has let go of the files.
    last: LastWord,
}

/// Tells the store when the last handle of a dropped family is gone.
struct LastWord {
    dropped: AtomicBool,
    store: OnceLock<Weak<Inner>>,
}

impl Drop for LastWord {
    fn drop(&mut self) {
        // Files of a dropped family stay until nobody can read them: now.
        if let Some(store) = self.store.get().and_then(Weak::upgrade)
            && self.dropped.load(Ordering::Acquire)
        {
            store.schedule_purge();
        }
    }
}

impl FamilyCore {
    /// A family around `version` with an empty memtable that belongs to `log_number`.
    pub(super) fn new(
        id: u32,
        name: &str,
        options: CfOptions,
        version: Version,
        log_number: u64,
        tables: (Arc<TableCache>, Vec<Folder>),
    ) -> (Arc<Self>, Arc<MemTable>, Arc<Version>) {
        let order = InternalComparator::new(Arc::clone(&options.comparator));
        let settings = table_settings(&order, &options);
        let tables = FamilyTables::new(tables.0, settings, tables.1);
        let mem = new_memtable(&options, 0, log_number);
        let version = Arc::new(version);
        let options = Arc::new(options);
        let view = SuperVersion {
            mem: Arc::clone(&mem),
            imm: Vec::new(),
            version: Arc::clone(&version),
            options: Arc::clone(&options),
            number: 0,
        };
        let core = Arc::new(Self {
            id,
            name: name.to_owned(),
            order,
            options: ArcCell::new(options),
            view: ArcCell::new(Arc::new(view)),
            tables: Arc::new(tables),
            next_memtable: AtomicU64::new(1),
            last: LastWord { dropped: AtomicBool::new(false), store: OnceLock::new() },
        });
        (core, mem, version)
    }

    /// Tells it its store, for the purge after its end.
    pub(super) fn attach(&self, store: Weak<Inner>) {
        // A second store is not possible; the first stays.
        let _ = self.last.store.set(store);
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.last.dropped.load(Ordering::Acquire)
    }

    pub(super) fn merge_operator(&self) -> Option<Arc<dyn MergeOperator>> {
        self.options.load().merge_operator.clone()
    }

    pub(super) fn is_mem_full(&self) -> bool {
        let view = self.view.load();
        view.mem.should_flush(view.options.write_buffer_size)
    }

    pub(super) fn memtable(&self, log_number: u64) -> Arc<MemTable> {
        let id = self.next_memtable.fetch_add(1, Ordering::Relaxed);
        new_memtable(&self.options.load(), id, log_number)
    }
}

fn new_memtable(options: &CfOptions, id: u64, log_number: u64) -> Arc<MemTable> {
    let mem = MemTable::new(MemTableSettings::from_options(options), id);
    mem.set_log_number(log_number);
    Arc::new(mem)
}

fn table_settings(order: &InternalComparator, options: &CfOptions) -> TableSettings {
    let table = Arc::clone(&options.table);
    let cache = if table.no_block_cache {
        None
    } else {
        Some(
            table.block_cache.clone().unwrap_or_else(|| Cache::lru(DEFAULT_BLOCK_CACHE, -1, false)),
        )
    };
    TableSettings {
        order: order.clone(),
        options: table,
        cache,
        prefix_extractor: options.prefix_extractor.clone(),
    }
}

/// A handle of a column family. A dropped family stays readable through its handles.
#[derive(Clone)]
pub struct Family(pub(super) Arc<FamilyCore>);

impl Family {
    /// Its number; 0 is `default`.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its order of keys.
    #[must_use]
    pub fn comparator(&self) -> Arc<dyn Comparator> {
        Arc::clone(self.0.order.user())
    }
}

impl FamilyState {
    pub(super) fn new(
        core: Arc<FamilyCore>,
        mem: Arc<MemTable>,
        version: Arc<Version>,
        log_number: u64,
    ) -> Self {
        let options = core.options.load();
        let next_epoch = version.max_epoch() + 1;
        let scores = score::compute(&version, &options);
        Self {
            mem,
            imm: Vec::new(),
            log_number,
            flush_requested: false,
            flushing: false,
            flushing_from: None,
            frozen: false,
            running: Vec::new(),
            scores,
            next_epoch,
            version,
            core,
        }
    }
}

impl Inner {
    /// Where a family with `options` finds its tables.
    fn table_source(&self, options: &CfOptions) -> (Arc<TableCache>, Vec<Folder>) {
        let folders = super::open::folders_of(&self.path, &self.options.load(), options);
        (Arc::clone(&self.tables), folders)
    }

    /// The open table of a file.
    pub(super) fn table(
        &self,
        family: &FamilyCore,
        file: &FileMeta,
        level: usize,
    ) -> Result<Arc<Table>> {
        let table = family.tables.open(file, level, Io::Allowed)?;
        if file.counts().is_none() {
            let p = table.properties();
            file.set_counts(FileCounts {
                entries: p.num_entries,
                deletions: p.num_deletions,
                raw_key_bytes: p.raw_key_size,
                raw_value_bytes: p.raw_value_size,
            });
        }
        Ok(table)
    }

    /// Publishes memtables and version of a family to readers. The old view is returned: the caller
    /// drops it outside the state lock, since it may be the last to hold a memtable.
    #[must_use]
    pub(super) fn install_view(&self, state: &mut State, id: u32) -> Option<Arc<SuperVersion>> {
        state.super_version_number += 1;
        let number = state.super_version_number;
        let family = state.families.get_mut(&id)?;
        let view = SuperVersion {
            mem: Arc::clone(&family.mem),
            imm: family.imm.iter().rev().cloned().collect(),
            version: Arc::clone(&family.version),
            options: family.core.options.load(),
            number,
        };
        let old = family.core.view.swap(Arc::new(view));
        family.scores = score::compute(&family.version, &family.core.options.load());
        self.update_stall(state);
        Some(old)
    }

    /// The table of families anew, from the state.
    pub(super) fn install_families(&self, state: &State) {
        let list = state.families.values().map(|f| Arc::clone(&f.core)).collect();
        drop(self.families.swap(Arc::new(FamilyTable { list })));
    }

    pub(super) fn create_family(
        self: &Arc<Self>,
        options: &CfOptions,
        name: &str,
    ) -> Result<Family> {
        self.check_writable()?;
        super::open::check_family_options(&self.options.load(), options)?;
        let options = &super::open::clip(&self.options.load(), options);
        for (folder, _) in &options.cf_paths {
            super::open::make_folder(&*self.env.fs, folder)?;
        }
        let lead = self.lead_alone()?;
        let id = {
            let state = self.state.lock();
            if state.families.values().any(|f| f.core.name == name) {
                return Err(Error::invalid_argument("Column family already exists"));
            }
            state.max_family + 1
        };
        // Data of the new family is in the log being written at the earliest.
        let log_number = self.wal.lock().number();
        let edit = VersionEdit {
            family: id,
            add_family: Some(name.to_owned()),
            comparator: Some(options.comparator.name().to_owned()),
            log_number: Some(log_number),
            max_column_family: Some(id),
            ..VersionEdit::default()
        };
        self.log_edits(&[edit], |state| {
            let order = InternalComparator::new(Arc::clone(&options.comparator));
            let levels = usize::try_from(options.num_levels).unwrap_or(7);
            let version = Version::empty(order, levels);
            let (core, mem, version) = FamilyCore::new(
                id,
                name,
                options.clone(),
                version,
                log_number,
                self.table_source(options),
            );
            core.attach(Arc::downgrade(self));
            state.max_family = state.max_family.max(id);
            state.live_versions.push(Arc::downgrade(&version));
            state.families.insert(id, FamilyState::new(core, mem, version, log_number));
            self.install_families(state);
            self.update_stall(state);
        })?;
        drop(lead);
        self.log(LogLevel::Info, &format!("Created column family [{name}] (ID {id})"));
        self.write_options_file();
        let families = self.families.load();
        let core = families.get(id).ok_or_else(|| Error::dropped(""))?;
        Ok(Family(Arc::clone(core)))
    }

    fn drop_family(&self, family: &Family) -> Result<()> {
        self.check_writable()?;
        if family.id() == 0 {
            return Err(Error::invalid_argument("Can't drop default column family"));
        }
        let lead = self.lead_alone()?;
        if family.0.is_dropped() {
            return Err(Error::invalid_argument("Column family already dropped!\n"));
        }
        let edit = VersionEdit { family: family.id(), drop_family: true, ..VersionEdit::default() };
        let mut gone = None;
        self.log_edits(&[edit], |state| {
            family.0.last.dropped.store(true, Ordering::Release);
            if let Some(dropped) = state.families.remove(&family.id()) {
                state.retire(&dropped.core, obsolete::files_of(&dropped.version));
                gone = Some(dropped);
            }
            self.install_families(state);
            self.update_stall(state);
        })?;
        drop(lead);
        drop(gone);
        self.log_stalls();
        self.log(LogLevel::Info, &format!("Dropped column family with id {}", family.id()));
        self.changed.notify_all();
        self.write_options_file();
        self.purge();
        Ok(())
    }
}

impl Db {
    /// The handle of `default`.
    #[must_use]
    pub fn default_family(&self) -> Family {
        let families = self.inner.families.load();
        Family(Arc::clone(families.list.first().expect("a store always has its default family")))
    }

    /// Makes a family.
    ///
    /// # Errors
    /// `Invalid argument: Column family already exists`; an I/O error of the manifest.
    pub fn create_family(&self, options: &CfOptions, name: &str) -> Result<Family> {
        self.inner.create_family(options, name)
    }

    /// Drops a family; its data stays readable through handles until the last is gone.
    ///
    /// # Errors
    /// `Invalid argument` for the default family and for one that is dropped already.
    pub fn drop_family(&self, family: &Family) -> Result<()> {
        self.inner.drop_family(family)
    }
}
