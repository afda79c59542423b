//! Merge operators: how operands become a value.
#![forbid(unsafe_code)]

/// Folds operands over a value. Called from any thread, at the same time.
pub trait MergeOperator: Send + Sync {
    /// The name kept in table properties.
    fn name(&self) -> &str;
    /// The value of `existing` (`None`: there is none) with `operands` applied, oldest first.
    /// `None` means failure.
    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>>;
    /// One operand that does what `operands` (two or more, oldest first) do; `None` keeps them apart.
    fn partial_merge(&self, _key: &[u8], _operands: &[&[u8]]) -> Option<Vec<u8>> {
        None
    }
}

/// RocksDB's `uint64add`: 8-byte little-endian addition; a wrong length counts as 0.
#[derive(Clone, Copy, Debug)]
pub struct UInt64Add;

fn number(bytes: &[u8]) -> u64 {
    <[u8; 8]>::try_from(bytes).map_or(0, u64::from_le_bytes)
}

impl MergeOperator for UInt64Add {
    fn name(&self) -> &str {
        "UInt64AddOperator"
    }
    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let base = existing.map_or(0, number);
        let sum = operands.iter().fold(base, |sum, o| sum.wrapping_add(number(o)));
        Some(sum.to_le_bytes().to_vec())
    }
    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.full_merge(key, None, operands)
    }
}
