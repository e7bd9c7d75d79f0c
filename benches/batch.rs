//! Whole replies, into a warm arena: `cargo bench --bench batch`.

mod corpus;

use std::hint::black_box;

use bumpalo::Bump;
use corpus::{Count, KIB, MIB, adversarial, count};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tagwire::Policy;
use tagwire::workforce::edit::edit_blocks;

criterion_group!(benches, corpora, mixed, adversarial_shapes, edit_bodies);
criterion_main!(benches);

fn corpora(criterion: &mut Criterion) {
    for name in ["prose", "plain", "code", "dense"] {
        let mut group = criterion.benchmark_group(format!("batch/{name}"));
        for size in [64 * KIB, MIB] {
            let reply = corpus::corpus(name, size);
            let (policy, mut arena) = (reply.policy(), Bump::new());
            group.throughput(Throughput::Bytes(size as u64));
            group.bench_function(BenchmarkId::from_parameter(size_name(size)), |bencher| {
                bencher.iter(|| {
                    arena.reset();
                    assert_eq!(count::batch(&policy, black_box(&reply.text), &arena), reply.count);
                });
            });
        }
    }
}

fn mixed(criterion: &mut Criterion) {
    let replies = corpus::mixed(corpus::MIXED);
    let policies: Vec<Policy<'_>> = replies.iter().map(corpus::Reply::policy).collect();
    let mut expected = Count::default();
    replies.iter().for_each(|reply| expected.add(reply.count));
    let mut arena = Bump::new();
    let mut group = criterion.benchmark_group("batch/mixed");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(replies.iter().map(|reply| reply.text.len() as u64).sum()));
    group.bench_function("20000 replies", |bencher| {
        bencher.iter(|| {
            let mut sum = Count::default();
            for (reply, policy) in replies.iter().zip(&policies) {
                arena.reset();
                sum.add(count::batch(policy, black_box(&reply.text), &arena));
            }
            assert_eq!(sum, expected);
        });
    });
}

fn adversarial_shapes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("batch/adversarial");
    group.sample_size(10);
    for shape in adversarial::SHAPES {
        let text = shape.text(MIB);
        let (policy, mut arena) = (adversarial::policy(), Bump::new());
        let expected = count::batch(&policy, &text, &arena);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(shape.name, |bencher| {
            bencher.iter(|| {
                arena.reset();
                assert_eq!(count::batch(&policy, black_box(&text), &arena), expected);
            });
        });
    }
}

fn edit_bodies(criterion: &mut Criterion) {
    let body = corpus::edit_body(64 * KIB);
    let expected = body.matches("<<<OLD\n").count();
    let mut group = criterion.benchmark_group("edit blocks");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("well-formed", |bencher| {
        bencher.iter(|| assert_eq!(edit_blocks(black_box(&body)).map(|blocks| blocks.len()), Ok(expected)));
    });
}

fn size_name(size: usize) -> String {
    if size < MIB { format!("{} KiB", size / KIB) } else { format!("{} MiB", size / MIB) }
}
