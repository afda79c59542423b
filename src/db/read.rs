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
///
/// A tailing one sees what is there at each step: seeks and `next` look at the store anew when it was
/// written to since. It goes forward only and takes no notice of a snapshot.
pub struct Iter {
    state: std::result::Result<Open, Error>,
}

struct Open {
    cursor: DbIterator,
    options: ReadOptions,
    /// Tailing: what it has seen; `None` otherwise.
    seen: Option<Sequence>,
    /// What was asked of a tailing cursor that it cannot do.
    refused: bool,
    /// The last field: it goes when the cursor has let go of the files.
    end: End,
}

/// What the end of a cursor needs.
struct End {
    family: Family,
    store: Weak<Inner>,
    view_number: u64,
}

impl Open {
    /// Lets a tailing cursor see what is there now; then it stands nowhere. False: nothing is new.
    fn renew(&mut self) -> bool {
        self.refused = false;
        let Some(seen) = self.seen else { return false };
        let Some(store) = self.end.store.upgrade() else { return false };
        let (view, sequence) = store.newest(&self.end.family.0);
        if sequence == seen && view.number == self.end.view_number {
            return false;
        }
        let stale = view.number != self.end.view_number;
        self.end.view_number = view.number;
        self.seen = Some(sequence);
        self.cursor = store.cursor(&self.options, &self.end.family, view, sequence);
        if stale {
            // What only the old view held is garbage now.
            store.schedule_purge();
        }
        true
    }

    /// One forward. A tailing cursor that has new things to see goes behind its key among them.
    #[inline]
    fn next(&mut self) {
        if self.seen.is_none() {
            return self.cursor.next();
        }
        if !self.valid() {
            return;
        }
        let key = self.cursor.key().to_vec();
        if !self.renew() {
            return self.cursor.next();
        }
        self.cursor.seek(&key);
        if self.cursor.valid() && self.cursor.key() == key {
            self.cursor.next();
        }
    }

    fn valid(&self) -> bool {
        !self.refused && self.cursor.valid()
    }
}

