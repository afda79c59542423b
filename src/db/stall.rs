//! Slowing down and stopping writers, by RocksDB's triggers. The cause is in LOG and in the property
//! `mountdb.stall-cause`.
#![forbid(unsafe_code)]

use super::background_error::Work;
use super::{Inner, State};
use crate::base::sync::Mutex;
use crate::base::{Error, Result};
use crate::env::LogLevel;
use crate::options::WriteOptions;
use crate::stats::{Ticker, ticker::tick};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Bytes a second while writers are slowed and no option says otherwise.
const DEFAULT_RATE: u64 = 16 << 20;

/// What holds writers back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Pressure {
    /// Nothing.
    #[default]
    None,
    /// Writers are slowed; why.
    Delayed(String),
    /// Writers wait; for which work and why.
    Stopped(Work, String),
}

/// The present pressure and the pace of slowed writers.
#[derive(Default)]
pub(super) struct Stall {
    pressure: Mutex<Pressure>,
    level: AtomicU8,
    /// Lines for LOG that were made under the state lock, where no logger is called.
    news: Mutex<Vec<(LogLevel, String)>>,
    /// Nanoseconds of the clock before which the next slowed write shall not go.
    next_nanos: AtomicU64,
}

impl Stall {
    pub(super) fn is_stopped(&self) -> bool {
        self.level.load(Ordering::Acquire) == 2
    }

    pub(super) fn is_delayed(&self) -> bool {
        self.level.load(Ordering::Acquire) == 1
    }

    /// Why writers are held back; empty when they are not.
    pub(super) fn cause(&self) -> String {
        match &*self.pressure.lock() {
            Pressure::None => String::new(),
            Pressure::Delayed(why) | Pressure::Stopped(_, why) => why.clone(),
        }
    }

    /// The work that stopped writers wait for.
    fn awaited(&self) -> Work {
        match &*self.pressure.lock() {
            Pressure::Stopped(work, _) => *work,
            _ => Work::default(),
        }
    }
}

fn at_least(count: usize, trigger: i32) -> bool {
    usize::try_from(trigger).is_ok_and(|t| count >= t)
}

fn pressure_of(state: &State) -> Pressure {
    let mut worst = Pressure::None;
    for family in state.families.values() {
        let o = family.core.options.load();
        let name = &family.core.name;
        let (imm, l0) = (family.imm.len(), family.version.files(0).len());
        let pending = family.scores.estimated_pending_bytes;
        let auto = !o.disable_auto_compactions;
        let over = |limit: u64| limit > 0 && pending >= limit;
        if at_least(imm, o.max_write_buffer_number) {
            let why = format!(
                "[{name}] {imm} immutable memtables (max_write_buffer_number {})",
                o.max_write_buffer_number
            );
            return Pressure::Stopped(Work::Flush, why);
        }
        if auto && at_least(l0, o.level0_stop_writes_trigger) {
            let why = format!(
                "[{name}] {l0} level-0 files (level0_stop_writes_trigger {})",
                o.level0_stop_writes_trigger
            );
            return Pressure::Stopped(Work::Compaction, why);
        }
        if auto && over(o.hard_pending_compaction_bytes_limit) {
            let why = format!("[{name}] {pending} bytes await compaction");
            return Pressure::Stopped(Work::Compaction, why);
        }
        if o.max_write_buffer_number > 3
            && at_least(imm + 1, o.max_write_buffer_number)
            && at_least(imm, o.min_write_buffer_number_to_merge + 1)
        {
            worst = Pressure::Delayed(format!("[{name}] {imm} immutable memtables"));
        } else if auto
            && o.level0_slowdown_writes_trigger >= 0
            && at_least(l0, o.level0_slowdown_writes_trigger)
        {
            worst = Pressure::Delayed(format!(
                "[{name}] {l0} level-0 files (level0_slowdown_writes_trigger {})",
                o.level0_slowdown_writes_trigger
            ));
        } else if auto && over(o.soft_pending_compaction_bytes_limit) {
            worst = Pressure::Delayed(format!("[{name}] {pending} bytes await compaction"));
        }
    }
    worst
}

impl Inner {
    /// Works out the pressure anew; called under the state lock whenever its inputs changed.
    pub(super) fn update_stall(&self, state: &State) {
        let for_memory = |why| Pressure::Stopped(Work::Flush, why);
        let pressure = self.memory_pressure(state).map_or_else(|| pressure_of(state), for_memory);
        let level = match &pressure {
            Pressure::None => 0,
            Pressure::Delayed(_) => 1,
            Pressure::Stopped(..) => 2,
        };
        let old = std::mem::replace(&mut *self.stall.pressure.lock(), pressure.clone());
        self.stall.level.store(level, Ordering::Release);
        if level > 0 {
            self.attention.store(true, Ordering::Release);
        }
        if std::mem::discriminant(&old) != std::mem::discriminant(&pressure) {
            let line = match pressure {
                Pressure::None => (LogLevel::Info, "Writes flow freely again".to_owned()),
                Pressure::Delayed(why) => (LogLevel::Warn, format!("Stalling writes: {why}")),
                Pressure::Stopped(_, why) => (LogLevel::Warn, format!("Stopping writes: {why}")),
            };
            self.stall.news.lock().push(line);
        }
    }

    /// Puts into LOG what became of the pressure; called without locks.
    pub(super) fn log_stalls(&self) {
        let news = std::mem::take(&mut *self.stall.news.lock());
        for (level, line) in news {
            self.log(level, &line);
        }
    }

    /// Bytes a second for slowed writers.
    pub(super) fn delayed_rate(&self) -> u64 {
        match self.options.load().delayed_write_rate {
            0 => DEFAULT_RATE,
            rate => rate,
        }
    }

    /// Holds a leader with `bytes` to write back as the pressure asks.
    pub(super) fn hold_back(&self, options: &WriteOptions, bytes: usize) -> Result<()> {
        self.log_stalls();
        if self.stall.is_stopped() {
            if options.no_slowdown {
                return Err(Error::incomplete("Write stall"));
            }
            self.queue.refuse_hasty();
            let began = self.env.clock.nanos();
            let ended = self.wait_until(|state| {
                if !self.stall.is_stopped() {
                    return Some(Ok(()));
                }
                if self.ending.load(Ordering::Acquire) || state.cancelled {
                    return Some(Err(Error::shutdown("")));
                }
                // Waiting for work that cannot be done would be for ever.
                state.failures.get(self.stall.awaited()).cloned().map(Err)
            });
            self.counters.stalled((self.env.clock.nanos() - began) / 1000);
            tick(
                self.statistics.as_deref(),
                Ticker::StallMicros,
                (self.env.clock.nanos() - began) / 1000,
            );
            ended?;
        }
        if self.stall.is_delayed() {
            if options.no_slowdown {
                return Err(Error::incomplete("Write stall"));
            }
            let now = self.env.clock.nanos();
            let at = self.stall.next_nanos.load(Ordering::Relaxed).max(now);
            let cost = (bytes as u64).saturating_mul(1_000_000_000) / self.delayed_rate().max(1);
            self.stall.next_nanos.store(at + cost, Ordering::Relaxed);
            // A short wait costs more than it slows; the debt is carried over.
            let micros = (at - now) / 1000;
            if micros >= 1000 {
                self.env.clock.sleep_micros(micros.min(1_000_000));
                self.counters.stalled(micros);
                tick(self.statistics.as_deref(), Ticker::StallMicros, micros);
            }
        }
        Ok(())
    }
}
