//! What a look costs, against how many files there are: when nothing has changed, and when ten have.

#![expect(
    clippy::unwrap_used,
    reason = "a bench may panic, and criterion's macros write functions"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sayso_verify::change::Place;
use sayso_verify::tree::{Folder, Location, Names, Tree};

/// A hundred files of a kilobyte to a folder.
fn fill(folder: &Path, files: usize) {
    for file in 0..files {
        let place = folder.join(format!("{:04}", file / 100));
        if file % 100 == 0 {
            fs::create_dir_all(&place).unwrap();
        }
        let text = format!("file {file}\n").repeat(100);
        fs::write(place.join(format!("{file}.txt")), text).unwrap();
    }
}

fn looks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("look");
    group.sample_size(10);
    for files in [1_000, 10_000, 50_000] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("contents")).unwrap();
        fill(&at("files"), files);
        fs::create_dir_all(at("upper")).unwrap();
        let plain = Location::Plain(at("files"));
        let (lower, upper) = (at("files"), at("upper"));
        let overlay = Location::Overlay { lower, upper };
        for (kind, location, written) in [("plain", plain, "files"), ("overlay", overlay, "upper")]
        {
            let path = "/workspace".into();
            let place = Place::Workspace;
            let folders = vec![Folder {
                path,
                place,
                location,
            }];
            let mut tree = Tree::new(folders, at("contents"));
            let mut before = tree.look(&BTreeSet::new()).unwrap();
            let unchanged = BenchmarkId::new(format!("{kind}, unchanged"), files);
            group.bench_function(unchanged, |bench| {
                bench.iter(|| tree.look(&BTreeSet::new()).unwrap());
            });
            let mut round = 0;
            let changed = BenchmarkId::new(format!("{kind}, ten changed and compared"), files);
            group.bench_function(changed, |bench| {
                bench.iter(|| {
                    round += 1;
                    for file in 0..10 {
                        let path = at(written).join("0000").join(format!("{file}.txt"));
                        fs::create_dir_all(path.parent().unwrap()).unwrap();
                        fs::write(path, format!("round {round}\n")).unwrap();
                    }
                    let after = tree.look(&BTreeSet::new()).unwrap();
                    let changes = tree.between(&before, &after, &Names::default());
                    before = after;
                    changes
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, looks);
criterion_main!(benches);
