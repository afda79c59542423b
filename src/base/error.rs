//! The one error type. Its `Display` is what C callers parse, so its wording is RocksDB's.
//!
//! Text form: `<kind text><sub-kind text>: <message>`, the sub-kind part only when there is one.
#![forbid(unsafe_code)]

use std::fmt;
use std::io;

/// What every fallible call of the crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// RocksDB's status codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The thing asked for is not there.
    NotFound,
    /// Bytes on disk are not what they should be.
    Corruption,
    /// The call is not served.
    NotSupported,
    /// The caller asked for something that makes no sense.
    InvalidArgument,
    /// The operating system reported a failure.
    IoError,
    /// A merge needs operands that are not at hand.
    MergeInProgress,
    /// The answer is not complete (tier limits, stalls).
    Incomplete,
    /// The store is closing.
    ShutdownInProgress,
    /// A deadline passed.
    TimedOut,
    /// The operation was given up.
    Aborted,
    /// A resource is held by somebody else.
    Busy,
    /// The transaction or entry is past its time.
    Expired,
    /// Trying again may work.
    TryAgain,
    /// The compaction would be too large.
    CompactionTooLarge,
    /// The column family is gone.
    ColumnFamilyDropped,
}

impl ErrorKind {
    /// The text that starts a message, with colon and space.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::NotFound => "NotFound: ",
            Self::Corruption => "Corruption: ",
            Self::NotSupported => "Not implemented: ",
            Self::InvalidArgument => "Invalid argument: ",
            Self::IoError => "IO error: ",
            Self::MergeInProgress => "Merge in progress: ",
            Self::Incomplete => "Result incomplete: ",
            Self::ShutdownInProgress => "Shutdown in progress: ",
            Self::TimedOut => "Operation timed out: ",
            Self::Aborted => "Operation aborted: ",
            Self::Busy => "Resource busy: ",
            Self::Expired => "Operation expired: ",
            Self::TryAgain => "Operation failed. Try again.: ",
            Self::CompactionTooLarge => "Compaction too large: ",
            Self::ColumnFamilyDropped => "Column family dropped: ",
        }
    }
}

/// A finer reason, printed between the kind and the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubKind {
    /// No finer reason.
    #[default]
    None,
    /// ENOSPC.
    NoSpace,
    /// ENOENT.
    PathNotFound,
    /// ESTALE.
    StaleFile,
    /// A memory bound of the caller's was reached.
    MemoryLimit,
    /// A space bound of the caller's was reached.
    SpaceLimit,
    /// Manual compaction was paused.
    ManualCompactionPaused,
    /// A merge operator refused.
    MergeOperatorFailed,
}

impl SubKind {
    fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::NoSpace => "No space left on device",
            Self::PathNotFound => "No such file or directory",
            Self::StaleFile => "Stale file handle",
            Self::MemoryLimit => "Memory limit reached",
            Self::SpaceLimit => "Space limit reached",
            Self::ManualCompactionPaused => "Manual compaction paused",
            Self::MergeOperatorFailed => "Merge operator failed",
        }
    }
}

/// How much of the store an error takes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// This call only.
    #[default]
    None,
    /// Background work retries by itself.
    Soft,
    /// Writes are refused until the cause is gone.
    Hard,
    /// Writes are refused until the store is opened anew.
    Fatal,
}

/// An error: kind, sub-kind, severity and a message that names file and offset where there are any.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    sub: SubKind,
    severity: Severity,
    message: String,
}

macro_rules! makers {
    ($($(#[$doc:meta])* $name:ident => $kind:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(message: impl Into<String>) -> Self {
            Self::new(ErrorKind::$kind, message)
        }
    )*};
}

impl Error {
    /// An error without sub-kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            sub: SubKind::None,
            severity: Severity::None,
            message: message.into(),
        }))
    }

    makers! {
        /// `NotFound: `
        not_found => NotFound;
        /// `Corruption: `; the message names the file and the offset.
        corruption => Corruption;
        /// `Not implemented: `
        not_supported => NotSupported;
        /// `Invalid argument: `
        invalid_argument => InvalidArgument;
        /// `IO error: `
        io_error => IoError;
        /// `Result incomplete: `
        incomplete => Incomplete;
        /// `Shutdown in progress: `
        shutdown => ShutdownInProgress;
        /// `Operation timed out: `
        timed_out => TimedOut;
        /// `Operation aborted: `
        aborted => Aborted;
        /// `Resource busy: `
        busy => Busy;
        /// `Operation failed. Try again.: `
        try_again => TryAgain;
        /// `Column family dropped: `
        dropped => ColumnFamilyDropped;
    }

    /// The merge operator said no: RocksDB's two-part wording.
    #[must_use]
    pub fn merge_failed() -> Self {
        Self::corruption("Error: Could not perform merge.").with_sub(SubKind::MergeOperatorFailed)
    }

    /// An operating system error while doing `doing` to `file`.
    #[must_use]
    pub fn from_os(doing: &str, file: &str, error: &io::Error) -> Self {
        let code = error.raw_os_error().unwrap_or(0);
        let sub = match code {
            libc::ENOSPC => SubKind::NoSpace,
            libc::ENOENT => SubKind::PathNotFound,
            libc::ESTALE => SubKind::StaleFile,
            _ => SubKind::None,
        };
        let text = error.to_string();
        // The standard library appends " (os error N)"; RocksDB's text is strerror alone.
        let text = text.split(" (os error").next().unwrap_or(&text).to_owned();
        Self::io_error(format!("{doing}: {file}: {text}")).with_sub(sub)
    }

    /// The same error with a sub-kind.
    #[must_use]
    pub fn with_sub(mut self, sub: SubKind) -> Self {
        self.0.sub = sub;
        self
    }

    /// The same error with a severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// The same error with `prefix: ` before its message.
    #[must_use]
    pub fn context(mut self, prefix: &str) -> Self {
        self.0.message = format!("{prefix}: {}", self.0.message);
        self
    }

    /// RocksDB's status code.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The finer reason.
    #[must_use]
    pub fn sub(&self) -> SubKind {
        self.0.sub
    }

    /// How much of the store this takes down.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// The message without kind and sub-kind.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Is this a `Corruption`?
    #[must_use]
    pub fn is_corruption(&self) -> bool {
        self.kind() == ErrorKind::Corruption
    }

    /// Is this a `NotFound` or an I/O error of a missing path?
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound || self.sub() == SubKind::PathNotFound
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, sub, message, .. } = &*self.0;
        f.write_str(kind.prefix())?;
        if *sub == SubKind::None {
            return f.write_str(message);
        }
        f.write_str(sub.text())?;
        if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_rocksdbs() {
        let e = Error::from_os(
            "While appending to file",
            "/d/000001.log",
            &io::Error::from_raw_os_error(libc::ENOSPC),
        );
        assert_eq!(
            e.to_string(),
            "IO error: No space left on device: While appending to file: /d/000001.log: No space left on device"
        );
        assert_eq!(Error::busy("").to_string(), "Resource busy: ");
        assert_eq!(Error::not_found("").to_string(), "NotFound: ");
    }
}
