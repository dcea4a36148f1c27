//! Feeds bytes to the family `hidden_markers`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ralph_fuzz::hidden_markers(data));
