//! From the versions of a key to what its reader sees.
//!
//! Versions come newest first. The first value, deletion or covering range deletion ends the walk;
//! merge operands on the way are collected and applied to what ended it, oldest first.
#![forbid(unsafe_code)]

use crate::base::coding::Reader;
use crate::base::{Bytes, Error, Kind, ParsedKey, Result, Sequence};
use crate::hooks::MergeOperator;
use crate::stats::ticker::tick;
use crate::stats::{Statistics, Ticker};
use crate::table::ValueRef;
use std::ops::{ControlFlow, Range};

/// A value that can be looked at, and kept if need be.
pub(super) trait Keepable {
    fn bytes(&self) -> &[u8];
    fn keep(&self) -> Bytes;
}

impl Keepable for &[u8] {
    fn bytes(&self) -> &[u8] {
        self
    }
    fn keep(&self) -> Bytes {
        Bytes::copy_from(self)
    }
}

impl Keepable for ValueRef<'_> {
    fn bytes(&self) -> &[u8] {
        ValueRef::bytes(self)
    }
    fn keep(&self) -> Bytes {
        self.to_bytes()
    }
}

/// How the walk ended.
enum End {
    Found(Bytes),
    Gone,
    Failed(Error),
}

/// Folds the versions of one key, newest first.
pub(super) struct Fold<'a> {
    user_key: &'a [u8],
    merge: Option<&'a dyn MergeOperator>,
    statistics: Option<&'a Statistics>,
    /// Versions below this sequence are hidden by a range deletion.
    pub(super) covering: Sequence,
    /// Newest first.
    operands: Vec<Bytes>,
    end: Option<End>,
}

impl<'a> Fold<'a> {
    pub(super) fn new(
        user_key: &'a [u8],
        merge: Option<&'a dyn MergeOperator>,
        statistics: Option<&'a Statistics>,
    ) -> Self {
        Self { user_key, merge, statistics, covering: 0, operands: Vec::new(), end: None }
    }

    /// Is the answer known?
    pub(super) fn is_done(&self) -> bool {
        self.end.is_some()
    }

    /// Takes the next older version.
    pub(super) fn take(&mut self, entry: &ParsedKey<'_>, value: &impl Keepable) -> ControlFlow<()> {
        if entry.sequence < self.covering {
            self.end = Some(End::Gone);
            return ControlFlow::Break(());
        }
        match entry.kind {
            Kind::Merge => {
                self.operands.push(value.keep());
                return ControlFlow::Continue(());
            }
            Kind::Deletion | Kind::SingleDeletion | Kind::DeletionWithTimestamp => {
                self.end = Some(End::Gone);
            }
            kind => {
                let bytes = value.bytes();
                self.end = Some(match plain_value(kind, bytes) {
                    Err(e) => End::Failed(e),
                    Ok(range) if range.len() == bytes.len() => End::Found(value.keep()),
                    Ok(range) => End::Found(Bytes::copy_from(&bytes[range])),
                });
            }
        }
        ControlFlow::Break(())
    }

    /// The answer, all versions having been handed in.
    pub(super) fn finish(self) -> Result<Option<Bytes>> {
        let base = match self.end {
            Some(End::Failed(e)) => return Err(e),
            Some(End::Found(value)) => Some(value),
            Some(End::Gone) | None => None,
        };
        if self.operands.is_empty() {
            return Ok(base);
        }
        let oldest_first: Vec<&[u8]> = self.operands.iter().rev().map(|o| &o[..]).collect();
        full_merge(self.merge, self.statistics, self.user_key, base.as_deref(), &oldest_first)
            .map(|v| Some(v.into()))
    }
}

/// Applies operands, oldest first.
pub(super) fn full_merge(
    merge: Option<&dyn MergeOperator>,
    statistics: Option<&Statistics>,
    user_key: &[u8],
    base: Option<&[u8]>,
    operands: &[&[u8]],
) -> Result<Vec<u8>> {
    let merge =
        merge.ok_or_else(|| Error::not_supported("Provide a merge_operator when opening DB"))?;
    merge.full_merge(user_key, base, operands).ok_or_else(|| {
        tick(statistics, Ticker::MergeFailures, 1);
        Error::merge_failed()
    })
}

