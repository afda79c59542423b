//! Point lookup: filter, index, block.
#![forbid(unsafe_code)]

use super::reader::Table;
use crate::base::bytes::Owner;
use crate::base::{Bytes, Error, ParsedKey, Result};
use crate::options::ReadOptions;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// A value in a block. It can be copied, or pinned together with its block.
pub struct ValueRef<'a> {
    bytes: &'a [u8],
    pin: Option<(&'a Arc<dyn Owner>, Range<usize>)>,
}

impl<'a> ValueRef<'a> {
    /// The bytes, valid until the sink returns.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes for keeps: pins the block where there is one to pin.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        match &self.pin {
            Some((owner, range)) => Bytes::shared(Arc::clone(owner), range.clone()),
            None => Bytes::copy_from(self.bytes),
        }
    }
}

/// Receives the versions of one key, newest first, until it breaks.
pub type Sink<'a> = dyn FnMut(ParsedKey<'_>, ValueRef<'_>) -> ControlFlow<()> + 'a;

impl Table {
    /// Hands the entries of `target`'s user key at or behind `target` (see `key::seek_target`) to
    /// `sink`, newest first, until it breaks. Range tombstones are the caller's.
    pub fn get(&self, _options: &ReadOptions, _target: &[u8], _sink: &mut Sink<'_>) -> Result<()> {
        Err(Error::not_supported("table get"))
    }
}
