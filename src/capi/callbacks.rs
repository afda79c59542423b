//! C function pointers as the hooks' traits: comparators, merge operators, compaction filters and
//! prefix extractors.
//!
//! Who ends what (the rule of `docs/ownership.md`):
//!
//! - Merge operators, filter factories and prefix extractors are **owned** by the options that they
//!   are set on. C's pointer is the pointer of an `Arc`; the first setter takes over the count that C
//!   held, each later one adds its own. So the destructor runs when the last options object, copy or
//!   store lets go, once, and setting the same object twice is harmless.
//! - Comparators and single compaction filters are **borrowed**: C destroys them after the last store
//!   that uses them was closed, and the destructor runs at that moment. What still points to one
//!   then finds it marked as gone and never calls into freed state.
//!
//! Callbacks run on any thread, never under a lock of the store. A null callback means "not
//! interested" where that makes sense, else failure.

use super::ffi::{self, give, live};
use super::types::{
    rocksdb_compactionfilter_t, rocksdb_compactionfiltercontext_t,
    rocksdb_compactionfilterfactory_t, rocksdb_comparator_t, rocksdb_filterpolicy_t,
    rocksdb_mergeoperator_t, rocksdb_slicetransform_t,
};
use crate::base::Comparator;
use crate::base::prefix::{FixedPrefix, Noop, SliceTransform};
use crate::filter::FilterPolicy;
use crate::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, Decision, MergeOperator,
};
use std::cmp::Ordering;
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

type Destructor = Option<unsafe extern "C" fn(state: *mut c_void)>;
type Name = Option<unsafe extern "C" fn(state: *mut c_void) -> *const c_char>;

/// A C object's state with its destructor, which runs once: at `end` or when this is dropped.
#[derive(Debug)]
struct State {
    pointer: *mut c_void,
    destructor: Destructor,
    gone: AtomicBool,
}

// SAFETY: the header says that callbacks may be called from any thread, also at the same time, so the
// C side must have made its state fit for that; we only carry the pointer.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}

impl State {
    fn new(pointer: *mut c_void, destructor: Destructor) -> Self {
        Self { pointer, destructor, gone: AtomicBool::new(false) }
    }

    fn is_gone(&self) -> bool {
        self.gone.load(SeqCst)
    }

    /// Calls the destructor, unless that was done.
    fn end(&self) {
        if !self.gone.swap(true, SeqCst)
            && let Some(destructor) = self.destructor
        {
            // SAFETY: the C side gave the two to each other; the swap makes this the only call.
            unsafe { destructor(self.pointer) };
        }
    }

    /// Asks for the name; it is copied, so that it outlives the state.
    fn name(&self, name: Name) -> String {
        let Some(name) = name else { return String::new() };
        // SAFETY: the C side gave the two to each other.
        let text = unsafe { name(self.pointer) };
        // SAFETY: a name callback returns a C string.
        String::from_utf8_lossy(unsafe { ffi::c_bytes(text) }).into_owned()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.end();
    }
}

/// A C object that becomes the property of options. C's pointer is that of an `Arc` of this.
#[derive(Debug)]
pub(super) struct Owned<T> {
    value: Arc<T>,
    handed_over: AtomicBool,
}

impl<T> Owned<T> {
    /// Hands a fresh one to C, which holds one count.
    pub(super) fn give(value: T) -> *mut Self {
        let owned = Self { value: Arc::new(value), handed_over: AtomicBool::new(false) };
        Arc::into_raw(Arc::new(owned)).cast_mut()
    }
}

/// What options keep of an owned object: the object, and C's handle for as long as it lives.
#[derive(Debug)]
struct Kept<T>(Arc<Owned<T>>);

/// Takes over, or shares, the object that C sets on options; null is none.
///
/// # Safety
/// `pointer` is null or came from `Owned::give` and was not destroyed.
unsafe fn adopt<T>(pointer: *mut Owned<T>) -> Option<Kept<T>> {
    // SAFETY: the caller's promise.
    let owned = unsafe { pointer.as_ref() }?;
    if owned.handed_over.swap(true, SeqCst) {
        // SAFETY: C's count was taken over by options that still live, or C would be using a
        // destroyed object, which the caller's promise rules out.
        unsafe { Arc::increment_strong_count(pointer.cast_const()) };
    }
    // SAFETY: the count is C's own, or the one just added.
    Some(Kept(unsafe { Arc::from_raw(pointer.cast_const()) }))
}

