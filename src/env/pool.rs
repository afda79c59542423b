//! Background threads by priority, and a single-stepped stand-in for tests.
//!
//! A [`ThreadPool`] starts its threads when the first job comes, so a program may fork after it opened
//! nothing yet, and ends them when the last of its users leaves. Its threads have every signal blocked: a program's handlers run on its own threads
//! only. Jobs of one priority start in the order they came; delayed ones join when they are due. A priority with no
//! threads hands its jobs to `Low`. Anyone may call anything from any thread.
//!
//! A [`SteppedPool`] has no threads: `run_one` runs one job on the caller's, chosen by the seed.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "this is the floor that the rest of the crate is sent to"
)]

use super::clock::ManualClock;
use super::posix::with_signals_blocked;
use super::{Clock, Job, Pool, Priority};
use crate::base::rng::Rng;
use crate::base::sync::{Condvar, Mutex, MutexGuard};
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle, ThreadId};
use std::time::{Duration, Instant};

fn lane(priority: Priority) -> usize {
    match priority {
        Priority::Bottom => 0,
        Priority::Low => 1,
        Priority::High => 2,
    }
}

const THREAD_NAMES: [&str; 3] = ["rocksdb:bottom", "rocksdb:low", "rocksdb:high"];

#[derive(Default)]
struct Lane {
    ready: VecDeque<Job>,
    delayed: Vec<(Instant, Job)>,
    /// Threads wanted.
    limit: usize,
    /// Threads alive.
    alive: usize,
    running: usize,
}

impl Lane {
    /// Moves what is due over to `ready`; says when the next one is due.
    fn promote(&mut self) -> Option<Instant> {
        if self.delayed.is_empty() {
            return None;
        }
        let now = Instant::now();
        self.delayed.sort_by_key(|(due, _)| *due);
        let due = self.delayed.partition_point(|(due, _)| *due <= now);
        self.ready.extend(self.delayed.drain(..due).map(|(_, job)| job));
        self.delayed.first().map(|(due, _)| *due)
    }
}

#[derive(Default)]
struct State {
    lanes: [Lane; 3],
    stopping: bool,
    /// Those who entered and did not leave.
    users: usize,
    /// How often the last user left. Threads of an older age end.
    age: u64,
    handles: Vec<JoinHandle<()>>,
}

/// The jobs of a lane that did not start.
type Waited = (VecDeque<Job>, Vec<(Instant, Job)>);

impl State {
    fn take_waiting(&mut self) -> [Waited; 3] {
        self.lanes
            .each_mut()
            .map(|lane| (std::mem::take(&mut lane.ready), std::mem::take(&mut lane.delayed)))
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: [Condvar; 3],
    idle: Condvar,
}

impl Shared {
    fn wake_all(&self) {
        for condvar in &self.work {
            condvar.notify_all();
        }
    }

    fn run(&self, lane: usize, age: u64) {
        POOL_THREAD.set(Some(thread::current().id()));
        let mut state = self.state.lock();
        while !state.stopping
            && state.age == age
            && state.lanes[lane].alive <= state.lanes[lane].limit
        {
            let next_due = state.lanes[lane].promote();
            let Some(job) = state.lanes[lane].ready.pop_front() else {
                match next_due {
                    Some(due) => drop(self.work[lane].wait_until(&mut state, due)),
                    None => self.work[lane].wait(&mut state),
                }
                continue;
            };
            state.lanes[lane].running += 1;
            MutexGuard::unlocked(&mut state, || {
                // A job's panic is its own affair; the thread goes on. The hook has printed it.
                let _ = catch_unwind(AssertUnwindSafe(job));
            });
            state.lanes[lane].running -= 1;
            self.idle.notify_all();
        }
        state.lanes[lane].alive -= 1;
        // A thread that leaves may have eaten the wake-up meant for one that stays.
        self.work[lane].notify_one();
        self.idle.notify_all();
    }
}

/// Real threads.
pub struct ThreadPool {
    shared: Arc<Shared>,
}

impl ThreadPool {
    /// With `low` and `high` threads, none yet started.
    #[must_use]
    pub fn new(low: usize, high: usize) -> Self {
        let shared = Shared::default();
        {
            let mut state = shared.state.lock();
            state.lanes[lane(Priority::Low)].limit = low;
            state.lanes[lane(Priority::High)].limit = high;
        }
        Self { shared: Arc::new(shared) }
    }

