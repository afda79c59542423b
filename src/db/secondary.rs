//! A second look at a store that somebody else has open for writing.
//!
//! It reads manifest and logs when it opens and at each `catch_up`, opens all tables at once (so that the
//! primary may delete them) and shows that moment. It writes nothing into the primary's folder.
#![forbid(unsafe_code)]

use super::{Db, Family, Inner};
use crate::base::{Error, Result};
use crate::options::{CfOptions, DbOptions};
use crate::version::SuperVersion;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How often an opening is tried again when the primary took a file away meanwhile.
const TRIES: usize = 5;

fn open(
    options: &DbOptions,
    path: &Path,
    families: &[(String, CfOptions)],
) -> Result<(Db, Vec<Family>)> {
    let mut tries = 0;
    loop {
        match Db::open_read_only(options, path, families, false) {
            // A manifest or a table that was there a moment ago: the next look finds newer ones.
            Err(error) if tries < TRIES && (error.is_not_found() || error.is_corruption()) => {
                tries += 1;
            }
            outcome => return outcome,
        }
    }
}

impl Db {
    /// Opens a store that another process may have open for writing. `secondary_path` is a folder of this
    /// one's own; a subset of the families (with `default`) is enough.
    ///
    /// # Errors
    /// `Invalid argument` unless `max_open_files` is -1; those of a read-only open.
    pub fn open_secondary(
        options: &DbOptions,
        path: &Path,
        secondary_path: &Path,
        families: &[(String, CfOptions)],
    ) -> Result<(Self, Vec<Family>)> {
        if options.max_open_files != -1 {
            return Err(Error::invalid_argument("require max_open_files to be -1"));
        }
        super::open::environment(options).fs.create_dir_all(secondary_path)?;
        let (db, handles) = open(options, path, families)?;
        db.inner.is_secondary.store(true, Ordering::Release);
        Ok((db, handles))
    }

    /// Looks at the primary anew: what it has written since, unflushed data too, is seen from here on.
    ///
    /// # Errors
    /// `Not implemented` on a store that is no secondary one; those of an open, after which the view is the
    /// old one.
    pub fn catch_up(&self) -> Result<()> {
        let inner = &self.inner;
        if !inner.is_secondary.load(Ordering::Acquire) {
            return Err(Error::not_supported("Supported only by secondary instance"));
        }
        let mine = inner.families.load();
        let wanted: Vec<(String, CfOptions)> =
            mine.list.iter().map(|f| (f.name.clone(), (*f.options.load()).clone())).collect();
        // A family that the primary dropped keeps its last view.
        let there = Self::list_families(&inner.options.load(), &inner.path)?;
        let wanted: Vec<_> = wanted.into_iter().filter(|(n, _)| there.contains(n)).collect();
        let (fresh, _) = open(&inner.options.load(), &inner.path, &wanted)?;
        inner.take_views(&fresh.inner)
    }
}

impl Inner {
    fn take_views(&self, fresh: &Self) -> Result<()> {
        let theirs = fresh.families.load();
        let mut views = Vec::new();
        for family in &self.families.load().list {
            let Some(other) = theirs.get(family.id) else { continue };
            let view = other.view.load();
            for (level, file) in view.version.all_files() {
                self.table(family, file, level)?;
            }
            views.push((Arc::clone(family), view));
        }
        let mut old = Vec::new();
        let mut state = self.state.lock();
        for (family, view) in views {
            state.super_version_number += 1;
            let view = SuperVersion { number: state.super_version_number, ..(*view).clone() };
            if let Some(of) = state.families.get_mut(&family.id) {
                of.mem = Arc::clone(&view.mem);
                of.version = Arc::clone(&view.version);
            }
            old.push(family.view.swap(Arc::new(view)));
        }
        // Release: after the views, so that the number covers nothing that they lack.
        self.published.store(fresh.published(), Ordering::Release);
        drop(state);
        drop(old);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Env;
    use crate::options::{FlushOptions, ReadOptions, WriteOptions};

    #[test]
    fn a_secondary_sees_what_the_primary_wrote_after_catching_up() {
        let env = Some(Arc::new(Env::memory_threads()));
        let options = DbOptions { create_if_missing: true, env, ..DbOptions::default() };
        let families = [("default".to_owned(), CfOptions::default())];
        let (primary, of) = Db::open(&options, Path::new("/p"), &families).unwrap();
        primary.put(&WriteOptions::default(), &of[0], b"k", b"1").unwrap();
        let (second, seen) =
            Db::open_secondary(&options, Path::new("/p"), Path::new("/s"), &families).unwrap();
        let read = || {
            let got = second.get(&ReadOptions::default(), &seen[0], b"k").unwrap();
            got.map(crate::base::Bytes::into_vec)
        };
        assert_eq!(read().as_deref(), Some(&b"1"[..]));
        for (round, value) in [b"2", b"3", b"4"].into_iter().enumerate() {
            let before = read();
            primary.put(&WriteOptions::default(), &of[0], b"k", value).unwrap();
            if round > 0 {
                primary.flush(&FlushOptions::default(), &of).unwrap();
            }
            assert_eq!(read(), before, "nothing changes by itself");
            second.catch_up().unwrap();
            assert_eq!(read().as_deref(), Some(&value[..]));
        }
        assert!(second.put(&WriteOptions::default(), &seen[0], b"k", b"5").is_err());
        assert!(primary.catch_up().is_err());
    }
}
