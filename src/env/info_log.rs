//! The info log: what the store did, for people.
//!
//!     2026/12/01-02:43:25.123456 4711 [WARN] text
//!
//! Times are UTC; the number is the kernel's of the thread. Like RocksDB, lines of the levels info
//! and header carry no level. A line goes to the OS as it is logged, so the last words of a killed
//! process are there. Another log of the store is begun at each open, and when the file is too large or too old;
//! the one before becomes `LOG.old.<micros>`, of which the newest few are kept.
//!
//! Lines may come from many threads; they are whole and in order. Failures are swallowed: a log that cannot be
//! written is no reason to stop.
#![forbid(unsafe_code)]

use super::posix::thread_id;
use super::{Clock, Env, FileSystem, LogLevel, Logger, WritableFile, WriteMode};
use crate::base::Result;
use crate::base::sync::Mutex;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a log is kept.
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// Lines below this level are left out.
    pub level: LogLevel,
    /// Begin a new file behind this many bytes; 0 for never.
    pub max_bytes: u64,
    /// Begin a new file after this many seconds; 0 for never.
    pub roll_seconds: u64,
    /// Files to keep, the current one included.
    pub keep_files: usize,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { level: LogLevel::Info, max_bytes: 0, roll_seconds: 0, keep_files: 1000 }
    }
}

impl LogLevel {
    /// The level of RocksDB's number; what is beyond is a header.
    #[must_use]
    pub fn from_number(number: i32) -> Self {
        match number {
            i32::MIN..=0 => Self::Debug,
            1 => Self::Info,
            2 => Self::Warn,
            3 => Self::Error,
            4 => Self::Fatal,
            _ => Self::Header,
        }
    }

    fn tag(self) -> &'static str {
        match self {
            Self::Debug => "[DEBUG] ",
            Self::Info | Self::Header => "",
            Self::Warn => "[WARN] ",
            Self::Error => "[ERROR] ",
            Self::Fatal => "[FATAL] ",
        }
    }
}