/// Where in an entry's value the part is that a plain read sees.
pub(super) fn plain_value(kind: Kind, value: &[u8]) -> Result<Range<usize>> {
    match kind {
        Kind::Value => Ok(0..value.len()),
        Kind::ValueWithSequence => {
            value.len().checked_sub(8).map(|end| 0..end).ok_or_else(|| {
                Error::corruption("value too short for its preferred sequence number")
            })
        }
        Kind::WideColumns => default_column(value).map_err(|e| e.context("wide columns")),
        Kind::BlobIndex => Err(Error::not_supported("a value in a blob file")),
        Kind::Deletion
        | Kind::Merge
        | Kind::SingleDeletion
        | Kind::RangeDeletion
        | Kind::DeletionWithTimestamp => {
            Err(Error::corruption(format!("an entry of kind {kind:?} where a value should be")))
        }
    }
}

/// The column without a name, which a plain read sees; empty when there is none. Columns are sorted
/// by name, so it is the first.
fn default_column(entity: &[u8]) -> Result<Range<usize>> {
    let mut reader = Reader::new(entity);
    let version = reader.varint32()?;
    let count = reader.varint32()?;
    let (name_bytes, value_bytes, values_at, is_blob) = match version {
        _ if count == 0 => return Ok(0..0),
        1 => {
            let mut first = None;
            for _ in 0..count {
                let name = reader.slice()?;
                let value_bytes = reader.varint32()?;
                first.get_or_insert((name.len(), value_bytes as usize));
            }
            let (name_bytes, value_bytes) = first.unwrap_or_default();
            (name_bytes, value_bytes, reader.position(), false)
        }
        2 => {
            let sizes = [reader.varint32()?, reader.varint32()?, reader.varint32()?];
            let kinds = reader.bytes(count as usize)?;
            let name_bytes = Reader::new(reader.bytes(sizes[0] as usize)?).varint32()?;
            let value_bytes = Reader::new(reader.bytes(sizes[1] as usize)?).varint32()?;
            reader.bytes(sizes[2] as usize)?;
            let is_blob = kinds.first() == Some(&(Kind::BlobIndex as u8));
            (name_bytes as usize, value_bytes as usize, reader.position(), is_blob)
        }
        _ => return Err(Error::not_supported(format!("version {version}"))),
    };
    if name_bytes != 0 {
        return Ok(0..0);
    }
    if is_blob {
        return plain_value(Kind::BlobIndex, &[]);
    }
    let end = values_at.checked_add(value_bytes).filter(|&end| end <= entity.len());
    end.map(|end| values_at..end).ok_or_else(|| Error::corruption("a value beyond the end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_read_of_columns_sees_the_one_without_a_name() {
        let entity = [1, 2, 0, 3, 1, b'x', 2, b'a', b'b', b'c', b'd', b'e'];
        assert_eq!(plain_value(Kind::WideColumns, &entity).unwrap(), 7..10);
        let named = [1, 1, 1, b'x', 2, b'd', b'e'];
        assert!(plain_value(Kind::WideColumns, &named).unwrap().is_empty());
        // Version 2: one section each for kinds, name sizes, value sizes, names.
        let entity = [2, 2, 2, 2, 1, 1, 1, 0, 1, 3, 2, b'x', b'a', b'b', b'c', b'd', b'e'];
        assert_eq!(plain_value(Kind::WideColumns, &entity).unwrap(), 12..15);
        assert!(plain_value(Kind::WideColumns, &[3, 1, 0, 0]).is_err());
        for cut in 0..12 {
            let _ = plain_value(Kind::WideColumns, &entity[..cut]);
        }
        assert!(plain_value(Kind::WideColumns, &[1, 1, 0, 9, 1]).unwrap_err().is_corruption());
    }

    #[test]
    fn a_blob_reference_says_that_it_is_not_served() {
        let e = plain_value(Kind::BlobIndex, b"").unwrap_err();
        assert_eq!(e.to_string(), "Not implemented: a value in a blob file");
        assert!(plain_value(Kind::ValueWithSequence, b"1234567").is_err());
        assert_eq!(plain_value(Kind::ValueWithSequence, b"v12345678").unwrap(), 0..1);
    }
}
