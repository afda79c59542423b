//! The OPTIONS file and the options in LOG. No open reads either; tools do.
#![forbid(unsafe_code)]

use super::Inner;
use crate::env::LogLevel;
use crate::format::name;
use crate::format::options_file::{self, FamilyOptions};
use crate::options::{CfOptions, OptionText};

/// Few names and old ones: an older reader refuses a file with a name it does not know.
fn family(name: &str, options: &CfOptions) -> FamilyOptions {
    FamilyOptions {
        name: name.to_owned(),
        options: options.file_lines(),
        table: options.table.file_lines(),
    }
}

impl Inner {
    /// Writes a new OPTIONS file. A failure is logged: it is no reason to stop.
    pub(super) fn write_options_file(&self) {
        let families = self.families.load();
        let sections: Vec<FamilyOptions> =
            families.list.iter().map(|f| family(&f.name, &f.options.load())).collect();
        let text = options_file::write(&self.options.load().file_lines(), &sections);
        let number = self.new_file_number();
        let written = crate::env::write_file_atomically(
            &*self.env.fs,
            &self.path.join(name::options_temp(number)),
            &self.path.join(name::options(number)),
            text.as_bytes(),
        );
        if let Err(error) = written {
            self.log(LogLevel::Warn, &format!("The OPTIONS file could not be written: {error}"));
        }
        self.prune_options_files();
    }

    /// All options, a line each, for LOG.
    pub(super) fn log_options(&self) {
        fn lines(set: &impl OptionText, names: &[&str], to: &mut Vec<String>, indent: &str) {
            for name in names {
                if let Some(value) = set.get_text(name) {
                    let value = match &*value {
                        "true" => "1".to_owned(),
                        "false" => "0".to_owned(),
                        _ => value,
                    };
                    to.push(format!("{indent}{name}: {value}"));
                }
            }
        }
        let mut all = Vec::new();
        let db = self.options.load();
        lines(&*db, <crate::options::DbOptions as OptionText>::NAMES, &mut all, "Options.");
        let state = self.state.lock();
        for family in state.families.values() {
            let o = family.core.options.load();
            all.push(format!("--------------- Options for column family [{}]:", family.core.name));
            lines(&*o, CfOptions::NAMES, &mut all, "Options.");
            let collectors = o.compact_on_deletion.iter().map(ToString::to_string);
            let collectors = collectors.collect::<Vec<_>>().join("; ");
            all.push(format!("Options.table_properties_collectors: {collectors}"));
            all.push("table_factory options:".to_owned());
            let start = all.len();
            lines(&*o.table, <crate::options::TableOptions as OptionText>::NAMES, &mut all, "  ");
            // RocksDB writes these as numbers here, and there are programs that read them.
            for (name, number) in [
                ("index_type", o.table.index_type as i32),
                ("data_block_index_type", o.table.data_block_index_type as i32),
                ("index_shortening", o.table.index_shortening as i32),
                ("checksum", o.table.checksum as i32),
            ] {
                let named = format!("  {name}: ");
                for line in all[start..].iter_mut().filter(|line| line.starts_with(&named)) {
                    *line = format!("{named}{number}");
                }
            }
        }
        drop(state);
        for line in all {
            self.log(LogLevel::Header, &line);
        }
    }

    /// The host's name in table properties.
    pub(super) fn host_id(&self) -> String {
        let options = self.options.load();
        if options.db_host_id == "__hostname__" {
            String::new()
        } else {
            options.db_host_id.clone()
        }
    }
}