/// Destroys an object that C owns; one that was handed over is left to its owners.
///
/// # Safety
/// As `adopt`.
unsafe fn disown<T>(pointer: *mut Owned<T>) {
    // SAFETY: the caller's promise.
    let owned = unsafe { pointer.as_ref() };
    if owned.is_some_and(|o| !o.handed_over.load(SeqCst)) {
        // SAFETY: C held this count and gives it up now.
        drop(unsafe { Arc::from_raw(pointer.cast_const()) });
    }
}

// ---- filter policies, which are ours but handed over in the same way

/// Hands a filter policy to C.
pub(super) fn give_policy(policy: Arc<FilterPolicy>) -> *mut rocksdb_filterpolicy_t {
    Owned::give(policy).cast()
}

/// A policy as options keep it.
#[derive(Clone)]
pub(super) struct KeptPolicy(Arc<Kept<Arc<FilterPolicy>>>);

impl KeptPolicy {
    /// The policy itself.
    pub(super) fn policy(&self) -> Arc<FilterPolicy> {
        Arc::clone(&self.0.0.value)
    }
}

/// The policy that C sets on options.
///
/// # Safety
/// As `adopt`.
pub(super) unsafe fn filter_policy(pointer: *mut rocksdb_filterpolicy_t) -> Option<KeptPolicy> {
    // SAFETY: the caller's promise.
    let kept = unsafe { adopt(pointer.cast::<Owned<Arc<FilterPolicy>>>()) }?;
    Some(KeptPolicy(Arc::new(kept)))
}

/// Destroys a filter policy that was never set on options.
///
/// # Safety
/// `policy` is null or live, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_destroy(policy: *mut rocksdb_filterpolicy_t) {
    // SAFETY: the promise of the entry point.
    unsafe { disown(policy.cast::<Owned<Arc<FilterPolicy>>>()) };
}

// ---- comparators

type Compare = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        a: *const c_char,
        alen: usize,
        b: *const c_char,
        blen: usize,
    ) -> c_int,
>;

/// An order of keys given by C.
#[derive(Debug)]
pub(super) struct CComparator {
    state: State,
    compare: Compare,
    name: String,
    timestamp_size: usize,
}

impl Comparator for CComparator {
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let Some(compare) = self.compare.filter(|_| !self.state.is_gone()) else { return a.cmp(b) };
        let (pa, pb) = (a.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: the C side gave function and state to each other; the slices are readable.
        unsafe { compare(self.state.pointer, pa, a.len(), pb, b.len()) }.cmp(&0)
    }
    fn name(&self) -> &str {
        &self.name
    }
    fn timestamp_size(&self) -> usize {
        self.timestamp_size
    }
}

/// Makes an order of keys. The name is bound to each store that is made with it.
///
/// # Safety
/// `name` returns a C string; the callbacks accept `state` from any thread until it is destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(state: *mut c_void)>,
    compare: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            a: *const c_char,
            alen: usize,
            b: *const c_char,
            blen: usize,
        ) -> c_int,
    >,
    name: Option<unsafe extern "C" fn(state: *mut c_void) -> *const c_char>,
) -> *mut rocksdb_comparator_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    give(rocksdb_comparator_t(Arc::new(CComparator { state, compare, name, timestamp_size: 0 })))
}

/// Makes an order of keys that end in a timestamp. A store that is opened with it is refused: user
/// timestamps are not served.
///
/// # Safety
/// As `rocksdb_comparator_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_with_ts_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(state: *mut c_void)>,
    compare: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            a: *const c_char,
            alen: usize,
            b: *const c_char,
            blen: usize,
        ) -> c_int,
    >,
    compare_ts: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            a_ts: *const c_char,
            a_tslen: usize,
            b_ts: *const c_char,
            b_tslen: usize,
        ) -> c_int,
    >,
    compare_without_ts: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            a: *const c_char,
            alen: usize,
            a_has_ts: c_uchar,
            b: *const c_char,
            blen: usize,
            b_has_ts: c_uchar,
        ) -> c_int,
    >,
    name: Option<unsafe extern "C" fn(state: *mut c_void) -> *const c_char>,
    timestamp_size: usize,
) -> *mut rocksdb_comparator_t {
    // Nothing will be compared: the open is refused.
    let _ = (compare_ts, compare_without_ts);
    let state = State::new(state, destructor);
    let name = state.name(name);
    give(rocksdb_comparator_t(Arc::new(CComparator { state, compare, name, timestamp_size })))
}

