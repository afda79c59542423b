//! A compaction, start to end, without installing it.
//!
//!  1. A pick that only deletes or moves files is an edit and no work.
//!  2. Every input table is opened, and its range deletions are taken, each cut to its file's bounds.
//!  3. The points of all inputs become one sorted stream: level-0 files each by itself, those of
//!     another level one behind the other.
//!  4. `stream` decides which survive, `output` writes them.
//!  5. What was read is compared with what the tables' properties promise: a short read must not
//!     become a loss for ever.
//!  6. Outputs are synced, their folder too, and each is opened once.
//!  7. The result is an edit: inputs leave, outputs come. The store puts it into the manifest.
//!
//! Whatever fails, every file made so far is removed and the store stays as it was. The caller
//! keeps the input files alive (it holds the version) and the new numbers out of the hands of whoever
//! deletes files that no version knows.
#![forbid(unsafe_code)]

use super::folders::{self, Folder};
use super::output::{NewNumber, Output, OutputOptions, Outputs, range_deletion_weight};
use super::pick::Pick;
use super::stream::{self, CompactionStream, Counts, Covers, Deeper, Filter, GoOn, StreamOptions};
use crate::base::range::KeyRange;
use crate::base::{Error, InternalComparator, ParsedKey, Result, Sequence};
use crate::env::rate_limiter::Urgency;
use crate::env::{Clock, FileSystem, WriteMode};
use crate::format::manifest::VersionEdit;
use crate::hooks::CompactionFilterContext;
use crate::iter::{BoxIter, ConcatIter, Fragments, RangeDeletions, Tombstone, merging};
use crate::options::{CfOptions, DbOptions, ReadOptions};
use crate::stats::{Ticker, ticker};
use crate::table::{BuildOptions, IterPurpose, Table, TableCache, TableId, TableSettings};
use crate::version::{FileMeta, Version};
use std::cmp::Ordering;
use std::sync::Arc;

/// What a compaction works with.
pub struct JobContext<'a> {
    /// Where outputs are made.
    pub fs: Arc<dyn FileSystem>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Input tables.
    pub tables: Arc<TableCache>,
    /// How tables of the family are opened.
    pub settings: TableSettings,
    /// The family's options.
    pub options: Arc<CfOptions>,
    /// The store's options.
    pub db_options: Arc<DbOptions>,
    /// The version that the pick was made from.
    pub version: Arc<Version>,
    /// Live snapshots, ascending.
    pub snapshots: Vec<Sequence>,
    /// What all outputs share: family, identities, host. The job fills in the rest.
    pub build: BuildOptions,
    /// Folders of tables by path id; never empty.
    pub folders: Vec<Folder>,
    /// Which of them outputs go to.
    pub output_path_id: u32,
    /// Hands out file numbers.
    pub new_number: &'a NewNumber<'a>,
    /// Asked now and then; an error ends the job.
    pub go_on: Option<GoOn>,
}

/// What became of it.
#[derive(Clone, Debug, Default)]
pub struct JobResult {
    /// For the manifest: family, files and cursor are filled in.
    pub edit: VersionEdit,
    /// New files; none when files were only moved or deleted.
    pub outputs: Vec<Output>,
    /// What happened to the entries.
    pub counts: Counts,
    /// Bytes of the start level's inputs, and of the output level's.
    pub bytes_read: (u64, u64),
    /// Bytes of outputs.
    pub bytes_written: u64,
    /// How long it took.
    pub micros: u64,
    /// The inputs were moved as they are.
    pub moved: bool,
}

/// Carries out `pick`.
pub fn run(context: &JobContext<'_>, pick: &Pick) -> Result<JobResult> {
    let started = context.clock.nanos();
    let mut result = JobResult { edit: edit_without_inputs(pick), ..JobResult::default() };
    if pick.deletion_only {
        return Ok(result);
    }
    // A move does not leave the folder.
    let stays = pick.files().all(|(_, f)| f.entry.path_id == context.output_path_id);
    if pick.trivial_move && stays {
        for (_, file) in pick.files() {
            result.edit.new_files.push((number_of(pick.output_level), file.entry.clone()));
        }
        result.moved = true;
        return Ok(result);
    }
    for (level, file) in pick.files() {
        let is_output_level = level == pick.output_level && level != pick.start_level();
        let side =
            if is_output_level { &mut result.bytes_read.1 } else { &mut result.bytes_read.0 };
        *side += file.size();
    }
    merge(context, pick, &mut result)?;
    let outputs = result.outputs.iter();
    result.edit.new_files =
        outputs.map(|o| (number_of(pick.output_level), o.entry.clone())).collect();
    result.bytes_written = result.outputs.iter().map(|o| o.entry.size).sum();
    result.micros = context.clock.nanos().saturating_sub(started) / 1000;
    count(context, &result);
    Ok(result)
}