/// Year, month, day of a day counted from 1970-01-01, in the Gregorian calendar.
fn date(days: u64) -> (u64, u64, u64) {
    // Years start in March here, so that the leap day is a year's last.
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// A whole line.
#[must_use]
pub fn line(micros: u64, thread: u64, level: LogLevel, text: &str) -> String {
    let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let mut line = String::with_capacity(text.len() + 50);
    // Writing to a string cannot fail.
    let _ = write!(
        line,
        "{year:04}/{month:02}/{day:02}-{hour:02}:{minute:02}:{second:02}.{micros:06} {thread} {}{}",
        level.tag(),
        text.trim_end_matches('\n')
    );
    line.push('\n');
    line
}

struct Current {
    file: Option<Box<dyn WritableFile>>,
    opened_micros: u64,
}

/// A log in a file.
pub struct FileLogger {
    fs: Arc<dyn FileSystem>,
    clock: Arc<dyn Clock>,
    path: PathBuf,
    settings: LogSettings,
    current: Mutex<Current>,
}

/// Where the log of the store at `db` goes: `LOG` in it, or, in a folder for logs of many, a name
/// made of the store's path.
#[must_use]
pub fn path_of(fs: &dyn FileSystem, db: &Path, log_dir: &str) -> PathBuf {
    if log_dir.is_empty() {
        return db.join("LOG");
    }
    let mut name: String = fs
        .canonical(db)
        .to_string_lossy()
        .trim_start_matches('/')
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' })
        .collect();
    name.push_str("_LOG");
    Path::new(log_dir).join(name)
}

impl FileLogger {
    /// Begins a log at `path`, whose folder must exist, and puts the one before aside.
    pub fn create(env: &Env, path: &Path, settings: LogSettings) -> Result<Arc<dyn Logger>> {
        let logger = Self {
            fs: Arc::clone(&env.fs),
            clock: Arc::clone(&env.clock),
            path: path.into(),
            settings,
            current: Mutex::new(Current { file: None, opened_micros: 0 }),
        };
        let mut current = logger.current.lock();
        logger.roll(&mut current)?;
        drop(current);
        Ok(Arc::new(logger))
    }

    fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Puts the present file aside and begins a new one.
    fn roll(&self, current: &mut Current) -> Result<()> {
        let now = self.clock.now_micros();
        current.file = None;
        if self.fs.exists(&self.path)? {
            let mut stamp = now;
            let old = loop {
                let old = self.path.with_file_name(format!("{}.old.{stamp}", self.name()));
                if !self.fs.exists(&old)? {
                    break old;
                }
                stamp += 1;
            };
            self.fs.rename(&self.path, &old)?;
            self.remove_oldest();
        }
        current.file = Some(self.fs.create(&self.path, WriteMode::default())?);
        current.opened_micros = now;
        Ok(())
    }

    fn remove_oldest(&self) {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        let prefix = format!("{}.old.", self.name());
        // A folder that cannot be listed keeps its files.
        let names = self.fs.list(dir).unwrap_or_default();
        let mut old: Vec<(u64, &String)> = names
            .iter()
            .filter_map(|name| Some((name.strip_prefix(&prefix)?.parse().ok()?, name)))
            .collect();
        old.sort_unstable();
        let keep = self.settings.keep_files.max(1) - 1;
        for (_, name) in old.iter().rev().skip(keep) {
            // One more try at the next roll.
            let _ = self.fs.remove(&dir.join(name));
        }
    }

    fn is_due(&self, current: &Current, now: u64) -> bool {
        let LogSettings { max_bytes, roll_seconds, .. } = self.settings;
        let bytes = current.file.as_ref().map_or(0, |file| file.size());
        (max_bytes > 0 && bytes >= max_bytes)
            || (roll_seconds > 0
                && now.saturating_sub(current.opened_micros) / 1_000_000 >= roll_seconds)
    }
}

impl Logger for FileLogger {
    fn log(&self, level: LogLevel, text: &str) {
        if level < self.settings.level {
            return;
        }
        let now = self.clock.now_micros();
        let line = line(now, thread_id(), level, text);
        let mut current = self.current.lock();
        if self.is_due(&current, now) {
            // Without a new file there is none; lines go nowhere until the next attempt.
            let _ = self.roll(&mut current);
        }
        if let Some(file) = &mut current.file {
            // See the header.
            let _ = file.append(line.as_bytes());
        }
    }

    fn level(&self) -> LogLevel {
        self.settings.level
    }
}

/// A log on standard error, each line behind a prefix.
pub struct StderrLogger {
    level: LogLevel,
    prefix: String,
    clock: Arc<dyn Clock>,
}

impl StderrLogger {
    /// Of lines from `level` on.
    #[must_use]
    pub fn new(level: LogLevel, prefix: &str, clock: Arc<dyn Clock>) -> Self {
        Self { level, prefix: prefix.to_owned(), clock }
    }
}

impl Logger for StderrLogger {
    fn log(&self, level: LogLevel, text: &str) {
        if level >= self.level {
            let line = line(self.clock.now_micros(), thread_id(), level, text);
            let space = if self.prefix.is_empty() { "" } else { " " };
            eprint!("{}{space}{line}", self.prefix);
        }
    }

    fn level(&self) -> LogLevel {
        self.level
    }
}

/// A logger that keeps nothing: for stores opened for reading and folders that take no LOG.
#[derive(Clone, Copy, Debug)]
pub struct Nowhere;

impl Logger for Nowhere {
    fn log(&self, _level: LogLevel, _text: &str) {}
    fn level(&self) -> LogLevel {
        LogLevel::Header
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::memory::MemoryEnv;

    #[test]
    fn a_line_is_dated_and_tagged() {
        let at = 1_796_092_405_123_456;
        assert_eq!(
            line(at, 7, LogLevel::Warn, "slow\n"),
            "2026/12/01-02:33:25.123456 7 [WARN] slow\n"
        );
        assert_eq!(line(0, 7, LogLevel::Info, "x"), "1970/01/01-00:00:00.000000 7 x\n");
        let day = 86_400_000_000;
        assert!(line(19_782 * day, 1, LogLevel::Info, "").starts_with("2024/02/29-"));
        assert!(line(19_783 * day, 1, LogLevel::Info, "").starts_with("2024/03/01-"));
        assert!(line(20_088 * day, 1, LogLevel::Info, "").starts_with("2024/12/31-"));
    }

    fn names(memory: &MemoryEnv) -> Vec<String> {
        let mut names = memory.env.fs.list(Path::new("/")).unwrap();
        names.sort();
        names
    }

    #[test]
    fn the_log_before_is_kept_and_old_ones_go() {
        let memory = MemoryEnv::new(1);
        let settings = LogSettings { keep_files: 3, ..LogSettings::default() };
        let path = Path::new("/LOG");
        for _ in 0..6 {
            memory.clock.advance(1);
            FileLogger::create(&memory.env, path, settings.clone())
                .unwrap()
                .log(LogLevel::Info, "hello");
        }
        let names = names(&memory);
        assert_eq!(names.len(), 3, "{names:?}");
        assert_eq!(names[0], "LOG");
        assert_eq!(names[2], "LOG.old.1704067200000006");
    }

    #[test]
    fn a_log_rolls_by_size_and_by_time_and_leaves_out_what_is_too_quiet() {
        let memory = MemoryEnv::new(1);
        let settings = LogSettings {
            level: LogLevel::Warn,
            max_bytes: 200,
            roll_seconds: 60,
            ..LogSettings::default()
        };
        let log = FileLogger::create(&memory.env, Path::new("/LOG"), settings).unwrap();
        log.log(LogLevel::Info, "not wanted");
        assert_eq!(memory.fs.contents(Path::new("/LOG")).unwrap(), b"");
        log.log(LogLevel::Header, "always");
        assert_eq!(names(&memory).len(), 1);
        memory.clock.advance(60_000_000);
        log.log(LogLevel::Error, &"x".repeat(300));
        assert_eq!(names(&memory).len(), 2);
        log.log(LogLevel::Error, "y");
        log.log(LogLevel::Error, "z");
        assert_eq!(names(&memory).len(), 3);
        let text = String::from_utf8(memory.fs.contents(Path::new("/LOG")).unwrap()).unwrap();
        assert!(text.contains("[ERROR] y\n") && text.ends_with("[ERROR] z\n"), "{text}");
    }

    #[test]
    fn logs_of_many_stores_share_a_folder() {
        let memory = MemoryEnv::new(1);
        let path = path_of(&*memory.env.fs, Path::new("/var/lib/my db"), "/logs");
        assert_eq!(path, Path::new("/logs/var_lib_my_db_LOG"));
    }
}
