//! Flat and HNSW indexes.

use std::path::Path;
use std::sync::Arc;

use corpus::PassageStore;
use dense::{FlatIndex, FlatWriter, HnswIndex, HnswOptions, InnerProduct, Similarity};
use inference::{EncodeOptions, EncoderInput};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::{Hit, Run, ScoredId};

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::inference::NativeEncoder;
use crate::opened::Opened;
use crate::run::{Hits, NativeRun, named};
use crate::task::{Outcome, call, spawn};

/// Vectors on their way from JavaScript, copied a slice at a time.
#[napi]
#[derive(Default)]
pub struct VectorBatch {
    ids: Vec<String>,
    data: Vec<f32>,
}

#[napi]
impl VectorBatch {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi]
    pub fn push(&mut self, ids: Vec<String>, data: &[f32]) {
        self.ids.extend(ids);
        self.data.extend_from_slice(data);
    }
}

impl VectorBatch {
    fn take(&mut self) -> (Vec<String>, Vec<f32>) {
        (std::mem::take(&mut self.ids), std::mem::take(&mut self.data))
    }
}

fn similarity(name: &str) -> Outcome<Similarity> {
    Similarity::from_name(name)
        .ok_or_else(|| Failure::argument(format!("similarity: expected dot, cosine or l2, got \"{name}\"")))
}

fn metadata(json: &str) -> Outcome<serde_json::Value> {
    serde_json::from_str(json)
        .map_err(|error| Failure::argument(format!("metadata: expected JSON, got {error}")))
}

fn hits<'a>(found: &[Hit], id: impl Fn(u32) -> &'a str) -> Hits {
    Hits::new(found.iter().map(|hit| id(hit.ord).to_owned()).collect(), found)
}

fn run<'a>(queries: Vec<String>, lists: Vec<Vec<Hit>>, id: impl Fn(u32) -> &'a str) -> Outcome<Run> {
    let list = |list: Vec<Hit>| {
        list.iter().map(|hit| ScoredId { id: id(hit.ord).to_owned(), score: hit.score }).collect()
    };
    named(queries, lists.into_iter().map(list))
}

#[napi]
pub struct NativeFlatIndex {
    inner: Option<Arc<Opened<FlatIndex>>>,
}

#[napi(ts_return_type = "Promise<NativeFlatIndex>")]
pub fn open_flat_index(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let index = FlatIndex::open(Path::new(&path))?;
        Ok(NativeFlatIndex { inner: Some(Opened::new(index)) })
    })
}

impl NativeFlatIndex {
    fn opened(&self) -> Outcome<Arc<Opened<FlatIndex>>> {
        self.inner.clone().ok_or_else(|| Failure::closed("index"))
    }
}

#[napi]
impl NativeFlatIndex {
    #[napi(constructor)]
    pub fn new(dim: u32, similarity_name: String, metadata_json: String) -> napi::Result<Self> {
        call(|| {
            let index =
                FlatIndex::new(dim as usize, similarity(&similarity_name)?, metadata(&metadata_json)?)?;
            Ok(Self { inner: Some(Opened::new(index)) })
        })
    }

    #[napi(getter)]
    pub fn dim(&self) -> napi::Result<u32> {
        Ok(self.opened()?.dim)
    }

    #[napi(getter)]
    pub fn size(&self) -> napi::Result<u32> {
        Ok(self.opened()?.size())
    }

    #[napi(getter)]
    pub fn similarity(&self) -> napi::Result<String> {
        Ok(self.opened()?.similarity.to_owned())
    }

    #[napi(getter)]
    pub fn metadata(&self) -> napi::Result<String> {
        Ok(self.opened()?.metadata.clone())
    }

    #[napi(getter)]
    pub fn memory_bytes(&self) -> napi::Result<f64> {
        Ok(self.opened()?.bytes())
    }

