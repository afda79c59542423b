//! Floor 0: keys, numbers, errors. Uses nothing of the crate.

pub mod arena;
pub mod bytes;
pub mod checksum;
pub mod coding;
pub mod comparator;
pub mod error;
pub mod key;
pub mod prefix;
pub mod range;
pub mod rng;
pub mod sync;

pub use bytes::Bytes;
pub use comparator::{Comparator, InternalComparator};
pub use error::{Error, ErrorKind, Result, Severity, SubKind};
pub use key::{Kind, ParsedKey, Sequence};
