//! Is a model worth it here?
//!
//! The classic index is written beside the learned one and can always serve, so the question is only
//! whether the learned block earns its place in memory. It must be clearly smaller where it is able to be
//! (the tree of models) and smaller as a whole.
#![forbid(unsafe_code)]

/// Tables of fewer blocks keep to the classic index: it is a cache line or two.
pub(super) const MIN_BLOCKS: usize = 8;

/// Boundary keys may take this much memory while a table is written; beyond it the table keeps to its
/// classic index. Only long keys that share nearly all of their bytes get there.
pub(super) const MAX_BOUNDARY_BYTES: usize = 64 << 20;

/// Bytes of a classic index entry beside its key: lengths, handle, restart point.
const ENTRY_BYTES: u64 = 12;

/// Groups of fewer blocks are cheaper as keys than as a model.
pub(super) const MIN_MODEL_BLOCKS: usize = 7;

/// Nodes on the way down at most.
pub(super) const MAX_DEPTH: u16 = 10;

/// What the classic index takes for separators of `separator_bytes` in all.
pub(super) fn classic_index_bytes(blocks: u64, separator_bytes: u64) -> u64 {
    blocks * ENTRY_BYTES + separator_bytes
}

/// Does a learned index with `tree_bytes` of models and leaves, `all_bytes` in all, beat `classic_bytes`?
pub(super) fn is_worth_it(tree_bytes: u64, all_bytes: u64, classic_bytes: u64) -> bool {
    tree_bytes * 4 < classic_bytes * 3 && all_bytes < classic_bytes
}

/// May separators be kept for blocks that codes do not tell apart, if the index then has `all_bytes`? They save an
/// extra block for lookups near these, but must not make the index as large as the one it replaces.
pub(super) fn may_keep_ties(all_bytes: u64, classic_bytes: u64) -> bool {
    all_bytes * 4 < classic_bytes * 3
}

/// Is what the ranked projection leads to enough smaller to pay for its slower arithmetic?
pub(super) fn prefer_ranked(raw_bytes: usize, ranked_bytes: usize) -> bool {
    raw_bytes * 4 > ranked_bytes * 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_as_large_as_the_classic_index_is_not_worth_it() {
        assert!(is_worth_it(10_000, 60_000, 250_000));
        assert!(!is_worth_it(190_000, 240_000, 250_000));
        assert!(!is_worth_it(10_000, 250_000, 250_000));
        assert!(!is_worth_it(0, 100, 0));
        assert!(may_keep_ties(74, 100) && !may_keep_ties(75, 100));
    }

    #[test]
    fn ranked_must_save_a_fifth() {
        assert!(!prefer_ranked(100, 81));
        assert!(prefer_ranked(100, 79));
    }
}