/// Destroys an order of keys, after the last store that uses it was closed.
///
/// # Safety
/// `cmp` is null, or live and never used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_destroy(cmp: *mut rocksdb_comparator_t) {
    // SAFETY: the promise of the entry point.
    if let Some(cmp) = unsafe { ffi::take(cmp) } {
        cmp.0.state.end();
    }
}

// ---- merge operators

type FullMerge = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        key: *const c_char,
        key_length: usize,
        existing_value: *const c_char,
        existing_value_length: usize,
        operands_list: *const *const c_char,
        operands_list_length: *const usize,
        num_operands: c_int,
        success: *mut c_uchar,
        new_value_length: *mut usize,
    ) -> *mut c_char,
>;

type PartialMerge = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        key: *const c_char,
        key_length: usize,
        operands_list: *const *const c_char,
        operands_list_length: *const usize,
        num_operands: c_int,
        success: *mut c_uchar,
        new_value_length: *mut usize,
    ) -> *mut c_char,
>;

type DeleteValue =
    Option<unsafe extern "C" fn(state: *mut c_void, value: *const c_char, value_length: usize)>;

/// A merge operator given by C.
#[derive(Debug)]
pub(super) struct CMerge {
    state: State,
    full_merge: FullMerge,
    partial_merge: PartialMerge,
    delete_value: DeleteValue,
    name: String,
}

/// Operands as the two arrays that C wants.
fn arrays(operands: &[&[u8]]) -> (Vec<*const c_char>, Vec<usize>, c_int) {
    let count = c_int::try_from(operands.len()).unwrap_or(c_int::MAX);
    (
        operands.iter().map(|o| o.as_ptr().cast()).collect(),
        operands.iter().map(|o| o.len()).collect(),
        count,
    )
}

impl CMerge {
    /// Copies the result of a callback, and frees it as the header says.
    fn collect(&self, value: *mut c_char, len: usize, success: c_uchar) -> Option<Vec<u8>> {
        // SAFETY: a merge callback returns null or so many bytes.
        let result = (success != 0).then(|| unsafe { ffi::slice(value, len) }.to_vec());
        match self.delete_value {
            // SAFETY: the C side gave function and state to each other, and the value came from it.
            Some(delete) => unsafe { delete(self.state.pointer, value, len) },
            // SAFETY: without that callback, values are malloc'ed or null.
            None => unsafe { libc::free(value.cast()) },
        }
        result
    }
}

impl MergeOperator for Kept<CMerge> {
    fn name(&self) -> &str {
        &self.0.value.name
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let merge = &*self.0.value;
        let full_merge = merge.full_merge?;
        let (pointers, lengths, count) = arrays(operands);
        let (mut success, mut len) = (0, 0);
        // SAFETY: the C side gave function and state to each other; everything else is ours and
        // lives through the call.
        let value = unsafe {
            full_merge(
                merge.state.pointer,
                key.as_ptr().cast(),
                key.len(),
                existing.map_or(std::ptr::null(), |e| e.as_ptr().cast()),
                existing.map_or(0, <[u8]>::len),
                pointers.as_ptr(),
                lengths.as_ptr(),
                count,
                &raw mut success,
                &raw mut len,
            )
        };
        merge.collect(value, len, success)
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        let merge = &*self.0.value;
        let partial_merge = merge.partial_merge?;
        let (pointers, lengths, count) = arrays(operands);
        let (mut success, mut len) = (0, 0);
        // SAFETY: as in `full_merge`.
        let value = unsafe {
            partial_merge(
                merge.state.pointer,
                key.as_ptr().cast(),
                key.len(),
                pointers.as_ptr(),
                lengths.as_ptr(),
                count,
                &raw mut success,
                &raw mut len,
            )
        };
        merge.collect(value, len, success)
    }
}

