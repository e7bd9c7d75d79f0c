//! Replies that arrive in chunks: `cargo bench --bench stream`. Criterion shows chunks as elements per second.

mod corpus;

use std::hint::black_box;
use std::time::Duration;

use corpus::{Cuts, KIB, MIB, adversarial, count};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tagwire::Parser;

criterion_group!(benches, corpora, adversarial_shapes);
criterion_main!(benches);

fn corpora(criterion: &mut Criterion) {
    for name in ["prose", "plain", "code", "dense"] {
        for size in [64 * KIB, MIB] {
            let reply = corpus::corpus(name, size);
            let mut parser = Parser::new(reply.policy());
            let size_name = if size < MIB { "64 KiB" } else { "1 MiB" };
            let mut group = criterion.benchmark_group(format!("stream/{name}/{size_name}"));
            group.measurement_time(Duration::from_secs(3));
            for (cuts_name, cuts) in cuts(&reply.text) {
                group.throughput(Throughput::ElementsAndBytes { elements: cuts.count() as u64, bytes: size as u64 });
                group.bench_function(BenchmarkId::from_parameter(cuts_name), |bencher| {
                    bencher.iter(|| {
                        assert_eq!(count::stream(&mut parser, cuts.of(black_box(&reply.text))), reply.count);
                    });
                });
            }
        }
    }
}

fn adversarial_shapes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stream/adversarial");
    group.sample_size(10);
    for shape in adversarial::SHAPES {
        let text = shape.text(MIB);
        let cuts = Cuts::every(4, &text);
        let mut parser = Parser::new(adversarial::policy());
        let expected = count::stream(&mut parser, cuts.of(&text));
        group.throughput(Throughput::ElementsAndBytes { elements: cuts.count() as u64, bytes: text.len() as u64 });
        group.bench_function(shape.name, |bencher| {
            bencher.iter(|| assert_eq!(count::stream(&mut parser, cuts.of(black_box(&text))), expected));
        });
    }
}

fn cuts(text: &str) -> impl Iterator<Item = (&'static str, Cuts)> {
    let every = [("1 byte", 1), ("4 bytes", 4), ("16 bytes", 16), ("4096 bytes", 4096)];
    let every = every.map(|(name, size)| (name, Cuts::every(size, text)));
    every.into_iter().chain([("1 to 16 bytes", Cuts::random(text))])
}