    fn add(&self, priority: Priority, enqueue: impl FnOnce(&mut Lane)) {
        let mut state = self.shared.state.lock();
        let mut at = lane(priority);
        if state.lanes[at].limit == 0 {
            at = lane(Priority::Low);
        }
        enqueue(&mut state.lanes[at]);
        self.start_threads(&mut state, at);
        self.shared.work[at].notify_one();
    }

    /// Starts what is missing of the threads of a lane that has work.
    fn start_threads(&self, state: &mut State, at: usize) {
        let has_work = !state.lanes[at].ready.is_empty() || !state.lanes[at].delayed.is_empty();
        while has_work && !state.stopping && state.lanes[at].alive < state.lanes[at].limit {
            let (shared, age) = (Arc::clone(&self.shared), state.age);
            let builder = thread::Builder::new().name(THREAD_NAMES[at].into());
            match with_signals_blocked(|| builder.spawn(move || shared.run(at, age))) {
                Ok(handle) => {
                    state.lanes[at].alive += 1;
                    state.handles.retain(|handle| !handle.is_finished());
                    state.handles.push(handle);
                }
                // With one thread at least the work gets done; with none there is no store.
                Err(error) => {
                    assert!(state.lanes[at].alive > 0, "no background thread to be had: {error}");
                    break;
                }
            }
        }
    }
}

impl Pool for ThreadPool {
    fn schedule(&self, priority: Priority, job: Job) {
        self.add(priority, |lane| lane.ready.push_back(job));
    }

    fn schedule_after(&self, micros: u64, priority: Priority, job: Job) {
        let due = Instant::now() + Duration::from_micros(micros);
        self.add(priority, |lane| lane.delayed.push((due, job)));
    }

    fn set_threads(&self, priority: Priority, count: usize) {
        let at = lane(priority);
        let mut state = self.shared.state.lock();
        state.lanes[at].limit = count;
        if count == 0 && at != lane(Priority::Low) {
            let ready = std::mem::take(&mut state.lanes[at].ready);
            let delayed = std::mem::take(&mut state.lanes[at].delayed);
            let low = &mut state.lanes[lane(Priority::Low)];
            low.ready.extend(ready);
            low.delayed.extend(delayed);
            self.start_threads(&mut state, lane(Priority::Low));
            self.shared.work[lane(Priority::Low)].notify_all();
        }
        self.start_threads(&mut state, at);
        self.shared.work[at].notify_all();
    }

    fn threads(&self, priority: Priority) -> usize {
        self.shared.state.lock().lanes[lane(priority)].limit
    }

    fn queued(&self, priority: Priority) -> usize {
        self.shared.state.lock().lanes[lane(priority)].ready.len()
    }

    fn join(&self) {
        let mut state = self.shared.state.lock();
        let busy = |l: &Lane| l.running > 0 || (!l.ready.is_empty() && l.limit > 0);
        while state.lanes.iter().any(busy) {
            self.shared.idle.wait(&mut state);
        }
    }

    fn enter(&self) {
        self.shared.state.lock().users += 1;
    }

