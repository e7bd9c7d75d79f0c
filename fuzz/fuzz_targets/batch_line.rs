#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tagwire_fuzz::targets::batch_line::run(data));
