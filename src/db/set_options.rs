//! Changing options of an open store: all of a call or none.
#![forbid(unsafe_code)]

use super::{Db, Family};
use crate::base::{Error, Result};
use crate::env::LogLevel;
use crate::options::{DbOptions, OptionText};
use std::sync::Arc;

/// Applies name and value pairs to a set of options.
fn apply<T: OptionText>(set: &mut T, pairs: &[(&str, &str)]) -> Result<()> {
    if pairs.is_empty() {
        return Err(Error::invalid_argument("empty input"));
    }
    for (name, value) in pairs {
        if set.get_text(name).is_none() {
            return Err(Error::invalid_argument(format!("Could not find option: : {name}")));
        }
        if !T::is_mutable(name) {
            return Err(Error::invalid_argument(format!("Option not changeable: {name}")));
        }
        set.set_text(name, value)?;
    }
    Ok(())
}

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
        let lead = inner.queue.lead_alone();
        let mut changed = (*family.0.options.load()).clone();
        apply(&mut changed, options)?;
        drop(family.0.options.swap(Arc::new(changed)));
        let mut state = inner.state.lock();
        let old = inner.install_view(&mut state, family.id());
        inner.update_wal_attention(&state);
        inner.schedule(&mut state);
        drop(state);
        drop(old);
        drop(lead);
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
        let lead = inner.queue.lead_alone();
        let mut changed: DbOptions = (*inner.options.load()).clone();
        apply(&mut changed, options)?;
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
