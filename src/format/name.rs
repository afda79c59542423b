//! File names of a store's folder and their numbers.
//!
//!     CURRENT  IDENTITY  LOCK  LOG  LOG.old.<micros>
//!     MANIFEST-%06u  OPTIONS-%06u  OPTIONS-%06u.dbtmp
//!     %06u.log  %06u.sst (.ldb is read too)  %06u.blob  %06u.dbtmp
//!
//! One counter numbers them all. Numbers are written with at least six digits and read with any
//! count of digits. A name that does not parse belongs to somebody else and is left alone.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)
)]

/// Names the manifest in use.
pub const CURRENT: &str = "CURRENT";
/// The store's identity as text.
pub const IDENTITY: &str = "IDENTITY";
/// Locked by whoever has the store open for writing.
pub const LOCK: &str = "LOCK";
/// The info log.
pub const INFO_LOG: &str = "LOG";

/// What a name in a store's folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileName {
    /// `CURRENT`
    Current,
    /// `MANIFEST-n`
    Manifest(u64),
    /// `n.log`
    Wal(u64),
    /// `n.sst`, or the older `n.ldb`
    Table(u64),
    /// `n.blob`
    Blob(u64),
    /// `OPTIONS-n`
    Options(u64),
    /// `OPTIONS-n.dbtmp`
    OptionsTemp(u64),
    /// `n.dbtmp`
    Temp(u64),
    /// `IDENTITY`
    Identity,
    /// `LOCK`
    Lock,
    /// `LOG`
    InfoLog,
    /// `LOG.old.micros`
    OldInfoLog(u64),
}

impl FileName {
    /// What `name` stands for; `None` for a stranger's file.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            CURRENT => return Some(Self::Current),
            IDENTITY => return Some(Self::Identity),
            LOCK => return Some(Self::Lock),
            INFO_LOG => return Some(Self::InfoLog),
            _ => {}
        }
        if let Some(n) = name.strip_prefix("MANIFEST-") {
            return Some(Self::Manifest(number(n)?));
        }
        if let Some(n) = name.strip_prefix("OPTIONS-") {
            return Some(match n.strip_suffix(".dbtmp") {
                Some(n) => Self::OptionsTemp(number(n)?),
                None => Self::Options(number(n)?),
            });
        }
        if let Some(n) = name.strip_prefix("LOG.old.") {
            return Some(Self::OldInfoLog(number(n)?));
        }
        let (stem, kind) = name.split_once('.')?;
        let n = number(stem)?;
        Some(match kind {
            "log" => Self::Wal(n),
            "sst" | "ldb" => Self::Table(n),
            "blob" => Self::Blob(n),
            "dbtmp" => Self::Temp(n),
            _ => return None,
        })
    }

    /// The number in the name, if it comes from the store's counter.
    #[must_use]
    pub fn number(self) -> Option<u64> {
        match self {
            Self::Manifest(n)
            | Self::Wal(n)
            | Self::Table(n)
            | Self::Blob(n)
            | Self::Options(n)
            | Self::OptionsTemp(n)
            | Self::Temp(n) => Some(n),
            _ => None,
        }
    }
}

impl std::fmt::Display for FileName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Current => f.write_str(CURRENT),
            Self::Identity => f.write_str(IDENTITY),
            Self::Lock => f.write_str(LOCK),
            Self::InfoLog => f.write_str(INFO_LOG),
            Self::OldInfoLog(n) => write!(f, "LOG.old.{n}"),
            Self::Manifest(n) => write!(f, "MANIFEST-{n:06}"),
            Self::Wal(n) => write!(f, "{n:06}.log"),
            Self::Table(n) => write!(f, "{n:06}.sst"),
            Self::Blob(n) => write!(f, "{n:06}.blob"),
            Self::Options(n) => write!(f, "OPTIONS-{n:06}"),
            Self::OptionsTemp(n) => write!(f, "OPTIONS-{n:06}.dbtmp"),
            Self::Temp(n) => write!(f, "{n:06}.dbtmp"),
        }
    }
}

fn number(digits: &str) -> Option<u64> {
    // `parse` alone would accept a leading plus.
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// `000012.sst`
#[must_use]
pub fn table(number: u64) -> String {
    FileName::Table(number).to_string()
}

/// `000012.ldb`, the name that old releases gave tables.
#[must_use]
pub fn table_old(number: u64) -> String {
    format!("{number:06}.ldb")
}

/// `000012.log`
#[must_use]
pub fn wal(number: u64) -> String {
    FileName::Wal(number).to_string()
}

/// `000012.blob`
#[must_use]
pub fn blob(number: u64) -> String {
    FileName::Blob(number).to_string()
}

/// `MANIFEST-000012`
#[must_use]
pub fn manifest(number: u64) -> String {
    FileName::Manifest(number).to_string()
}

/// `OPTIONS-000012`
#[must_use]
pub fn options(number: u64) -> String {
    FileName::Options(number).to_string()
}

/// `OPTIONS-000012.dbtmp`
#[must_use]
pub fn options_temp(number: u64) -> String {
    FileName::OptionsTemp(number).to_string()
}

/// `000012.dbtmp`
#[must_use]
pub fn temp(number: u64) -> String {
    FileName::Temp(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_as_itself() {
        let all = [
            FileName::Current,
            FileName::Identity,
            FileName::Lock,
            FileName::InfoLog,
            FileName::OldInfoLog(1_700_000_000_000_000),
            FileName::Manifest(1),
            FileName::Wal(999_999),
            FileName::Table(1_000_000),
            FileName::Blob(7),
            FileName::Options(12),
            FileName::OptionsTemp(12),
            FileName::Temp(u64::MAX),
        ];
        for name in all {
            assert_eq!(FileName::parse(&name.to_string()), Some(name));
        }
        assert_eq!(table(12), "000012.sst");
        assert_eq!(FileName::parse(&table_old(12)), Some(FileName::Table(12)));
        assert_eq!(FileName::parse("1.log"), Some(FileName::Wal(1)));
    }

    #[test]
    fn a_strangers_name_is_none() {
        for name in [
            "",
            "current",
            "MANIFEST-",
            "MANIFEST-1x",
            "MANIFEST-+1",
            "+1.log",
            ".log",
            "1.logs",
            "1.2.log",
            "99999999999999999999.log",
            "OPTIONS-1.tmp",
            "LOG.old.",
            "LOGS",
            "archive",
            "ünïcode.sst",
        ] {
            assert_eq!(FileName::parse(name), None, "{name}");
        }
    }
}