impl Drop for End {
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
        self.state.as_ref().is_ok_and(Open::valid)
    }

    /// To the first key.
    pub fn seek_to_first(&mut self) {
        self.seek_by(DbIterator::seek_to_first);
    }

    /// To the last key.
    pub fn seek_to_last(&mut self) {
        self.back_by(DbIterator::seek_to_last);
    }

    /// To the first key >= `key`.
    pub fn seek(&mut self, key: &[u8]) {
        self.seek_by(|c| c.seek(key));
    }

    /// To the last key <= `key`.
    pub fn seek_for_prev(&mut self, key: &[u8]) {
        self.back_by(|c| c.seek_for_prev(key));
    }

    /// One forward.
    #[inline]
    pub fn next(&mut self) {
        if let Ok(state) = &mut self.state {
            state.next();
        }
    }

    /// One back.
    #[inline]
    pub fn prev(&mut self) {
        self.back_by(DbIterator::prev);
    }

    fn seek_by(&mut self, f: impl FnOnce(&mut DbIterator)) {
        if let Ok(state) = &mut self.state {
            state.renew();
            f(&mut state.cursor);
        }
    }

    #[inline]
    fn back_by(&mut self, f: impl FnOnce(&mut DbIterator)) {
        if let Ok(state) = &mut self.state {
            if state.seen.is_some() {
                state.refused = true;
            } else {
                f(&mut state.cursor);
            }
        }
    }

    #[inline]
    fn shown(&self) -> Option<&DbIterator> {
        self.state.as_ref().ok().filter(|s| !s.refused).map(|s| &s.cursor)
    }

    /// The user key; empty when invalid.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.shown().map_or(&[], DbIterator::key)
    }

    /// The value; empty when invalid.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.shown().map_or(&[], DbIterator::value)
    }

    /// Ok, or what went wrong.
    pub fn status(&self) -> Result<()> {
        let state = self.state.as_ref().map_err(Clone::clone)?;
        if state.refused {
            return Err(Error::not_supported("tailing iterators go forward only"));
        }
        state.cursor.status()
    }

    /// Looks at the store anew: invalid afterwards, and sees what is there now.
    pub fn refresh(&mut self) -> Result<()> {
        let state = self.state.as_ref().map_err(Clone::clone)?;
        let store = state.end.store.upgrade().ok_or_else(|| Error::shutdown(""))?;
        let fresh = store.iter(&state.options, &state.end.family);
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

    /// The same for a cursor that sees what is there now, whatever snapshot it was given.
    fn newest(&self, family: &FamilyCore) -> (Arc<SuperVersion>, Sequence) {
        let view = family.view.load();
        (view, self.published())
    }

    fn check_read(options: &ReadOptions) -> Result<()> {
        if options.tailing && options.pin_data {
            return Err(Error::not_supported("tailing iterators that pin data"));
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
        let (view, sequence) =
            if options.tailing { self.newest(&family.0) } else { self.view_at(options, &family.0) };
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
        Iter {
            state: Ok(Open {
                cursor: self.cursor(options, family, super_version, snapshot),
                options: options.clone(),
                seen: options.tailing.then_some(snapshot),
                refused: false,
                end: End { family: family.clone(), store: Arc::downgrade(self), view_number },
            }),
        }
    }

    fn cursor(
        &self,
        options: &ReadOptions,
        family: &Family,
        super_version: Arc<SuperVersion>,
        snapshot: Sequence,
    ) -> DbIterator {
        let parts = IterParts {
            super_version,
            tables: Arc::clone(&family.0.tables) as Arc<dyn Tables>,
            snapshot,
            statistics: self.statistics.clone(),
        };
        DbIterator::new(parts, options)
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
            let snapshot = options.snapshot.filter(|_| !options.tailing);
            (views, snapshot.unwrap_or_else(|| inner.published()))
        };
        Ok(families
            .iter()
            .zip(views)
            .map(|(family, view)| inner.iter_at(options, family, view, sequence))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{CfOptions, DbOptions, FlushOptions, WriteOptions};

    #[test]
    fn a_tailing_cursor_sees_what_was_written_since_and_goes_forward_only() {
        let dir = tempfile::tempdir().unwrap();
        let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
        let families = [("default".to_owned(), CfOptions::default())];
        let (db, families) = Db::open(&options, dir.path(), &families).unwrap();
        let family = &families[0];
        let write = WriteOptions::default();
        let put = |key: &[u8], value: &[u8]| db.put(&write, family, key, value).unwrap();
        put(b"k1", b"v1");
        let snapshot = Some(db.latest_sequence());
        let tailing = ReadOptions { tailing: true, snapshot, ..ReadOptions::default() };
        let mut iter = db.iter(&tailing, family);
        iter.seek_to_first();
        // The entry it stands on stays as it was read; the next step sees all that is new.
        put(b"k1", b"new");
        put(b"k2", b"v2");
        assert_eq!((iter.key(), iter.value()), (&b"k1"[..], &b"v1"[..]));
        iter.next();
        assert_eq!((iter.key(), iter.value()), (&b"k2"[..], &b"v2"[..]));
        iter.next();
        assert!(!iter.valid() && iter.status().is_ok());
        put(b"k3", b"v3");
        iter.next();
        assert!(!iter.valid());
        iter.seek(b"k2");
        db.flush(&FlushOptions::default(), &families).unwrap();
        db.delete(&write, family, b"k2").unwrap();
        db.delete_range(&write, family, b"k1", b"k2").unwrap();
        put(b"k25", b"");
        iter.next();
        assert_eq!(iter.key(), b"k25");
        iter.seek_to_first();
        assert_eq!(iter.key(), b"k25");
        for back in [Iter::prev, Iter::seek_to_last, |i: &mut Iter| i.seek_for_prev(b"k3")] {
            iter.seek(b"k25");
            back(&mut iter);
            assert!(!iter.valid() && iter.key().is_empty() && iter.value().is_empty());
            let text = iter.status().unwrap_err().to_string();
            assert_eq!(text, "Not implemented: tailing iterators go forward only");
            iter.next();
            assert!(!iter.valid());
        }
        iter.seek(b"k3");
        assert!(iter.valid() && iter.status().is_ok());
        let mut both = db.iters(&tailing, &families).unwrap();
        both[0].seek(b"k26");
        assert_eq!(both[0].key(), b"k3");
        let pinning = ReadOptions { pin_data: true, ..tailing };
        assert!(db.iter(&pinning, family).status().is_err());
    }
}
