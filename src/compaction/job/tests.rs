//! A store in small: random writes become level-0 files, picks are carried out, and every snapshot
//! must see the same all the time.

use super::*;
use crate::base::comparator::bytewise;
use crate::base::key::{self, Kind, MAX_SEQUENCE};
use crate::base::rng::Rng;
use crate::compaction::pick::InProgress;
use crate::compaction::picker::{self, leveled};
use crate::compaction::stream::tests::{
    Entry, Join, VecIter, World, random_history, runs, visible, world,
};
use crate::env::fault::FaultFs;
use crate::env::memory::MemoryEnv;
use crate::env::{FileSystem, ReadMode};
use crate::hooks::{CompactionFilter, Decision};
use crate::options::{CompactionPri, CompactionStyle, Compression, TableOptions};
use crate::version::builder;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};

struct Store {
    env: MemoryEnv,
    faults: Arc<FaultFs>,
    tables: Arc<TableCache>,
    settings: TableSettings,
    options: CfOptions,
    version: Arc<Version>,
    snapshots: Vec<Sequence>,
    number: AtomicU64,
    epoch: u64,
    go_on: Option<GoOn>,
}

impl Store {
    fn new(options: CfOptions) -> Self {
        let env = MemoryEnv::new(1);
        env.fs.create_dir_all(Path::new("/db")).unwrap();
        let faults = Arc::new(FaultFs::new(Arc::clone(&env.env.fs)));
        let order = InternalComparator::new(bytewise());
        let table = TableOptions { block_size: 64, ..TableOptions::default() };
        let settings = TableSettings {
            order: order.clone(),
            options: Arc::new(table),
            cache: None,
            prefix_extractor: None,
        };
        let fs: Arc<dyn FileSystem> = faults.clone();
        Self {
            tables: Arc::new(TableCache::new(fs, ReadMode::default(), -1, None)),
            env,
            faults,
            settings,
            version: Arc::new(Version::empty(order, options.num_levels as usize)),
            options,
            snapshots: Vec::new(),
            number: AtomicU64::new(1),
            epoch: 1,
            go_on: None,
        }
    }

    fn build(&self) -> BuildOptions {
        BuildOptions {
            compression: Compression::None,
            db_id: "store".to_owned(),
            db_session_id: "ABCDEFGHIJKLMNOPQRST".to_owned(),
            ..BuildOptions::new(self.settings.order.clone(), Arc::clone(&self.settings.options))
        }
    }

    fn apply(&mut self, edit: VersionEdit) {
        self.version = Arc::new(builder::apply(&self.version, &[edit]).unwrap());
    }

