#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tagwire_fuzz::targets::sse::run(data));
