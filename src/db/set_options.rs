//! Changing options of an open store: all of a call or none.
#![forbid(unsafe_code)]

use super::{Db, Family};
use crate::base::Result;
use crate::env::LogLevel;
use std::sync::Arc;

impl Db {
    /// Changes mutable options of a family.
    ///
    /// # Errors
    /// `Invalid argument` for an unknown or immutable option and for a value that does not parse; nothing
    /// changes then.
    pub fn set_options(&self, family: &Family, options: &[(&str, &str)]) -> Result<()> {
        let inner = &self.inner;
        inner.check_writable()?;
        // A lone leader: a memtable's size is not judged by old and new options at once.
        let lead = inner.lead_alone()?;
        let mut changed = family.0.options.load().changed(options)?;
        super::open::unstick(&mut changed);
        drop(family.0.options.swap(Arc::new(changed)));
        let mut state = inner.state.lock();
        let old = inner.install_view(&mut state, family.id());
        inner.update_wal_attention(&state);
        inner.schedule(&mut state);
        drop(state);
        drop(old);
        drop(lead);
        inner.log_stalls();
        for (name, value) in options {
            inner.log(
                LogLevel::Info,
                &format!("SetOptions on [{}]: {name}: {value}", family.name()),
            );
        }
        inner.write_options_file();
        Ok(())
    }

    /// Changes mutable options of the store.
    ///
    /// # Errors
    /// As for `set_options`.
    pub fn set_db_options(&self, options: &[(&str, &str)]) -> Result<()> {
        let inner = &self.inner;
        inner.check_writable()?;
        let lead = inner.lead_alone()?;
        let changed = inner.options.load().changed(options)?;
        inner.tables.set_max_open_files(changed.max_open_files);
        drop(inner.options.swap(Arc::new(changed)));
        inner.size_pool();
        let mut state = inner.state.lock();
        inner.update_wal_attention(&state);
        inner.schedule(&mut state);
        drop(state);
        drop(lead);
        inner.write_options_file();
        Ok(())
    }
}
