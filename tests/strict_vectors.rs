//! The naive twin of the strict dialect, which the library is compared with elsewhere, gives the answers of the vectors.

mod support;

use support::strict_vectors::{PROTOCOLS, strict_protocol, strict_vectors};

#[test]
fn strict_twin_gives_the_answers_of_the_vectors() {
    let protocols = PROTOCOLS.map(|name| (name, strict_protocol(name)));
    let mut different = 0;
    for vector in strict_vectors() {
        let (_, protocol) = protocols.iter().find(|(name, _)| *name == vector.protocol).expect("a protocol");
        let answer = vector.twin(protocol).read(&vector.text).to_json().to_string();
        if answer != vector.expected.to_string() {
            different += 1;
            println!("{} ({}): {:?}\n  {answer}\n  {}", vector.id, vector.shows, vector.text, vector.expected);
        }
    }
    assert_eq!(different, 0);
}