    #[napi(ts_return_type = "Promise<void>")]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, (ids, data)) = (self.opened(), or_new(control), batch.take());
        spawn(env, move || {
            control.check()?;
            index?.write(|index| Ok(index.add(ids, &data)?))
        })
    }

    /// Resolves to how many of the ids were there.
    #[napi(ts_return_type = "Promise<number>")]
    pub fn delete<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            index?.write(|index| {
                let known = known(ids, |id| index.ord(id).is_some());
                index.delete(&known)?;
                Ok(known.len() as u32)
            })
        })
    }

    #[napi(ts_return_type = "Promise<Hits>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: &[f32],
        k: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, query) = (self.opened(), or_new(control), query.to_vec());
        spawn(env, move || {
            index?.read(|index| {
                let found = index.search(&query, k as usize, &control)?;
                Ok(hits(&found, |ord| index.id(ord)))
            })
        })
    }

    #[napi(ts_return_type = "Promise<NativeRun>")]
    pub fn search_many<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        k: u32,
        thread_count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, (queries, data)) = (self.opened(), or_new(control), batch.take());
        spawn(env, move || {
            index?.read(|index| {
                control.set_total(queries.len() as u64);
                let lists = index.search_many(&data, k as usize, thread_count as usize, &control)?;
                Ok(NativeRun::from(run(queries, lists, |ord| index.id(ord))?))
            })
        })
    }

    #[napi(ts_return_type = "Promise<void>")]
    pub fn save<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || index?.read(|index| Ok(index.save(Path::new(&path))?)))
    }

    #[napi]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

#[napi(object)]
pub struct NativeHnswOptions {
    pub dim: u32,
    pub similarity: String,
    pub metadata: String,
    pub m: u32,
    pub ef_construction: u32,
    pub seed: u32,
    pub inner_product: String,
    pub threads: u32,
}

#[napi]
pub struct NativeHnswIndex {
    inner: Option<Arc<Opened<HnswIndex>>>,
    threads: u32,
}

#[napi(ts_return_type = "Promise<NativeHnswIndex>")]
pub fn open_hnsw_index(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let index = HnswIndex::open(Path::new(&path))?;
        Ok(NativeHnswIndex { inner: Some(Opened::new(index)), threads: 0 })
    })
}

impl NativeHnswIndex {
    fn opened(&self) -> Outcome<Arc<Opened<HnswIndex>>> {
        self.inner.clone().ok_or_else(|| Failure::closed("index"))
    }
}

#[napi]
impl NativeHnswIndex {
    #[napi(constructor)]
    pub fn new(options: NativeHnswOptions) -> napi::Result<Self> {
        call(|| {
            let inner_product = InnerProduct::from_name(&options.inner_product).ok_or_else(|| {
                let got = &options.inner_product;
                Failure::argument(format!("innerProduct: expected graph or augmentedL2, got \"{got}\""))
            })?;
            let chosen = HnswOptions {
                m: options.m as usize,
                ef_construction: options.ef_construction as usize,
                seed: u64::from(options.seed),
                inner_product,
                ..HnswOptions::default()
            };
            let similarity = similarity(&options.similarity)?;
            let index =
                HnswIndex::new(options.dim as usize, similarity, chosen, metadata(&options.metadata)?)?;
            Ok(Self { inner: Some(Opened::new(index)), threads: options.threads })
        })
    }

    #[napi(getter)]
    pub fn dim(&self) -> napi::Result<u32> {
        Ok(self.opened()?.dim)
    }

    #[napi(getter)]
    pub fn size(&self) -> napi::Result<u32> {
        Ok(self.opened()?.size())
    }

    #[napi(getter)]
    pub fn similarity(&self) -> napi::Result<String> {
        Ok(self.opened()?.similarity.to_owned())
    }

    #[napi(getter)]
    pub fn metadata(&self) -> napi::Result<String> {
        Ok(self.opened()?.metadata.clone())
    }

    #[napi(getter)]
    pub fn memory_bytes(&self) -> napi::Result<f64> {
        Ok(self.opened()?.bytes())
    }

