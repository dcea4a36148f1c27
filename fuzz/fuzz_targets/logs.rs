//! Feeds bytes to the family `logs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ralph_fuzz::logs(data));
