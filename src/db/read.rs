//! Reads of an open store: which view, which sequence number, then `get.rs` and `iterator.rs`.
#![forbid(unsafe_code)]

use super::column_family::FamilyCore;
use super::get::{self, ReadView};
use super::iterator::{DbIterator, IterParts};
use super::tables::Tables;
use super::{Db, Family, Inner};
use crate::base::{Bytes, Error, Result, Sequence};
use crate::options::ReadOptions;
use crate::stats::HistogramKind;
use crate::version::SuperVersion;
use std::sync::{Arc, Weak};

/// A cursor over a family as its user sees it. Holds what it sees; may outlive the store's handle.
pub struct Iter {
    state: std::result::Result<Open, Error>,
}

struct Open {
    cursor: DbIterator,
    options: ReadOptions,
    family: Family,
    store: Weak<Inner>,
    view_number: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        // What only this cursor held is garbage now.
        if self.family.0.view.load().number != self.view_number
            && let Some(store) = self.store.upgrade()
        {
            store.schedule_purge();
        }
    }
}

impl Iter {
    /// A cursor that only reports `error`.
    #[must_use]
    pub fn failed(error: Error) -> Self {
        Self { state: Err(error) }
    }

    /// Does it stand on an entry?
    #[inline]
    #[must_use]
    pub fn valid(&self) -> bool {
        self.state.as_ref().is_ok_and(|s| s.cursor.valid())
    }

    /// To the first key.
    pub fn seek_to_first(&mut self) {
        self.each(DbIterator::seek_to_first);
    }

    /// To the last key.
    pub fn seek_to_last(&mut self) {
        self.each(DbIterator::seek_to_last);
    }

    /// To the first key >= `key`.
    pub fn seek(&mut self, key: &[u8]) {
        self.each(|c| c.seek(key));
    }

    /// To the last key <= `key`.
    pub fn seek_for_prev(&mut self, key: &[u8]) {
        self.each(|c| c.seek_for_prev(key));
    }

    /// One forward.
    #[inline]
    pub fn next(&mut self) {
        self.each(DbIterator::next);
    }

    /// One back.
    #[inline]
    pub fn prev(&mut self) {
        self.each(DbIterator::prev);
    }

    fn each(&mut self, f: impl FnOnce(&mut DbIterator)) {
        if let Ok(state) = &mut self.state {
            f(&mut state.cursor);
        }
    }

    /// The user key; empty when invalid.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.state.as_ref().map_or(&[], |s| s.cursor.key())
    }

    /// The value; empty when invalid.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.state.as_ref().map_or(&[], |s| s.cursor.value())
    }

    /// Ok, or what went wrong.
    pub fn status(&self) -> Result<()> {
        self.state.as_ref().map_err(Clone::clone)?.cursor.status()
    }

    /// Looks at the store anew: invalid afterwards, and sees what is there now.
    pub fn refresh(&mut self) -> Result<()> {
        let state = self.state.as_ref().map_err(Clone::clone)?;
        let store = state.store.upgrade().ok_or_else(|| Error::shutdown(""))?;
        let fresh = store.iter(&state.options, &state.family);
        *self = fresh;
        Ok(())
    }
}

impl Inner {
    /// View first, then the number: what the number covers is in the view.
    fn view_at(&self, options: &ReadOptions, family: &FamilyCore) -> (Arc<SuperVersion>, Sequence) {
        let view = family.view.load();
        let sequence = options.snapshot.unwrap_or_else(|| self.published());
        (view, sequence)
    }

    fn read_view<'a>(&'a self, family: &'a FamilyCore, view: &'a SuperVersion) -> ReadView<'a> {
        let mut read = ReadView::new(view, &*family.tables, self.statistics.as_deref());
        read.has_unlogged = self.counters.has_unlogged();
        read
    }

    fn check_read(options: &ReadOptions) -> Result<()> {
        if options.tailing {
            return Err(Error::not_supported("tailing iterators"));
        }
        Ok(())
    }

    fn check_deadline(&self, options: &ReadOptions) -> Result<()> {
        if options.deadline_micros != 0 && self.env.clock.now_micros() >= options.deadline_micros {
            return Err(Error::timed_out(""));
        }
        Ok(())
    }

    fn iter(self: &Arc<Self>, options: &ReadOptions, family: &Family) -> Iter {
        let checked = Self::check_read(options).and_then(|()| self.check_deadline(options));
        if let Err(error) = checked {
            return Iter::failed(error);
        }
        let (view, sequence) = self.view_at(options, &family.0);
        self.iter_at(options, family, view, sequence)
    }

    fn iter_at(
        self: &Arc<Self>,
        options: &ReadOptions,
        family: &Family,
        super_version: Arc<SuperVersion>,
        snapshot: Sequence,
    ) -> Iter {
        let view_number = super_version.number;
        let parts = IterParts {
            super_version,
            tables: Arc::clone(&family.0.tables) as Arc<dyn Tables>,
            snapshot,
            statistics: self.statistics.clone(),
        };
        Iter {
            state: Ok(Open {
                cursor: DbIterator::new(parts, options),
                options: options.clone(),
                family: family.clone(),
                store: Arc::downgrade(self),
                view_number,
            }),
        }
    }
}