    #[napi(ts_return_type = "Promise<void>")]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, (ids, data), threads) =
            (self.opened(), or_new(control), batch.take(), self.threads as usize);
        spawn(env, move || {
            control.set_total(ids.len() as u64);
            index?.write(|index| Ok(index.add(ids, &data, threads, &control)?))
        })
    }

    /// Resolves to how many of the ids were there.
    #[napi(ts_return_type = "Promise<number>")]
    pub fn delete<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            index?.write(|index| {
                let known = known(ids, |id| index.ord(id).is_some());
                index.delete(&known)?;
                Ok(known.len() as u32)
            })
        })
    }

    #[napi(ts_return_type = "Promise<Hits>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: &[f32],
        k: u32,
        ef_search: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, query) = (self.opened(), or_new(control), query.to_vec());
        spawn(env, move || {
            index?.read(|index| {
                let found = index.search(&query, k as usize, ef_search as usize, &control)?;
                Ok(hits(&found, |ord| index.id(ord)))
            })
        })
    }

    #[napi(ts_return_type = "Promise<NativeRun>")]
    pub fn search_many<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        k: u32,
        ef_search: u32,
        thread_count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, (queries, data)) = (self.opened(), or_new(control), batch.take());
        spawn(env, move || {
            index?.read(|index| {
                control.set_total(queries.len() as u64);
                let lists = index.search_many(
                    &data,
                    k as usize,
                    ef_search as usize,
                    thread_count as usize,
                    &control,
                )?;
                Ok(NativeRun::from(run(queries, lists, |ord| index.id(ord))?))
            })
        })
    }

    #[napi(ts_return_type = "Promise<void>")]
    pub fn save<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || index?.read(|index| Ok(index.save(Path::new(&path))?)))
    }

    #[napi]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

/// The ids that are there, each once.
fn known(ids: Vec<String>, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    ids.into_iter().filter(|id| is_there(id) && seen.insert(id.clone())).collect()
}

/// Passages encoded at a time: enough to sort by length, few enough to hold.
const PASSAGES_AT_A_TIME: u32 = 1024;

/// Encodes the passages of a store into a flat index file.
#[napi(ts_return_type = "Promise<void>")]
pub fn encode_store<'env>(
    env: &'env Env,
    encoder: &NativeEncoder,
    store: String,
    output: String,
    metadata_json: String,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (encoder, control) = (encoder.inner.clone(), or_new(control));
    spawn(env, move || {
        let encoder = encoder.ok_or_else(|| Failure::closed("encoder"))?;
        let store = PassageStore::open(Path::new(&store))?;
        let mut writer = FlatWriter::create(Path::new(&output), encoder.dim(), Similarity::Dot)?;
        let size = store.len();
        control.set_total(u64::from(size));
        for start in (0..size).step_by(PASSAGES_AT_A_TIME as usize) {
            let passages: Vec<_> = (start..size.min(start + PASSAGES_AT_A_TIME))
                .map(|ord| store.get(ord))
                .collect::<Result<_, _>>()?;
            let inputs: Vec<EncoderInput<'_>> = passages
                .iter()
                .map(|passage| EncoderInput { title: passage.title, text: passage.text })
                .collect();
            let vectors = encoder.encode(&inputs, &EncodeOptions::default(), &control)?;
            let ids: Vec<&str> = passages.iter().map(|passage| passage.id).collect();
            writer.push(&ids, &vectors)?;
        }
        Ok(writer.finish(&metadata(&metadata_json)?)?)
    })
}

/// Links the vectors of a flat index file into an HNSW index file with the same ids and metadata.
#[napi(ts_return_type = "Promise<void>")]
#[allow(clippy::too_many_arguments)]
pub fn build_hnsw_from_flat<'env>(
    env: &'env Env,
    flat: String,
    output: String,
    m: u32,
    ef_construction: u32,
    seed: u32,
    thread_count: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    spawn(env, move || {
        let flat = FlatIndex::open(Path::new(&flat))?;
        let options = HnswOptions {
            m: m as usize,
            ef_construction: ef_construction as usize,
            seed: u64::from(seed),
            ..HnswOptions::default()
        };
        control.set_total(flat.len() as u64);
        let index = HnswIndex::from_flat(flat, options, thread_count as usize, &control)?;
        Ok(index.save(Path::new(&output))?)
    })
}
