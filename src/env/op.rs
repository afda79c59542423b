//! What one can ask of a file system, as a value: for counting and for plans of faults.
#![forbid(unsafe_code)]

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A kind of call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op {
            $($(#[$doc])* $name,)*
        }

        impl Op {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word for it in plans and reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

ops! {
    /// Opening for reading.
    Open = "open",
    /// Reading.
    Read = "read",
    /// Making a file to write.
    Create = "create",
    /// Opening a file to append to it.
    Reopen = "reopen",
    /// Writing.
    Append = "append",
    /// fdatasync or fsync.
    Sync = "sync",
    /// Starting to write out.
    RangeSync = "range_sync",
    /// Cutting a file.
    Truncate = "truncate",
    /// Reserving space.
    Allocate = "allocate",
    /// Closing a written file.
    Close = "close",
    /// Renaming.
    Rename = "rename",
    /// Linking.
    Link = "link",
    /// Removing a file.
    Remove = "remove",
    /// Asking for existence, size or time.
    Stat = "stat",
    /// Listing a folder.
    List = "list",
    /// Making folders.
    CreateDir = "create_dir",
    /// Removing a folder.
    RemoveDir = "remove_dir",
    /// Making names durable.
    SyncDir = "sync_dir",
    /// Taking a lock.
    Lock = "lock",
}

impl Op {
    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }
}
