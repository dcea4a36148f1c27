//! Several handles, several threads, one account: writes go one at a time.

use crate::script::{HandClock, account, issue};
use http::{Request, Response};
use ralph_engine::ports::{Answer, Forge};
use ralph_github::{Client, NoResponse, Transport};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the writes that are under way and the most there ever were.
#[derive(Debug, Default)]
struct Counter {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[derive(Debug, Clone)]
struct Slow(Arc<Counter>);

impl Transport for Slow {
    fn send(&mut self, _request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse> {
        let counter = &self.0;
        counter.most.fetch_max(counter.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        for _ in 0..100 {
            std::thread::yield_now();
        }
        counter.now.fetch_sub(1, Ordering::SeqCst);
        Ok(Response::new(b"[]".to_vec()))
    }
}

#[test]
fn writes_of_all_handles_go_one_at_a_time() {
    let (counter, account) = (Arc::new(Counter::default()), account(&HandClock::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let mut client = Client::new(Slow(Arc::clone(&counter)), Arc::clone(&account));
            scope.spawn(move || {
                for _ in 0..50 {
                    assert_eq!(client.add_label(&issue(7), "x"), Answer::Happened(()));
                }
            });
        }
    });
    assert_eq!(counter.most.load(Ordering::SeqCst), 1);
}