/// Makes a merge operator. `full_merge` gets a null existing value when there is none; results are
/// copied and given to `delete_value`, or to free when that is null. `partial_merge` may be null.
///
/// # Safety
/// As `rocksdb_comparator_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_mergeoperator_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(state: *mut c_void)>,
    full_merge: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            key: *const c_char,
            key_length: usize,
            existing_value: *const c_char,
            existing_value_length: usize,
            operands_list: *const *const c_char,
            operands_list_length: *const usize,
            num_operands: c_int,
            success: *mut c_uchar,
            new_value_length: *mut usize,
        ) -> *mut c_char,
    >,
    partial_merge: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            key: *const c_char,
            key_length: usize,
            operands_list: *const *const c_char,
            operands_list_length: *const usize,
            num_operands: c_int,
            success: *mut c_uchar,
            new_value_length: *mut usize,
        ) -> *mut c_char,
    >,
    delete_value: Option<
        unsafe extern "C" fn(state: *mut c_void, value: *const c_char, value_length: usize),
    >,
    name: Option<unsafe extern "C" fn(state: *mut c_void) -> *const c_char>,
) -> *mut rocksdb_mergeoperator_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    let merge = CMerge { state, full_merge, partial_merge, delete_value, name };
    Owned::give(merge).cast()
}

/// Destroys a merge operator that was never set on options.
///
/// # Safety
/// `mergeoperator` is null or live, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_mergeoperator_destroy(
    mergeoperator: *mut rocksdb_mergeoperator_t,
) {
    // SAFETY: the promise of the entry point.
    unsafe { disown(mergeoperator.cast::<Owned<CMerge>>()) };
}

/// The merge operator that C sets on options.
///
/// # Safety
/// As `adopt`.
pub(super) unsafe fn merge_operator(
    pointer: *mut rocksdb_mergeoperator_t,
) -> Option<Arc<dyn MergeOperator>> {
    // SAFETY: the caller's promise.
    let kept = unsafe { adopt(pointer.cast::<Owned<CMerge>>()) }?;
    Some(Arc::new(kept))
}

// ---- compaction filters

type Filter = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        level: c_int,
        key: *const c_char,
        key_length: usize,
        existing_value: *const c_char,
        value_length: usize,
        new_value: *mut *mut c_char,
        new_value_length: *mut usize,
        value_changed: *mut c_uchar,
    ) -> c_uchar,
>;

/// A compaction filter given by C.
#[derive(Debug)]
pub(super) struct CFilter {
    state: State,
    filter: Filter,
    name: String,
    ignore_snapshots: AtomicBool,
}

impl CompactionFilter for CFilter {
    fn name(&self) -> &str {
        &self.name
    }

    fn filter(&self, level: i32, key: &[u8], value: &[u8]) -> Decision {
        let Some(filter) = self.filter.filter(|_| !self.state.is_gone()) else {
            return Decision::Keep;
        };
        let (mut new_value, mut new_len, mut changed) = (std::ptr::null_mut(), 0, 0);
        // SAFETY: the C side gave function and state to each other; everything else is ours and
        // lives through the call.
        let drop_it = unsafe {
            filter(
                self.state.pointer,
                level,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                &raw mut new_value,
                &raw mut new_len,
                &raw mut changed,
            )
        };
        match (drop_it, changed) {
            (0, 0) => Decision::Keep,
            // SAFETY: the callback put so many bytes there; they stay the C side's.
            (0, _) => Decision::Change(unsafe { ffi::slice(new_value, new_len) }.to_vec()),
            _ => Decision::Remove,
        }
    }

    fn ignore_snapshots(&self) -> bool {
        self.ignore_snapshots.load(SeqCst)
    }
}

/// A shared compaction filter, as a hook that is owned.
struct FilterHandle(Arc<CFilter>);

impl CompactionFilter for FilterHandle {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn filter(&self, level: i32, key: &[u8], value: &[u8]) -> Decision {
        self.0.filter(level, key, value)
    }
    fn ignore_snapshots(&self) -> bool {
        self.0.ignore_snapshots()
    }
}

/// Makes a compaction filter. The callback drops a key by returning non-zero; a new value is copied
/// and never freed.
///
/// # Safety
/// As `rocksdb_comparator_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(state: *mut c_void)>,
    filter: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            level: c_int,
            key: *const c_char,
            key_length: usize,
            existing_value: *const c_char,
            value_length: usize,
            new_value: *mut *mut c_char,
            new_value_length: *mut usize,
            value_changed: *mut c_uchar,
        ) -> c_uchar,
    >,
    name: Option<unsafe extern "C" fn(state: *mut c_void) -> *const c_char>,
) -> *mut rocksdb_compactionfilter_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    let ignore_snapshots = AtomicBool::new(true);
    give(rocksdb_compactionfilter_t(Arc::new(CFilter { state, filter, name, ignore_snapshots })))
}