    /// What a flush does.
    fn flush(&mut self, memory: &World) {
        let order = self.settings.order.clone();
        let fragments = Arc::new(Fragments::build(memory.tombstones.clone(), &**order.user()));
        let mut covering = RangeDeletions::new(order.clone());
        covering.add(Arc::clone(&fragments), None);
        let options = StreamOptions {
            snapshots: self.snapshots.clone(),
            merge_operator: self.options.merge_operator.clone(),
            covers: Some(Box::new(move |k: &ParsedKey<'_>, s| covering.covers(k, s))),
            ..StreamOptions::new(order.clone())
        };
        let mut stream = CompactionStream::new(VecIter::boxed(memory.points.clone()), options);
        let survivors = stream::surviving(&fragments, &order, &self.snapshots, |_, _| true);
        let output = OutputOptions {
            fs: self.faults.clone(),
            write_mode: WriteMode::default(),
            limiter: None,
            build: self.build(),
            level: 0,
            folder: (0, "/db".into()),
            max_file_size: u64::MAX,
            grandparents: Vec::new(),
            max_grandparent_overlap: u64::MAX,
            epoch: self.epoch,
        };
        let new_number = || self.number.fetch_add(1, Atomic::Relaxed);
        let mut outputs = Outputs::new(output, survivors, &new_number);
        while stream.advance().unwrap() {
            outputs.add(stream.key(), stream.value()).unwrap();
        }
        let new_files = outputs.finish().unwrap().into_iter().map(|o| (0, o.entry)).collect();
        drop(outputs);
        self.epoch += 1;
        self.apply(VersionEdit { new_files, ..VersionEdit::default() });
    }

    fn run(&self, pick: &Pick) -> Result<JobResult> {
        let new_number = || self.number.fetch_add(1, Atomic::Relaxed);
        let context = JobContext {
            fs: self.faults.clone(),
            clock: Arc::clone(&self.env.env.clock),
            tables: Arc::clone(&self.tables),
            settings: self.settings.clone(),
            options: Arc::new(self.options.clone()),
            db_options: Arc::new(DbOptions::default()),
            version: Arc::clone(&self.version),
            snapshots: self.snapshots.clone(),
            build: self.build(),
            folders: vec![("/db".into(), u64::MAX)],
            output_path_id: 0,
            new_number: &new_number,
            go_on: self.go_on.clone(),
        };
        run(&context, pick)
    }

    fn compact(&mut self, pick: &Pick) -> JobResult {
        let result = self.run(pick).unwrap_or_else(|e| panic!("{e} in {pick:?}"));
        self.apply(result.edit.clone());
        result
    }

    fn table(&self, level: usize, file: &FileMeta) -> Arc<Table> {
        let id = TableId {
            number: file.number(),
            size: file.size(),
            path: Path::new("/db").join(crate::format::name::table(file.number())),
            largest_sequence: file.entry.largest_sequence,
            level: number_of(level),
        };
        self.tables.get(&id, &self.settings).unwrap()
    }

    /// All that the files hold, newest layer first; checks that they keep to their bounds.
    fn layers(&self) -> Vec<World> {
        let order = &self.settings.order;
        let mut layers = Vec::new();
        for (level, file) in self.version.all_files() {
            let table = self.table(level, file);
            let mut w =
                World { points: vec![], tombstones: table.tombstones().tombstones().to_vec() };
            let mut iter = table.iter(&ReadOptions::default(), IterPurpose::User);
            iter.seek_to_first();
            while iter.valid() {
                w.points.push((iter.key().to_vec(), iter.value().to_vec()));
                iter.next();
            }
            iter.status().unwrap();
            let bounds =
                w.points.iter().map(|p| p.0.clone()).chain(w.tombstones.iter().flat_map(|t| {
                    [
                        key::internal(&t.begin, t.sequence, Kind::RangeDeletion),
                        key::internal(&t.end, MAX_SEQUENCE, Kind::RangeDeletion),
                    ]
                }));
            let (mut smallest, mut largest) =
                (file.entry.largest.clone(), file.entry.smallest.clone());
            for bound in bounds {
                if order.compare(&bound, &smallest).is_lt() {
                    smallest = bound.clone();
                }
                if order.compare(&bound, &largest).is_gt() {
                    largest = bound;
                }
            }
            assert_eq!((&smallest, &largest), (&file.entry.smallest, &file.entry.largest));
            assert!(file.entry.epoch > 0 && file.entry.unique_id.is_some());
            layers.push(w);
        }
        layers
    }

    fn check(&self, history: &[(Sequence, Entry)], last: Sequence, what: &str) {
        let truth = world(history, 1, last);
        let layers = self.layers();
        let layers: Vec<&World> = layers.iter().collect();
        for k in b'a'..=b'z' {
            for &s in self.snapshots.iter().chain([&MAX_SEQUENCE]) {
                let should = visible(&[&truth], &[k], s);
                let is = visible(&layers, &[k], s);
                assert_eq!(should, is, "{what}: {} at {s}, {:?}", k as char, self.snapshots);
            }
        }
    }

    fn tables_on_disk(&self) -> usize {
        self.env.fs.list(Path::new("/db")).unwrap().len()
    }
}

fn options() -> CfOptions {
    CfOptions {
        merge_operator: Some(Arc::new(Join { partial: true, fails: false })),
        max_bytes_for_level_base: 3000,
        max_bytes_for_level_multiplier: 2.0,
        target_file_size_base: 1200,
        level0_file_num_compaction_trigger: 2,
        level_compaction_dynamic_level_bytes: false,
        ..CfOptions::default()
    }
}

#[test]
fn every_snapshot_sees_the_same_whatever_is_compacted() {
    for seed in 0..runs(8) {
        let mut rng = Rng::new(seed);
        let mut o = options();
        o.compaction_style = match rng.below(4) {
            0 => CompactionStyle::Universal,
            _ => CompactionStyle::Level,
        };
        o.level_compaction_dynamic_level_bytes = rng.one_in(2);
        o.compaction_pri = CompactionPri::from_number(rng.below(5) as i32).unwrap();
        o.max_compaction_bytes = if rng.one_in(2) { 3000 } else { 0 };
        o.paranoid_file_checks = rng.one_in(2);
        let mut store = Store::new(o);
        let history = random_history(&mut rng, 400, 20, false);
        let mut last = 0;
        while last < 400 {
            let next = (last + 10 + rng.below(30)).min(400);
            store.flush(&world(&history, last + 1, next));
            last = next;
            if rng.one_in(2) {
                store.snapshots.push(last);
            }
            store.snapshots.retain(|_| !rng.one_in(4));
            store.check(&history, last, &format!("seed {seed} flush {last}"));
            let running = InProgress::default();
            for _ in 0..rng.below(4) {
                let Some(pick) = picker::pick(&store.version, &store.options, &running) else {
                    break;
                };
                let result = store.compact(&pick);
                let what = format!("seed {seed} after {last} {pick:?}");
                assert!(result.counts.input >= result.counts.output);
                store.check(&history, last, &what);
            }
            if rng.one_in(6) {
                let level = rng.below(6) as usize;
                let output = if rng.one_in(3) { level.max(1) } else { level + 1 };
                let (a, b) = ([b'a' + rng.below(20) as u8], [b'a' + rng.below(26) as u8]);
                let range = KeyRange { begin: Some(&a), end: Some(&b) };
                let level = if output == level { level } else { level.min(output) };
                let manual = leveled::Manual {
                    level,
                    output_level: output,
                    range,
                    ignore_from_number: None,
                };
                let picked = leveled::pick_range(&store.version, &store.options, &running, &manual);
                if let leveled::RangePick::Pick(pick) = picked {
                    store.compact(&pick);
                    store.check(&history, last, &format!("seed {seed} manual {pick:?}"));
                }
            }
        }
        // In the end all falls together.
        store.snapshots.clear();
        let numbers: Vec<u64> = store.version.all_files().map(|(_, f)| f.number()).collect();
        let bottom = store.version.num_levels() - 1;
        let running = InProgress::default();
        let pick = leveled::pick_files(&store.version, &store.options, &running, &numbers, bottom)
            .unwrap();
        assert!(pick.bottommost && pick.is_full);
        store.compact(&pick);
        store.check(&history, last, &format!("seed {seed} all"));
        for w in store.layers() {
            assert_eq!(w.tombstones, []);
            for (internal, _) in &w.points {
                assert_eq!(
                    key::tag(internal),
                    Kind::Value as u64,
                    "seed {seed}: number 0, a value"
                );
            }
        }
    }
}

fn full_pick(store: &Store) -> Pick {
    let numbers: Vec<u64> = store.version.all_files().map(|(_, f)| f.number()).collect();
    let running = InProgress::default();
    leveled::pick_files(&store.version, &store.options, &running, &numbers, 6).unwrap()
}

fn filled() -> (Store, Vec<(Sequence, Entry)>) {
    let mut store = Store::new(options());
    let history = random_history(&mut Rng::new(7), 300, 20, false);
    for part in 0..3 {
        store.flush(&world(&history, part * 100 + 1, part * 100 + 100));
    }
    (store, history)
}

#[test]
fn a_failure_leaves_no_file_behind() {
    for plan in ["append *.sst: EIO", "sync *.sst: EIO", "create *.sst: EIO", "sync_dir *: EIO"] {
        let (store, history) = filled();
        let pick = full_pick(&store);
        let before = store.tables_on_disk();
        store.faults.plan(plan);
        let error = store.run(&pick).unwrap_err();
        store.faults.lift_all();
        assert_eq!(store.tables_on_disk(), before, "{plan}: {error}");
        store.check(&history, 300, plan);
        assert!(!store.run(&pick).unwrap().outputs.is_empty());
    }
}

#[test]
fn a_job_stops_when_told_to() {
    let (mut store, _) = filled();
    let pick = full_pick(&store);
    let before = store.tables_on_disk();
    store.go_on = Some(Arc::new(|| Err(Error::shutdown("closing"))));
    let error = store.run(&pick).unwrap_err();
    assert_eq!(error.kind(), crate::base::ErrorKind::ShutdownInProgress);
    assert_eq!(store.tables_on_disk(), before);
}

#[test]
fn moves_and_drops_write_nothing() {
    let (store, _) = filled();
    let mut pick = full_pick(&store);
    let before = store.tables_on_disk();
    pick.trivial_move = true;
    let result = store.run(&pick).unwrap();
    assert!(result.moved);
    assert_eq!((result.edit.deleted_files.len(), result.edit.new_files.len()), (3, 3));
    assert!(result.edit.new_files.iter().all(|(level, _)| *level == 6));
    pick.deletion_only = true;
    let result = store.run(&pick).unwrap();
    assert_eq!((result.edit.deleted_files.len(), result.edit.new_files.len()), (3, 0));
    assert_eq!(store.tables_on_disk(), before);
}

struct All(bool);

impl CompactionFilter for All {
    fn name(&self) -> &str {
        "all"
    }
    fn filter(&self, _: i32, _: &[u8], _: &[u8]) -> Decision {
        Decision::Remove
    }
    fn ignore_snapshots(&self) -> bool {
        self.0
    }
}

#[test]
fn a_compaction_may_leave_nothing() {
    let (mut store, _) = filled();
    store.options.merge_operator = None;
    let only_values = |h: &[(Sequence, Entry)]| -> Vec<(Sequence, Entry)> {
        h.iter().filter(|(_, e)| key::tag(&e.0) & 0xFF == 1).cloned().collect()
    };
    let history = only_values(&random_history(&mut Rng::new(3), 100, 20, false));
    store = Store::new(store.options.clone());
    store.flush(&world(&history, 1, 100));
    store.options.compaction_filter = Some(Arc::new(All(true)));
    let pick = full_pick(&store);
    let result = store.compact(&pick);
    assert!(result.outputs.is_empty() && store.version.is_empty());
    assert_eq!(result.counts.output, 0);
    assert!(result.counts.filtered > 0);
}

#[test]
fn a_filter_that_minds_snapshots_is_refused() {
    let (mut store, _) = filled();
    store.options.compaction_filter = Some(Arc::new(All(false)));
    let error = store.run(&full_pick(&store)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Not implemented: CompactionFilter::IgnoreSnapshots() = false is not supported anymore."
    );
}

#[test]
fn a_range_deletion_alone_makes_a_file_and_ends_at_cuts() {
    let mut store = Store::new(CfOptions { target_file_size_base: 1000, ..options() });
    let value = Rng::new(1).bytes(300);
    store.options.compression = Compression::None;
    let points: Vec<Entry> =
        (b'a'..=b'z').map(|k| (key::internal(&[k], 5, Kind::Value), value.clone())).collect();
    let t = |b: u8, e: u8, sequence| Tombstone { begin: vec![b], end: vec![e], sequence };
    store.flush(&World { points, tombstones: vec![] });
    store.flush(&World { points: vec![], tombstones: vec![t(b'c', b'x', 8), t(b'k', b'm', 9)] });
    // A snapshot between keeps both the points and the deletions.
    store.snapshots = vec![6];
    let pick = full_pick(&store);
    store.compact(&pick);
    let sizes: Vec<u64> = store.version.files(6).iter().map(|f| f.size()).collect();
    assert!(sizes.len() > 4, "{sizes:?}");
    let exclusive = store.version.files(6).iter().filter(|f| f.largest_is_exclusive()).count();
    assert!(exclusive > 2, "{exclusive}");
    let layers = store.layers();
    let layers: Vec<&World> = layers.iter().collect();
    for k in b'a'..=b'z' {
        let hidden = (b'c'..b'x').contains(&k);
        assert_eq!(visible(&layers, &[k], MAX_SEQUENCE).is_none(), hidden);
        assert_eq!(visible(&layers, &[k], 6).as_ref(), Some(&value));
    }
    store.snapshots.clear();
    let pick = full_pick(&store);
    store.compact(&pick);
    assert_eq!(store.layers().iter().map(|w| w.points.len()).sum::<usize>(), 26 - 21);
}
