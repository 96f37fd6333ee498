// Threads: channels, shared state, scoped by join, atomics, a barrier, a condition, a panicking thread.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..4u64)
        .map(|id| {
            let sender = sender.clone();
            thread::spawn(move || {
                for n in 0..5 {
                    sender.send(id * 100 + n).unwrap();
                }
                id * id
            })
        })
        .collect();
    drop(sender);
    let mut got: Vec<u64> = receiver.iter().collect();
    got.sort();
    println!("{:?}", got);
    println!(
        "{:?}",
        workers.into_iter().map(|w| w.join().unwrap()).collect::<Vec<_>>()
    );

    let total = Arc::new(Mutex::new(0u64));
    let hits = Arc::new(AtomicUsize::new(0));
    let barrier = Arc::new(Barrier::new(4));
    let threads: Vec<_> = (1..5)
        .map(|step| {
            let (total, hits, barrier) = (Arc::clone(&total), Arc::clone(&hits), Arc::clone(&barrier));
            thread::spawn(move || {
                for _ in 0..1000 {
                    *total.lock().unwrap() += step;
                    hits.fetch_add(1, Ordering::SeqCst);
                }
                barrier.wait().is_leader()
            })
        })
        .collect();
    let leaders = threads
        .into_iter()
        .map(|t| t.join().unwrap())
        .filter(|&l| l)
        .count();
    println!(
        "{} {} {}",
        *total.lock().unwrap(),
        hits.load(Ordering::SeqCst),
        leaders
    );

    let turn = Arc::new((Mutex::new(0), Condvar::new()));
    let words = Arc::new(RwLock::new(Vec::new()));
    let players: Vec<_> = (0..2)
        .map(|me| {
            let (turn, words) = (Arc::clone(&turn), Arc::clone(&words));
            thread::spawn(move || {
                for _ in 0..3 {
                    let mut now = turn.0.lock().unwrap();
                    while *now % 2 != me {
                        now = turn.1.wait(now).unwrap();
                    }
                    words.write().unwrap().push(if me == 0 { "ping" } else { "pong" });
                    *now += 1;
                    turn.1.notify_all();
                }
            })
        })
        .collect();
    for player in players {
        player.join().unwrap();
    }
    println!("{:?}", words.read().unwrap());
    std::panic::set_hook(Box::new(|_| {}));
    let failed = thread::spawn(|| -> i32 { panic!("inside a thread") }).join();
    println!("{:?}", failed.unwrap_err().downcast_ref::<&str>());
}