impl Db {
    /// The value of `key`; a value from a table is pinned, not copied.
    ///
    /// # Errors
    /// `Corruption` with file and offset, `IO error`, a merge operator's refusal, `Result incomplete` where the
    /// read tier forbids I/O.
    pub fn get(&self, options: &ReadOptions, family: &Family, key: &[u8]) -> Result<Option<Bytes>> {
        self.inner.check_deadline(options)?;
        let (view, sequence) = self.inner.view_at(options, &family.0);
        let read = self.inner.read_view(&family.0, &view);
        let Some(statistics) = self.inner.statistics.as_deref() else {
            return get::get(&read, options, key, sequence);
        };
        let began = self.inner.env.clock.nanos();
        let found = get::get(&read, options, key, sequence);
        let micros = (self.inner.env.clock.nanos() - began).div_ceil(1000);
        statistics.record(HistogramKind::DbGet, micros);
        found
    }

    /// The values of many keys, on one sequence number; one result a key, in order.
    pub fn multi_get(
        &self,
        options: &ReadOptions,
        keys: &[(&Family, &[u8])],
    ) -> Vec<Result<Option<Bytes>>> {
        let inner = &self.inner;
        if let Err(error) = inner.check_deadline(options) {
            return keys.iter().map(|_| Err(error.clone())).collect();
        }
        let mut results: Vec<Result<Option<Bytes>>> = keys.iter().map(|_| Ok(None)).collect();
        let mut groups: Vec<(&Family, Vec<usize>)> = Vec::new();
        for (at, (family, _)) in keys.iter().enumerate() {
            match groups.iter_mut().find(|(f, _)| f.id() == family.id()) {
                Some((_, members)) => members.push(at),
                None => groups.push((family, vec![at])),
            }
        }
        let (views, sequence) = {
            // No memtable can be sealed under the lock: the number covers what the views hold.
            let _state = (groups.len() > 1).then(|| inner.state.lock());
            let views: Vec<Arc<SuperVersion>> =
                groups.iter().map(|(f, _)| f.0.view.load()).collect();
            (views, options.snapshot.unwrap_or_else(|| inner.published()))
        };
        for ((family, members), view) in groups.iter().zip(&views) {
            let of_family: Vec<&[u8]> = members.iter().map(|at| keys[*at].1).collect();
            let read = inner.read_view(&family.0, view);
            let found = get::multi_get(&read, options, &of_family, sequence);
            for (at, result) in members.iter().zip(found) {
                results[*at] = result;
            }
        }
        results
    }

    /// False: the key is surely absent. Else it may be there, with its value when that is in memory.
    pub fn key_may_exist(
        &self,
        options: &ReadOptions,
        family: &Family,
        key: &[u8],
    ) -> (bool, Option<Bytes>) {
        let (view, sequence) = self.inner.view_at(options, &family.0);
        get::key_may_exist(&self.inner.read_view(&family.0, &view), options, key, sequence)
    }

    /// A cursor over a family; a failure becomes a cursor with that status.
    pub fn iter(&self, options: &ReadOptions, family: &Family) -> Iter {
        self.inner.iter(options, family)
    }

    /// Cursors over several families, all on one sequence number.
    pub fn iters(&self, options: &ReadOptions, families: &[Family]) -> Result<Vec<Iter>> {
        Inner::check_read(options)?;
        let inner = &self.inner;
        let (views, sequence) = {
            let _state = inner.state.lock();
            let views: Vec<Arc<SuperVersion>> = families.iter().map(|f| f.0.view.load()).collect();
            (views, options.snapshot.unwrap_or_else(|| inner.published()))
        };
        Ok(families
            .iter()
            .zip(views)
            .map(|(family, view)| inner.iter_at(options, family, view, sequence))
            .collect())
    }
}