fn number_of(level: usize) -> i32 {
    i32::try_from(level).expect("levels are few")
}

fn edit_without_inputs(pick: &Pick) -> VersionEdit {
    let cursor = pick.cursor.iter().map(|(level, key)| (number_of(*level), key.clone()));
    VersionEdit {
        family: pick.family,
        deleted_files: pick.files().map(|(l, f)| (number_of(l), f.number())).collect(),
        compact_cursors: cursor.collect(),
        ..VersionEdit::default()
    }
}

/// Steps 2 to 6.
fn merge(context: &JobContext<'_>, pick: &Pick, result: &mut JobResult) -> Result<()> {
    let inputs = Inputs::open(context, pick)?;
    let filter = filter_of(context, pick)?;
    // With data ingested behind all other, nothing is ever at the bottom.
    let may_have_deeper = pick.output_level == 0 || context.db_options.allow_ingest_behind;
    let bottommost = pick.bottommost && !may_have_deeper;
    let order = context.settings.order.clone();
    let below = pick.output_level + 1;
    let survivors = {
        let hides = |begin: &[u8], end: &[u8]| {
            let range = KeyRange { begin: Some(begin), end: Some(end) };
            let mut deeper = below..context.version.num_levels();
            !bottommost
                && (may_have_deeper || deeper.any(|level| context.version.overlaps(level, range)))
        };
        stream::surviving(&inputs.tombstones, &order, &context.snapshots, hides)
    };
    let expected_points = inputs.points;
    let stream_options = StreamOptions {
        snapshots: context.snapshots.clone(),
        merge_operator: context.options.merge_operator.clone(),
        filter,
        filter_level: number_of(pick.start_level()),
        bottommost,
        deeper: (!may_have_deeper).then(|| deeper_by_key(&context.version, below)),
        covers: inputs.covers,
        go_on: context.go_on.clone(),
        ..StreamOptions::new(order.clone())
    };
    let mut stream = CompactionStream::new(merging::merge(order, inputs.children), stream_options);
    let weight = range_deletion_weight(&context.version, pick.output_level, &survivors);
    let mut outputs = Outputs::new(output_options(context, pick), survivors, context.new_number);
    let mut write = || -> Result<Vec<Output>> {
        while stream.advance()? {
            outputs.add(stream.key(), stream.value())?;
        }
        check_points(context, expected_points, stream.counts())?;
        let mut done = outputs.finish()?;
        if let [only] = &mut done[..] {
            only.entry.compensated_range_deletion_size = weight;
        }
        settle(context, pick, &done)?;
        Ok(done)
    };
    match write() {
        Ok(done) => {
            result.outputs = done;
            result.counts = *stream.counts();
            Ok(())
        }
        Err(error) => {
            for (number, _) in outputs.created() {
                context.tables.evict(*number);
            }
            outputs.abandon();
            Err(error)
        }
    }
}

/// Step 5.
fn check_points(context: &JobContext<'_>, expected: Option<u64>, counts: &Counts) -> Result<()> {
    match expected {
        Some(expected)
            if expected != counts.input && context.db_options.compaction_verify_record_count =>
        {
            Err(Error::corruption(format!(
                "Compaction number of input keys does not match number of keys processed. \
                 Expected {expected} but processed {}",
                counts.input
            )))
        }
        _ => Ok(()),
    }
}

/// Step 6.
fn settle(context: &JobContext<'_>, pick: &Pick, done: &[Output]) -> Result<()> {
    if done.is_empty() {
        return Ok(());
    }
    context.fs.sync_dir(folders::of(&context.folders, context.output_path_id))?;
    for output in done {
        let id = TableId {
            number: output.entry.number,
            size: output.entry.size,
            path: output.path.clone(),
            largest_sequence: output.entry.largest_sequence,
            level: number_of(pick.output_level),
        };
        let table = context.tables.get(&id, &context.settings)?;
        if context.options.paranoid_file_checks {
            read_back(&table, output)?;
        }
    }
    Ok(())
}

