//! Compares the hits of the flat index with the hits of Faiss, and measures the recall of the HNSW index, for GloVe
//! word vectors. The files are part of the repository (`test/golden/README.md`).

mod common;

use std::io::Read;
use std::path::PathBuf;

use common::graph::{SMALL, flat, hnsw, recall};
use common::score;
use control::Control;
use dense::{DEFAULT_EF_SEARCH, Error, HnswOptions, InnerProduct, Similarity};

/// The dimension of the vectors.
const DIM: usize = 100;
/// The number of neighbors per query in the files.
const K: usize = 20;

/// Decompresses a file in `test/golden`.
fn unpack(file: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden").join(file);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).expect("a committed file");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    bytes
}

/// Reads the vectors of a file, which has numbers in half precision.
fn vectors(file: &str) -> Vec<f32> {
    let bytes = unpack(file);
    bytes.as_chunks::<2>().0.iter().map(|&half| half::f16::from_le_bytes(half).to_f32()).collect()
}

/// Reads the neighbors that Faiss found. Returns their rows and scores for each query, best first. Multiplies the
/// scores in the file by `sign`, which is −1 for distances, so that a higher score is better.
fn neighbors(file: &str, sign: f64) -> Vec<Vec<(usize, f64)>> {
    let text = String::from_utf8(unpack(file)).expect("UTF-8");
    let neighbor = |column: &str| {
        let (row, score) = column.split_once(':').expect("row:score");
        (row.parse().expect("a row"), sign * score.parse::<f64>().expect("a score"))
    };
    text.lines().map(|line| line.split('\t').map(neighbor).collect()).collect()
}

#[test]
fn the_flat_index_finds_the_neighbors_that_faiss_finds() -> Result<(), Error> {
    let (base, queries) = (vectors("glove.base.f16.gz"), vectors("glove.queries.f16.gz"));
    assert_eq!((base.len(), queries.len()), (1000 * DIM, 100 * DIM));
    let files = [(Similarity::Dot, "inner-product", 1.0), (Similarity::L2, "l2", -1.0)];
    for (similarity, file, sign) in files {
        let index = flat(DIM, similarity, &base);
        let found = index.search_many(&queries, K, 2, &Control::new())?;
        let expected = neighbors(&format!("faiss.{file}.tsv.gz"), sign);
        assert_eq!(found.len(), expected.len());
        for (query, (hits, expected)) in queries.chunks(DIM).zip(found.iter().zip(expected)) {
            assert_eq!(hits.len(), K);
            for (hit, (row, faiss_score)) in hits.iter().zip(expected) {
                let vector = |row: usize| &base[row * DIM..][..DIM];
                // Faiss adds the products in a different order. Its scores have about the same error bound as ours, and
                // are rounded to about seven significant digits in the file.
                let (_, error) = score(similarity, query, vector(hit.ord as usize));
                let tolerance = 2.0 * error + 1e-6 * faiss_score.abs();
                assert!(
                    (f64::from(hit.score) - faiss_score).abs() <= tolerance,
                    "{file}: {hit:?} for {faiss_score}"
                );
                // Another row may have this rank only if the scores of both rows are equal up to rounding errors.
                if hit.ord as usize != row {
                    let expected = score(similarity, query, vector(row)).0;
                    assert!(
                        (f64::from(hit.score) - expected).abs() <= tolerance,
                        "{file}: {hit:?} for row {row}"
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_hnsw_index_finds_nearly_all_neighbors() -> Result<(), Error> {
    let (base, queries) = (vectors("glove.base.f16.gz"), vectors("glove.queries.f16.gz"));
    let graph = HnswOptions { inner_product: InnerProduct::Graph, ..SMALL };
    for (similarity, options) in [(Similarity::Dot, graph), (Similarity::L2, SMALL)] {
        let exact = flat(DIM, similarity, &base).search_many(&queries, K, 2, &Control::new())?;
        let graph = hnsw(DIM, similarity, options, &base, 1);
        let found = graph.search_many(&queries, K, DEFAULT_EF_SEARCH, 2, &Control::new())?;
        let recall = recall(&exact, &found);
        assert!(recall >= 0.95, "{similarity:?}: recall@20 {recall}");
    }
    Ok(())
}
