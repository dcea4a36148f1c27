//! Feeds bytes to the family `text`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ralph_fuzz::text(data));