fn read_back(table: &Arc<Table>, output: &Output) -> Result<()> {
    let mut iter = table.iter(&ReadOptions::default(), IterPurpose::Compaction);
    iter.seek_to_first();
    let mut entries = 0;
    while iter.valid() {
        entries += 1;
        iter.next();
    }
    iter.status()?;
    if entries != output.points {
        let name = output.path.display();
        return Err(Error::corruption(format!(
            "{name}: {entries} entries, wrote {}",
            output.points
        )));
    }
    Ok(())
}

/// How a table of `context` is found.
fn id_of(context: &JobContext<'_>, level: usize, file: &FileMeta) -> Result<TableId> {
    let name = crate::format::name::table(file.number());
    Ok(TableId {
        number: file.number(),
        size: file.size(),
        path: folders::of(&context.folders, file.entry.path_id).join(name),
        largest_sequence: file.entry.largest_sequence,
        level: number_of(level),
    })
}

fn filter_of(context: &JobContext<'_>, pick: &Pick) -> Result<Option<Filter>> {
    let options = &context.options;
    let filter = match (&options.compaction_filter, &options.compaction_filter_factory) {
        (Some(filter), _) => Some(Filter::Shared(Arc::clone(filter))),
        (None, Some(factory)) => {
            let reason = CompactionFilterContext {
                is_full_compaction: pick.is_full,
                is_manual_compaction: pick.is_manual,
                column_family_id: pick.family,
            };
            factory.create(reason).map(Filter::Own)
        }
        (None, None) => None,
    };
    match &filter {
        Some(filter) if !filter.get().ignore_snapshots() => Err(Error::not_supported(
            "CompactionFilter::IgnoreSnapshots() = false is not supported anymore.",
        )),
        _ => Ok(filter),
    }
}

fn output_options(context: &JobContext<'_>, pick: &Pick) -> OutputOptions {
    let now = context.clock.now_micros() / 1_000_000;
    let times = pick.files().map(|(_, f)| f.entry.oldest_ancestor_time);
    let oldest = times.filter(|time| *time != 0).min().unwrap_or(now);
    let epochs = pick.files().map(|(_, f)| f.entry.epoch);
    let is_last = pick.bottommost && pick.output_level > 0;
    OutputOptions {
        fs: Arc::clone(&context.fs),
        limiter: context.db_options.rate_limiter.clone().map(|l| (l, Urgency::Low)),
        write_mode: WriteMode { direct: context.db_options.use_direct_io_for_flush_and_compaction },
        build: BuildOptions {
            compression: pick.compression,
            compression_opts: pick.compression_opts,
            level: number_of(pick.output_level),
            creation_time: oldest,
            file_creation_time: now,
            skip_filter: is_last && context.options.optimize_filters_for_hits,
            ..context.build.clone()
        },
        level: pick.output_level,
        folder: (
            context.output_path_id,
            folders::of(&context.folders, context.output_path_id).clone(),
        ),
        max_file_size: pick.max_output_file_size,
        grandparents: pick.grandparents.clone(),
        max_grandparent_overlap: pick.max_grandparent_overlap,
        // The smallest known: the outputs are as old as their oldest input.
        epoch: epochs.min().unwrap_or(0),
    }
}

/// May a level from `below` on hold the key? Asked in ascending order.
fn deeper_by_key(version: &Arc<Version>, below: usize) -> Deeper {
    let version = Arc::clone(version);
    let mut at = vec![0usize; version.num_levels()];
    Box::new(move |user_key| {
        let order = version.order();
        (below..version.num_levels()).any(|level| {
            let files = version.files(level);
            let at = &mut at[level];
            while files
                .get(*at)
                .is_some_and(|f| order.compare_user(f.largest_user(), user_key) == Ordering::Less)
            {
                *at += 1;
            }
            files.get(*at).is_some_and(|f| {
                order.compare_user(f.smallest_user(), user_key) != Ordering::Greater
            })
        })
    })
}

/// The inputs, opened.
struct Inputs {
    children: Vec<BoxIter>,
    covers: Option<Covers>,
    tombstones: Fragments,
    /// Points in all files by their properties, if all say.
    points: Option<u64>,
}