/// Sets whether the filter may drop what a snapshot sees. Compactions with 0 fail, as in RocksDB.
///
/// # Safety
/// `filter` is null or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_set_ignore_snapshots(
    filter: *mut rocksdb_compactionfilter_t,
    ignore: c_uchar,
) {
    live!(filter);
    filter.0.ignore_snapshots.store(ignore != 0, SeqCst);
}

/// Destroys a compaction filter, after the last store that uses it was closed.
///
/// # Safety
/// `filter` is null, or live and never used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_destroy(filter: *mut rocksdb_compactionfilter_t) {
    // SAFETY: the promise of the entry point.
    if let Some(filter) = unsafe { ffi::take(filter) } {
        filter.0.state.end();
    }
}

/// Are all files of the family inputs?
///
/// # Safety
/// `context` is what a factory's callback got, during that callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfiltercontext_is_full_compaction(
    context: *mut rocksdb_compactionfiltercontext_t,
) -> c_uchar {
    live!(context);
    context.0.is_full_compaction.into()
}

/// Did a user ask for this compaction?
///
/// # Safety
/// As `rocksdb_compactionfiltercontext_is_full_compaction`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfiltercontext_is_manual_compaction(
    context: *mut rocksdb_compactionfiltercontext_t,
) -> c_uchar {
    live!(context);
    context.0.is_manual_compaction.into()
}

type CreateFilter = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        context: *mut rocksdb_compactionfiltercontext_t,
    ) -> *mut rocksdb_compactionfilter_t,
>;

/// A filter factory given by C.
#[derive(Debug)]
pub(super) struct CFilterFactory {
    state: State,
    create: CreateFilter,
    name: String,
}

impl CompactionFilterFactory for Kept<CFilterFactory> {
    fn name(&self) -> &str {
        &self.0.value.name
    }

    fn create(&self, context: CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        let factory = &*self.0.value;
        let create = factory.create?;
        let mut context = rocksdb_compactionfiltercontext_t(context);
        // SAFETY: the C side gave function and state to each other; the context lives through the
        // call.
        let filter = unsafe { create(factory.state.pointer, &raw mut context) };
        // SAFETY: the callback made it with `rocksdb_compactionfilter_create` and gives it away.
        let filter = unsafe { ffi::take(filter) }?;
        // The last holder of the `Arc` runs the destructor, at the end of the compaction.
        Some(Box::new(FilterHandle(filter.0)))
    }
}

/// Makes a factory of compaction filters. A filter that it makes belongs to one compaction, which
/// destroys it.
///
/// # Safety
/// As `rocksdb_comparator_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilterfactory_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(state: *mut c_void)>,
    create_compaction_filter: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            context: *mut rocksdb_compactionfiltercontext_t,
        ) -> *mut rocksdb_compactionfilter_t,
    >,
    name: Option<unsafe extern "C" fn(state: *mut c_void) -> *const c_char>,
) -> *mut rocksdb_compactionfilterfactory_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    Owned::give(CFilterFactory { state, create: create_compaction_filter, name }).cast()
}

/// Destroys a factory that was never set on options.
///
/// # Safety
/// `factory` is null or live, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilterfactory_destroy(
    factory: *mut rocksdb_compactionfilterfactory_t,
) {
    // SAFETY: the promise of the entry point.
    unsafe { disown(factory.cast::<Owned<CFilterFactory>>()) };
}

/// The factory that C sets on options.
///
/// # Safety
/// As `adopt`.
pub(super) unsafe fn filter_factory(
    pointer: *mut rocksdb_compactionfilterfactory_t,
) -> Option<Arc<dyn CompactionFilterFactory>> {
    // SAFETY: the caller's promise.
    let kept = unsafe { adopt(pointer.cast::<Owned<CFilterFactory>>()) }?;
    Some(Arc::new(kept))
}

// ---- prefix extractors

