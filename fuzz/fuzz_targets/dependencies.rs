//! Feeds bytes to the family `dependencies`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ralph_fuzz::dependencies(data));
