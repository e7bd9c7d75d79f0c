#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tagwire_fuzz::targets::strict_cuts::run(data));