type Transform = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        key: *const c_char,
        length: usize,
        dst_length: *mut usize,
    ) -> *mut c_char,
>;

type InDomain =
    Option<unsafe extern "C" fn(state: *mut c_void, key: *const c_char, length: usize) -> c_uchar>;

/// A prefix extractor: C's own or one of ours.
pub(super) enum CTransform {
    /// Given by C.
    Custom(CustomTransform),
    /// Ours.
    Ours(Box<dyn SliceTransform>),
}

/// A prefix extractor given by C.
#[derive(Debug)]
pub(super) struct CustomTransform {
    state: State,
    transform: Transform,
    in_domain: InDomain,
    name: String,
}

impl SliceTransform for Kept<CTransform> {
    fn name(&self) -> &str {
        match &*self.0.value {
            CTransform::Custom(custom) => &custom.name,
            CTransform::Ours(ours) => ours.name(),
        }
    }

    fn in_domain(&self, key: &[u8]) -> bool {
        match &*self.0.value {
            CTransform::Ours(ours) => ours.in_domain(key),
            CTransform::Custom(custom) => {
                // Without the callback, or without a transform, no key has a prefix.
                let (Some(in_domain), Some(_)) = (custom.in_domain, custom.transform) else {
                    return false;
                };
                // SAFETY: the C side gave function and state to each other; the key is readable.
                unsafe { in_domain(custom.state.pointer, key.as_ptr().cast(), key.len()) != 0 }
            }
        }
    }

    fn with_prefix(&self, key: &[u8], f: &mut dyn FnMut(&[u8])) {
        match &*self.0.value {
            CTransform::Ours(ours) => ours.with_prefix(key, f),
            CTransform::Custom(custom) => {
                let Some(transform) = custom.transform else { return f(&[]) };
                let mut len = 0;
                // SAFETY: the C side gave function and state to each other; the key is readable.
                let prefix = unsafe {
                    transform(custom.state.pointer, key.as_ptr().cast(), key.len(), &raw mut len)
                };
                // SAFETY: the callback returned so many bytes; they stay the C side's.
                f(unsafe { ffi::slice(prefix, len) });
            }
        }
    }
}

/// Makes a prefix extractor. What `transform` returns is not freed; `in_range` is never called.
///
/// # Safety
/// As `rocksdb_comparator_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(state: *mut c_void)>,
    transform: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            key: *const c_char,
            length: usize,
            dst_length: *mut usize,
        ) -> *mut c_char,
    >,
    in_domain: Option<
        unsafe extern "C" fn(state: *mut c_void, key: *const c_char, length: usize) -> c_uchar,
    >,
    in_range: Option<
        unsafe extern "C" fn(state: *mut c_void, key: *const c_char, length: usize) -> c_uchar,
    >,
    name: Option<unsafe extern "C" fn(state: *mut c_void) -> *const c_char>,
) -> *mut rocksdb_slicetransform_t {
    let _ = in_range;
    let state = State::new(state, destructor);
    let name = state.name(name);
    let custom = CustomTransform { state, transform, in_domain, name };
    Owned::give(CTransform::Custom(custom)).cast()
}

/// Makes the extractor of the first `len` bytes; shorter keys have no prefix.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_slicetransform_create_fixed_prefix(
    len: usize,
) -> *mut rocksdb_slicetransform_t {
    Owned::give(CTransform::Ours(Box::new(FixedPrefix::new(len)))).cast()
}

/// Makes the extractor whose prefix is the whole key.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_slicetransform_create_noop() -> *mut rocksdb_slicetransform_t {
    Owned::give(CTransform::Ours(Box::new(Noop))).cast()
}

/// Destroys an extractor that was never set on options.
///
/// # Safety
/// `transform` is null or live, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_destroy(transform: *mut rocksdb_slicetransform_t) {
    // SAFETY: the promise of the entry point.
    unsafe { disown(transform.cast::<Owned<CTransform>>()) };
}

/// The extractor that C sets on options.
///
/// # Safety
/// As `adopt`.
pub(super) unsafe fn slice_transform(
    pointer: *mut rocksdb_slicetransform_t,
) -> Option<Arc<dyn SliceTransform>> {
    // SAFETY: the caller's promise.
    let kept = unsafe { adopt(pointer.cast::<Owned<CTransform>>()) }?;
    Some(Arc::new(kept))
}