    fn leave(&self) {
        let (handles, waiting) = {
            let mut state = self.shared.state.lock();
            state.users = state.users.saturating_sub(1);
            if state.users > 0 {
                return;
            }
            state.age += 1;
            (std::mem::take(&mut state.handles), state.take_waiting())
        };
        // Nobody is there to miss them. Outside the lock: what a job owns may come back here.
        drop(waiting);
        self.shared.wake_all();
        join_others(handles);
        // Who came meanwhile may have counted on threads that were about to end.
        let mut state = self.shared.state.lock();
        for at in 0..state.lanes.len() {
            self.start_threads(&mut state, at);
        }
    }
}

thread_local! {
    /// Set on threads of pools. Asking the standard library on a thread of the host's would allocate
    /// there, and leak checkers would tell the host about it.
    static POOL_THREAD: Cell<Option<ThreadId>> = const { Cell::new(None) };
}

/// Waits for the ends of threads, this one excepted.
fn join_others(handles: Vec<JoinHandle<()>>) {
    let own = POOL_THREAD.get();
    for handle in handles {
        // The last owner may be a job, on a thread that cannot wait for itself.
        if Some(handle.thread().id()) != own {
            // A thread's panic was printed when it happened.
            let _ = handle.join();
        }
    }
}

impl Drop for ThreadPool {
    /// Lets running jobs end and drops the waiting ones.
    fn drop(&mut self) {
        let (handles, waiting) = {
            let mut state = self.shared.state.lock();
            state.stopping = true;
            (std::mem::take(&mut state.handles), state.take_waiting())
        };
        // Outside the lock: what a job owns may come back here when dropped.
        drop(waiting);
        self.shared.wake_all();
        join_others(handles);
    }
}

struct Waiting {
    due_micros: u64,
    job: Job,
}

/// A pool whose jobs run when somebody steps it.
pub struct SteppedPool {
    clock: Arc<ManualClock>,
    state: Mutex<Stepped>,
}

struct Stepped {
    waiting: Vec<(Priority, Waiting)>,
    limits: [usize; 3],
    rng: Rng,
}

impl SteppedPool {
    /// Over `clock`, which delayed jobs move; `seed` chooses among the jobs that are ready.
    #[must_use]
    pub fn new(clock: Arc<ManualClock>, seed: u64) -> Self {
        let rng = Rng::new(seed);
        Self { clock, state: Mutex::new(Stepped { waiting: Vec::new(), limits: [0, 1, 1], rng }) }
    }

    fn take_one(&self) -> Option<Job> {
        let mut state = self.state.lock();
        let now = self.clock.now_micros();
        let soonest = state.waiting.iter().map(|(_, w)| w.due_micros).min()?;
        let due = soonest.max(now);
        let ready: Vec<usize> =
            (0..state.waiting.len()).filter(|&i| state.waiting[i].1.due_micros <= due).collect();
        let pick = ready[state.rng.below(ready.len() as u64) as usize];
        self.clock.advance_to(due);
        Some(state.waiting.remove(pick).1.job)
    }
}

impl Pool for SteppedPool {
    fn schedule(&self, priority: Priority, job: Job) {
        self.schedule_after(0, priority, job);
    }

    fn schedule_after(&self, micros: u64, priority: Priority, job: Job) {
        let due_micros = self.clock.now_micros() + micros;
        self.state.lock().waiting.push((priority, Waiting { due_micros, job }));
    }

    fn run_one(&self) -> bool {
        let Some(job) = self.take_one() else { return false };
        job();
        true
    }

    fn set_threads(&self, priority: Priority, count: usize) {
        self.state.lock().limits[lane(priority)] = count;
    }

    fn threads(&self, priority: Priority) -> usize {
        self.state.lock().limits[lane(priority)]
    }

    fn queued(&self, priority: Priority) -> usize {
        self.state.lock().waiting.iter().filter(|(p, _)| *p == priority).count()
    }