impl Inputs {
    fn open(context: &JobContext<'_>, pick: &Pick) -> Result<Self> {
        let order = &context.settings.order;
        let mut covering = RangeDeletions::new(order.clone());
        let mut tombstones = Vec::new();
        let mut points = Some(0u64);
        let mut children: Vec<BoxIter> = Vec::new();
        for (level, files) in &pick.inputs {
            let level_group = covering.new_group();
            for file in files {
                let table =
                    context.tables.get(&id_of(context, *level, file)?, &context.settings)?;
                let fragments = table.tombstones();
                points = points.zip(points_of(&table)).map(|(sum, n)| sum + n);
                if !fragments.is_empty() {
                    let group = if *level == 0 { covering.new_group() } else { level_group };
                    let clip = (file.entry.smallest.clone(), file.entry.largest.clone());
                    covering.add_to(group, Arc::clone(fragments), Some(clip));
                    clip_to(order, file, fragments.tombstones(), &mut tombstones);
                }
                if *level == 0 {
                    children.push(table.iter(&read_options(context), IterPurpose::Compaction));
                }
            }
            if *level > 0 {
                children.push(concat(context, *level, files)?);
            }
        }
        let covers: Option<Covers> = (!covering.is_empty())
            .then(|| Box::new(move |k: &ParsedKey<'_>, s| covering.covers(k, s)) as Covers);
        let tombstones = Fragments::build(tombstones, &**order.user());
        Ok(Self { children, covers, tombstones, points })
    }
}

fn read_options(context: &JobContext<'_>) -> ReadOptions {
    ReadOptions {
        fill_cache: false,
        readahead_size: context.db_options.compaction_readahead_size,
        ..ReadOptions::default()
    }
}

/// The files of a level as one stream, each opened when it is reached.
fn concat(context: &JobContext<'_>, level: usize, files: &[Arc<FileMeta>]) -> Result<BoxIter> {
    let bounds = files.iter().map(|f| (f.entry.smallest.clone(), f.entry.largest.clone()));
    let ids = files.iter().map(|f| id_of(context, level, f)).collect::<Result<Vec<_>>>()?;
    let (tables, settings) = (Arc::clone(&context.tables), context.settings.clone());
    let options = read_options(context);
    Ok(Box::new(ConcatIter::over(context.settings.order.clone(), bounds.collect(), move |i| {
        Ok(tables.get(&ids[i], &settings)?.iter(&options, IterPurpose::Compaction))
    })))
}

/// The points of a table, if its properties are believable.
fn points_of(table: &Table) -> Option<u64> {
    let properties = table.properties();
    properties.num_entries.checked_sub(properties.num_range_deletions)
}

/// Cuts `from`, the tombstones of `file`, to the user keys that the file spans.
///
/// The last user key of a file that ends with a point may have older versions in the next file
/// (old RocksDBs cut there). That file is an input as well and covers them from its side, so what is
/// needed here is only that the last key's versions stay covered: up to its successor where the
/// order has one, else not at all.
fn clip_to(
    order: &InternalComparator,
    file: &FileMeta,
    from: &[Tombstone],
    to: &mut Vec<Tombstone>,
) {
    let first = file.smallest_user();
    let mut limit = file.largest_user().to_vec();
    if !file.largest_is_exclusive() && order.is_bytewise() {
        limit.push(0);
    }
    for tombstone in from {
        let later = order.compare_user(&tombstone.begin, first) == Ordering::Greater;
        let earlier = order.compare_user(&tombstone.end, &limit) == Ordering::Less;
        let begin = if later { &tombstone.begin[..] } else { first };
        let end = if earlier { &tombstone.end } else { &limit };
        if order.compare_user(begin, end) == Ordering::Less {
            let sequence = tombstone.sequence;
            to.push(Tombstone { begin: begin.to_vec(), end: end.clone(), sequence });
        }
    }
}

fn count(context: &JobContext<'_>, result: &JobResult) {
    let tick = |what, n| ticker::tick(context.db_options.statistics.as_deref(), what, n);
    tick(Ticker::CompactReadBytes, result.bytes_read.0 + result.bytes_read.1);
    tick(Ticker::CompactWriteBytes, result.bytes_written);
    tick(Ticker::CompactionKeyDropNewerEntry, result.counts.hidden);
    tick(Ticker::CompactionKeyDropObsolete, result.counts.obsolete);
    tick(Ticker::CompactionKeyDropRangeDel, result.counts.range_deleted);
    tick(Ticker::CompactionKeyDropUser, result.counts.filtered);
    tick(Ticker::MergeFailures, result.counts.merge_failures);
}

#[cfg(test)]
mod tests;
