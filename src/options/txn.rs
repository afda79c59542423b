//! Settings of transactions. There are no transactions yet: they are kept.
#![forbid(unsafe_code)]

/// How locks of a store are kept.
#[derive(Clone, Copy, Debug)]
pub struct TransactionDbOptions {
    /// Locks held at once; -1 means no bound.
    pub max_num_locks: i64,
    /// Parts of the lock table.
    pub num_stripes: usize,
    /// Milliseconds that a transaction waits for a lock.
    pub transaction_lock_timeout: i64,
    /// Milliseconds that a plain write waits for a lock.
    pub default_lock_timeout: i64,
}

impl Default for TransactionDbOptions {
    fn default() -> Self {
        Self {
            max_num_locks: -1,
            num_stripes: 16,
            transaction_lock_timeout: 1000,
            default_lock_timeout: 1000,
        }
    }
}

/// How one transaction works.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOptions {
    /// Take a snapshot when it begins.
    pub set_snapshot: bool,
    /// Look for deadlocks before waiting.
    pub deadlock_detect: bool,
    /// Milliseconds to wait for a lock; -1 means the store's setting.
    pub lock_timeout: i64,
    /// Milliseconds until others may take its locks; -1 never.
    pub expiration: i64,
    /// Length of a chain of waiting transactions that is followed.
    pub deadlock_detect_depth: i64,
    /// Bytes of its batch; 0 means no bound.
    pub max_write_batch_size: usize,
    /// It may be committed without having been prepared.
    pub skip_prepare: bool,
}

impl Default for TransactionOptions {
    fn default() -> Self {
        Self {
            set_snapshot: false,
            deadlock_detect: false,
            lock_timeout: -1,
            expiration: -1,
            deadlock_detect_depth: 50,
            max_write_batch_size: 0,
            skip_prepare: true,
        }
    }
}

/// How one optimistic transaction works.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptimisticTransactionOptions {
    /// Take a snapshot when it begins.
    pub set_snapshot: bool,
}