    /// Runs what is due now; what is delayed stays.
    fn join(&self) {
        loop {
            let soonest = self.state.lock().waiting.iter().map(|(_, w)| w.due_micros).min();
            if soonest.is_none_or(|due| due > self.clock.now_micros()) || !self.run_one() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::PoolUser;
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    #[test]
    fn every_job_runs_once_and_join_waits_for_them() {
        let pool = ThreadPool::new(2, 1);
        let ran = Arc::new(AtomicUsize::new(0));
        for i in 0..300 {
            let ran = Arc::clone(&ran);
            let priority = [Priority::Bottom, Priority::Low, Priority::High][i % 3];
            pool.schedule(
                priority,
                Box::new(move || {
                    ran.fetch_add(1, Ordering::SeqCst);
                }),
            );
        }
        pool.join();
        assert_eq!(ran.load(Ordering::SeqCst), 300);
    }

    #[test]
    fn threads_end_with_the_last_user_and_start_anew() {
        let pool: Arc<dyn Pool> = Arc::new(ThreadPool::new(1, 1));
        for _ in 0..50 {
            let users = [PoolUser::new(Arc::clone(&pool)), PoolUser::new(Arc::clone(&pool))];
            let (tell, told) = mpsc::channel();
            pool.schedule(
                Priority::Low,
                Box::new(move || tell.send(thread::current().id()).unwrap()),
            );
            let first = told.recv().unwrap();
            let [one, other] = users;
            drop(one);
            let (tell, told) = mpsc::channel();
            pool.schedule(
                Priority::Low,
                Box::new(move || tell.send(thread::current().id()).unwrap()),
            );
            assert_eq!(told.recv().unwrap(), first);
            pool.schedule_after(1 << 40, Priority::High, Box::new(|| ()));
            drop(other);
            assert_eq!(pool.queued(Priority::Low), 0);
        }
    }

    #[test]
    fn threads_may_grow_and_shrink() {
        let pool = ThreadPool::new(1, 1);
        pool.grow_threads(Priority::Low, 4);
        // All four must be there at once for any to pass.
        let gate = Arc::new(Barrier::new(4));
        for _ in 0..4 {
            let gate = Arc::clone(&gate);
            pool.schedule(
                Priority::Low,
                Box::new(move || {
                    gate.wait();
                }),
            );
        }
        pool.join();
        pool.set_threads(Priority::Low, 1);
        pool.grow_threads(Priority::Low, 1);
        assert_eq!(pool.threads(Priority::Low), 1);
        let (tx, rx) = mpsc::channel();
        for i in 0..20 {
            let tx = tx.clone();
            pool.schedule(Priority::Low, Box::new(move || tx.send(i).unwrap()));
        }
        pool.join();
        let order: Vec<i32> = rx.try_iter().collect();
        assert_eq!(order.len(), 20);
    }

    #[test]
    fn a_priority_without_threads_gives_its_jobs_to_low() {
        let pool = ThreadPool::new(1, 0);
        let (tx, rx) = mpsc::channel();
        let other = tx.clone();
        pool.schedule(Priority::High, Box::new(move || tx.send(1).unwrap()));
        assert_eq!(rx.recv().unwrap(), 1);
        pool.set_threads(Priority::High, 1);
        pool.schedule_after(1000, Priority::High, Box::new(move || other.send(2).unwrap()));
        pool.set_threads(Priority::High, 0);
        assert_eq!(rx.recv().unwrap(), 2);
    }

    #[test]
    fn a_panic_takes_no_thread_along_and_a_pool_may_end_on_its_own_thread() {
        let pool = Arc::new(ThreadPool::new(1, 1));
        pool.schedule(Priority::Low, Box::new(|| std::panic::resume_unwind(Box::new(1))));
        let (tx, rx) = mpsc::channel();
        let owner = Arc::clone(&pool);
        pool.schedule(
            Priority::Low,
            Box::new(move || {
                drop(owner);
                tx.send(()).unwrap();
            }),
        );
        drop(pool);
        // Either the job ran or it was dropped with the pool; both end the channel's wait.
        let _ = rx.recv();
    }

    #[test]
    fn threads_of_a_pool_take_no_signals() {
        let pool = ThreadPool::new(1, 0);
        let (tx, rx) = mpsc::channel();
        pool.schedule(
            Priority::Low,
            Box::new(move || {
                let path = format!("/proc/self/task/{}/status", crate::env::posix::thread_id());
                tx.send(std::fs::read_to_string(path).unwrap()).unwrap();
            }),
        );
        let status = rx.recv().unwrap();
        let blocked = status.lines().find_map(|l| l.strip_prefix("SigBlk:\t")).unwrap();
        let blocked = u64::from_str_radix(blocked, 16).unwrap();
        assert_eq!(blocked & (1 << (15 - 1)), 1 << (15 - 1), "SIGTERM");
        assert_eq!(blocked & (1 << (2 - 1)), 1 << (2 - 1), "SIGINT");
    }

    #[test]
    fn a_stepped_pool_runs_on_the_callers_thread_and_moves_the_clock() {
        let clock = Arc::new(ManualClock::default());
        let pool = Arc::new(SteppedPool::new(Arc::clone(&clock), 1));
        let start = clock.now_micros();
        let (tx, rx) = mpsc::channel();
        for (name, after) in [("late", 500), ("now", 0), ("soon", 100)] {
            let (tx, clock) = (tx.clone(), Arc::clone(&clock));
            let job = move || tx.send((name, clock.now_micros() - start)).unwrap();
            pool.schedule_after(after, Priority::Low, Box::new(job));
        }
        pool.join();
        assert_eq!(pool.queued(Priority::Low), 2);
        while pool.run_one() {}
        assert_eq!(rx.try_iter().collect::<Vec<_>>(), [("now", 0), ("soon", 100), ("late", 500)]);
    }
}
