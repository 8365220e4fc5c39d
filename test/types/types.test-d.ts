// Tests which programs the types accept and refuse. This file is compiled but never run. The tsconfig.json in the root
// folder compiles it against the sources, and the tsconfig.json next to it against the published declarations in dist/.
import {
	type Analyzer,
	Bm25Index,
	Bm25Writer,
	Collection,
	type CollectionHit,
	type CollectionSearchOptions,
	ConfidenceSearcher,
	DenseSearcher,
	type Document,
	type Encoder,
	ExtractiveReader,
	type Filter,
	type FilterableSearcher,
	FlatIndex,
	type FlatStorage,
	type FusionMethod,
	type Hit,
	type Highlight,
	HitLists,
	HnswIndex,
	HybridSearcher,
	type IndexHandle,
	JudgedLists,
	LexicalEnrichment,
	OnnxEncoder,
	type Passage,
	type PassageFields,
	PassageStore,
	PhraseSegmenter,
	type Question,
	ReadingCache,
	Readings,
	RetrievalError,
	type Run,
	type Searcher,
	type SnowballLanguage,
	type StoredFields,
	type StoredPassage,
	Tokenizer,
	VectorFilter,
	VocabularyProjection,
	evaluate,
	fitTemperature,
	fuse,
	fuseByConfidence,
	overlap,
	selectModels,
	significance,
	topKAccuracy,
} from 'passagekit';

// These constructors are private. Each comment says what creates the object instead.
// @ts-expect-error: use `Bm25Index.open` or `Bm25Index.build`
void new Bm25Index();
// @ts-expect-error: use `Bm25Writer.open` or `Bm25Writer.create`
void new Bm25Writer();
// @ts-expect-error: use `Collection.open`, `Collection.build` or `Collection.attach`
void new Collection();
// @ts-expect-error: use `ExtractiveReader.load`
void new ExtractiveReader();
// @ts-expect-error: use the method `searchManyColumns` of a vector index
void new HitLists();
// @ts-expect-error: use `JudgedLists.judge`
void new JudgedLists();
// @ts-expect-error: use `LexicalEnrichment.fit`
void new LexicalEnrichment();
// @ts-expect-error: use `OnnxEncoder.load`
void new OnnxEncoder();
// @ts-expect-error: use `PassageStore.open`
void new PassageStore();
// @ts-expect-error: use `PhraseSegmenter.open`
void new PhraseSegmenter();
// @ts-expect-error: use `ReadingCache.open`
void new ReadingCache();
// @ts-expect-error: use the method `readRun` of an extractive reader
void new Readings();
// @ts-expect-error: use `Tokenizer.load`
void new Tokenizer();
// @ts-expect-error: use the method `filter` of a vector index
void new VectorFilter();
// @ts-expect-error: use `VocabularyProjection.load`
void new VocabularyProjection();

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** `same<A, B>(true)` compiles only if A and B are the same type. */
declare function same<A, B>(equal: Equal<A, B>): void;

declare const run: Run;
declare const encoder: Encoder;

export async function program(): Promise<void> {
	// Everything that ranks passages is a Searcher.
	const bm25 = await Bm25Index.open('bm25', {k1: 0.9});
	const flat = new FlatIndex({dim: 384});
	const searchers: Searcher[] = [
		bm25,
		new DenseSearcher({encoder, index: flat}),
		new DenseSearcher({encoder, index: await HnswIndex.open('x')}),
	];
	searchers.push(new HybridSearcher({dense: searchers[1]!, sparse: bm25, fusion: {method: 'hybridNorm', alpha: 0.5}}));

	// selectModels keeps the additional properties of each model and adds its accuracy.
	const selected = await selectModels([{name: 'bm25', run, temperature: 3, searcher: bm25}], new Map());
	same<(typeof selected)[0]['accuracy'], number>(true);
	searchers.push(new ConfidenceSearcher({models: selected}));
	await fuseByConfidence(selected);
	await fuseByConfidence([{name: 'bm25', run}], {temperature: 3});
	// Only the gradient descent returns the temperatures of its steps, as `path`.
	const pair = {data: Float32Array.of(2, 1), rows: 1, dim: 2};
	void (await fitTemperature(pair, [true], {method: 'descent', start: 1})).path;
	// @ts-expect-error the default method, a search, has no path
	void (await fitTemperature(pair, [true])).path;
	// @ts-expect-error a search has no initial temperature
	await fitTemperature(pair, [true], {start: 1});

	// The result has exactly the requested measures.
	const {mean} = await evaluate(run, new Map(), ['nDCG@10', 'RR']);
	same<typeof mean, Readonly<Record<'nDCG@10' | 'RR', number>>>(true);
	// @ts-expect-error the measure was not requested
	void mean['R@100'];
	// @ts-expect-error no such measure
	await evaluate(run, new Map(), ['ndcg@10']);
	// Two evaluations can be compared only by a measure that both of them have.
	const ranks = await evaluate(run, new Map(), ['RR']);
	const both = await evaluate(run, new Map(), ['nDCG@10', 'RR']);
	await significance(ranks, both, 'RR', {test: 'randomization'});
	// @ts-expect-error only one evaluation has the measure
	await significance(ranks, both, 'nDCG@10');
	// @ts-expect-error no such test
	await significance(ranks, both, 'RR', {test: 'sign'});
	const {jaccard} = await overlap(run, run, [20]);
	same<typeof jaccard, ReadonlyMap<number, number>>(true);

	// The analyzer of one index can be passed to open another. Each type of analyzer has its own options.
	const analyzers: Analyzer[] = [
		bm25.analyzer,
		'snowball:german',
		{type: 'english', stopWords: ['the']},
		{type: 'snowball', language: 'finnish', stopWords: []},
		{type: 'wordpiece', tokenizer: 'models/minilm-encoder'},
	];
	await Bm25Index.open('bm25', {analyzer: analyzers[0], b: 0.4});
	if (bm25.analyzer.type === 'snowball') {
		same<typeof bm25.analyzer.language, SnowballLanguage>(true);
	}
	// @ts-expect-error Snowball has no such language
	analyzers.push('snowball:klingon');
	// @ts-expect-error the language is missing
	analyzers.push({type: 'snowball'});
	// @ts-expect-error the tokenizer is missing
	analyzers.push({type: 'wordpiece'});
	// @ts-expect-error the English analyzer has no language option
	analyzers.push({type: 'english', language: 'german'});

	// Each fusion method has its own parameters.
	await fuse({dense: run, sparse: run}, {method: 'rrf'});
	// @ts-expect-error a hybrid needs its weight
	await fuse({dense: run, sparse: run}, {method: 'hybrid'});
	// @ts-expect-error λ belongs to dprHybrid
	const wrong: FusionMethod = {method: 'rrf', lambda: 2};
	void wrong;

	const questions: Question[] = [{id: 'q', text: 'who?', answers: ['me']}];
	const {accuracy} = await topKAccuracy(run, questions, new Map<string, Passage>(), [20, 100]);
	same<typeof accuracy, ReadonlyMap<number, number>>(true);

	// Results are read-only.
	const [hit] = await bm25.search('question');
	// @ts-expect-error readonly
	hit!.score = 1;

	// The bounds of a range have the same type.
	const filter: Filter = {and: [{ids: ['p']}, {not: {range: {field: 'year', gte: 2000, lt: 2010}}}, {exists: {field: 'x'}}]};
	await bm25.search('question', {k: 5, filter});
	await bm25.searchMany([], {filter: {range: {field: 'name', gt: 'a'}}});
	await bm25.searchTerms([], {filter: {in: {field: 'year', values: [1, 'one', true]}}});
	// @ts-expect-error one bound is a number, the other a string
	await bm25.search('question', {filter: {range: {field: 'year', gte: 2000, lt: '2010'}}});
	// @ts-expect-error a list is not a value
	await bm25.search('question', {filter: {equals: {field: 'tags', value: ['a']}}});
	// @ts-expect-error no such condition
	await bm25.search('question', {filter: {like: {field: 'tags', value: 'a'}}});
	// In the short form of a filter, a key is the name of a field, and its value is a condition on that field.
	await bm25.search('question', {filter: {price: {lt: 50, not: 7}, category: ['light', 'desk'], inStock: true, added: {gte: new Date()}}});
	await bm25.search('question', {filter: {inStock: true, documents: ['d'], not: {category: 'light'}, range: {field: 'year', gte: 2000}}});
	await bm25.search('question', {filter: {}});
	// @ts-expect-error no such operator
	await bm25.search('question', {filter: {price: {ltt: 50}}});
	// @ts-expect-error one bound is a number, the other a string
	await bm25.search('question', {filter: {price: {gte: 50, lt: '60'}}});
	// @ts-expect-error a boolean cannot be a bound
	await bm25.search('question', {filter: {inStock: {lt: true}}});
	// @ts-expect-error a prefix is a string
	await bm25.search('question', {filter: {price: {prefix: 5}}});
	// @ts-expect-error undefined is not a value
	await bm25.search('question', {filter: {price: undefined}});

	// If the fields of a filter are declared, it accepts no other names and no values of other types.
	interface Lamp {
		readonly price: number;
		readonly category: 'light' | 'desk';
		readonly inStock?: boolean;
		readonly added: Date;
		readonly tags: readonly string[];
		readonly code: string | number;
	}
	const lamps: Filter<Lamp>[] = [
		{},
		{price: {gte: 5, lt: undefined}, category: ['light'], inStock: true, added: {gt: new Date(), lte: '2025'}, tags: 'red'},
		{category: {prefix: 'li', gt: 'a', not: ['desk']}, tags: {in: ['red'], exists: true}, added: {prefix: '2024-05'}},
		{code: {lt: 5}, or: [{code: 'x'}, {code: {gte: 'x', prefix: 'x'}}], not: {inStock: {not: true}}, ids: ['p'], documents: ['d']},
		{equals: {field: 'price', value: 5}, in: {field: 'tags', values: ['red']}, prefix: {field: 'category', value: 'l'}},
		{range: {field: 'added', gte: new Date(), lt: '2025'}, exists: {field: 'inStock'}, and: [{range: {field: 'price', gt: 5}}]},
	];
	await bm25.search('question', {filter: lamps[0]});
	const fewer: Filter<{price: number}> = {price: 5};
	lamps.push(fewer);
	// @ts-expect-error the filter may have conditions on other fields
	const more: Filter<{price: number}> = lamps[0]!;
	void more;
	// @ts-expect-error no such field
	lamps.push({prise: 5});
	// @ts-expect-error the price is a number
	lamps.push({price: '5'});
	// @ts-expect-error the price is a number
	lamps.push({or: [{price: {not: {lt: '5'}}}]});
	// @ts-expect-error numbers have no prefix
	lamps.push({price: {prefix: '5'}});
	// @ts-expect-error booleans have no order
	lamps.push({inStock: {lt: true}});
	// @ts-expect-error no such category
	lamps.push({category: ['light', 'chair']});
	// @ts-expect-error undefined is not a value
	lamps.push({inStock: undefined});
	// @ts-expect-error only a field of dates can be compared with a date
	lamps.push({tags: new Date()});
	// @ts-expect-error the price is a number
	lamps.push({equals: {field: 'price', value: '5'}});
	// @ts-expect-error no such field
	lamps.push({exists: {field: 'prise'}});
	// @ts-expect-error booleans have no order
	lamps.push({range: {field: 'inStock', gte: true}});
	// @ts-expect-error numbers have no prefix
	lamps.push({prefix: {field: 'price', value: '5'}});

	// @ts-expect-error not every Searcher supports filters
	await searchers[1]!.search('question', {filter});
	// All searchers of this package support filters. A dense searcher gets the fields from a BM25 index. It also accepts a filter that its
	// vector index has compiled.
	const filterable: FilterableSearcher[] = [
		bm25,
		new DenseSearcher({encoder, index: flat, fields: bm25}),
		new HybridSearcher({dense: searchers[1]!, sparse: bm25}),
		new ConfidenceSearcher({models: selected}),
		await (await Collection.open('index')).searcher('hybrid'),
	];
	for (const searcher of filterable) {
		searcher.checkFilter(filter);
		await searcher.search('question', {filter: lamps[0]});
		await searcher.searchMany([], {filter: {price: {lt: 50}}});
	}
	const denseSearcher = new DenseSearcher({encoder, index: flat, fields: bm25});
	await denseSearcher.search('question', {filter: {price: {lt: 50}, not: {ids: ['p']}}});
	await denseSearcher.search('question', {filter: {where: id => id.startsWith('de')}});
	await denseSearcher.search('question', {filter: await flat.filter({ids: ['p']})});
	// @ts-expect-error one bound is a number, the other a string
	await denseSearcher.search('question', {filter: {price: {gte: 5, lt: '50'}}});
	// @ts-expect-error no such operator
	await new HybridSearcher({searchers: filterable}).search('question', {filter: {price: {ltt: 50}}});
	// @ts-expect-error a hybrid searcher does not accept a filter that a vector index has compiled
	await new HybridSearcher({searchers: filterable}).search('question', {filter: await flat.filter({ids: ['p']})});
	// @ts-expect-error vectors have no fields
	void new DenseSearcher({encoder, index: flat, fields: flat});
	same<Awaited<ReturnType<typeof bm25.matching>>, string[]>(true);
	// A searcher without `checkFilter` is a Searcher, but it does not support filters.
	const own: Searcher = {search: async () => [], searchMany: async () => new Map()};
	// @ts-expect-error a filterable searcher needs `checkFilter`
	const declared: FilterableSearcher = own;
	void declared;
	const passage: Passage = {id: 'p', text: 'me', fields: {year: 2020, tags: ['a'], draft: false}};
	same<typeof passage.fields, PassageFields | undefined>(true);
	const dated: PassageFields = {added: new Date(), changes: [new Date(), '2024']};
	void dated;
	// @ts-expect-error fields cannot be nested
	const nested: PassageFields = {a: {b: 1}};
	void nested;
	const read = await bm25.fields('p');
	same<typeof read, StoredFields>(true);
	// Stored fields can be written to another index.
	const copied: PassageFields = read;
	void copied;
	// @ts-expect-error dates are read as strings
	const readDate: Date | undefined = read['added'];
	void readDate;
	// @ts-expect-error readonly
	read['year'] = 2021;

	// A filter of a vector index selects by ids only. The index can compile a filter, which can then be part of other filters.
	const vector = new Float32Array(384);
	const german = await flat.filter({where: id => id.startsWith('de')});
	same<typeof german, VectorFilter>(true);
	const hits = await flat.search(vector, {k: 5, filter: {and: [german, {not: {ids: ['de/1']}}]}});
	same<typeof hits, Hit[]>(true);
	// @ts-expect-error vectors have no fields
	await flat.search(vector, {filter: {equals: {field: 'x', value: 1}}});
	// @ts-expect-error the predicate must return a boolean
	await flat.filter({where: id => id.length});
	// @ts-expect-error the predicate must be synchronous
	await flat.filter({where: async () => true});
	const {ids, scores} = await flat.searchColumns(vector, {k: 5, filter: german});
	same<typeof ids, string[]>(true);
	same<typeof scores, Float32Array>(true);
	const lists = await flat.searchManyColumns({data: vector, rows: 1, dim: 384});
	same<typeof lists, HitLists>(true);
	await flat.update(['a'], {data: vector, rows: 1, dim: 384}, {upsert: true});
	// @ts-expect-error a query is a Float32Array, not an array
	await flat.search([1, 2, 3]);
	same<Awaited<ReturnType<typeof flat.get>>, Float32Array | undefined>(true);
	for await (const id of flat.ids()) {
		same<typeof id, string>(true);
	}

	// A flat index has a storage and reports it; an HNSW index has a layout instead.
	const halved = await FlatIndex.build('flat', 'vectors.npy', {storage: 'f16'});
	same<typeof halved.storage, FlatStorage>(true);
	// @ts-expect-error readonly
	halved.storage = 'f32';
	// @ts-expect-error no such storage
	await FlatIndex.build('flat', 'vectors.npy', {storage: 'int4'});
	// @ts-expect-error no such storage
	await Collection.build('docs', 'index', {flat: {storage: 'bf16'}});
	await Collection.build('docs', 'index', {flat: {storage: 'int8Rescored'}});
	// @ts-expect-error an HNSW index has a layout, not a storage
	void new HnswIndex({dim: 2, storage: 'f32'});

	// A handle can be attached only by the class that created it.
	const handle: IndexHandle<'FlatIndex'> = flat.share();
	FlatIndex.attach(handle);
	// @ts-expect-error a handle of another class
	HnswIndex.attach(handle);
	const collection = await Collection.open('index');
	const {answers} = await collection.ask('who?', {retriever: 'hybrid', signal: AbortSignal.timeout(1000)});
	same<(typeof answers)[number]['start'], number>(true);
	// @ts-expect-error no such retriever
	await collection.searcher('colbert');

	const reader = await ExtractiveReader.load('model', {threads: 2});
	// @ts-expect-error the passages need retrieval scores, which evidence fusion uses
	await reader.read('who?', [{id: 'p', text: 'me'}]);

	await using disposed = await OnnxEncoder.load('model');
	same<typeof disposed.dim, number>(true);
	same<typeof disposed.runtime, 'passagekit' | 'onnxruntime'>(true);
	// @ts-expect-error no such runtime
	await OnnxEncoder.load('model', {runtime: 'onnx'});

	const error = new RetrievalError('ERR_DIMENSION', 'message');
	// @ts-expect-error no such code
	void (error.code === 'ERR_NONE');
}

// Hits have only the parts that the search includes.
{
	const docs = await Collection.open('index', {create: true});
	const {hits} = await docs.search('lamp', {include: ['text', 'fields']});
	const text: string = hits[0]!.text;
	const {price} = hits[0]!.fields;
	// @ts-expect-error: the search did not ask for highlights
	void hits[0]!.highlights;
	// @ts-expect-error: the search did not ask for the sentence
	void hits[0]!.sentence;
	const withSentences = await docs.search('lamp', {retriever: 'dense', include: ['sentence']});
	same<(typeof withSentences.hits)[number]['sentence'], Highlight>(true);
	const bare = await docs.search('lamp', {k: 3});
	// @ts-expect-error: the search asked for no parts
	void bare.hits[0]!.text;
	const options: CollectionSearchOptions = {include: ['text']};
	const unknown = await docs.search('lamp', options);
	// @ts-expect-error: the text is there only if the options ask for it
	const missing: string = unknown.hits[0]!.text;
	// @ts-expect-error: no such part
	await docs.search('lamp', {include: ['body']});
	// @ts-expect-error: the id of a document is a string
	await docs.add({id: 1, text: 'x'});
	void [text, price, missing];
}

// A collection whose fields are declared accepts and returns only these.
{
	interface Product {
		price: number;
		category: 'light' | 'desk';
		name?: string;
		inStock?: boolean;
		added: Date;
		tags: string[];
		changes?: readonly (Date | string)[];
		code: string | number;
	}
	const shop = await Collection.open<Product>('shop', {create: true});
	const fields = {price: 39, category: 'light', added: new Date(), tags: ['red'], code: 'x'} as const;

	// Documents have all fields that are not optional. A string may stand for a date.
	const lamp: Document<Product> = {id: 'lamp', text: 'a lamp', fields};
	await shop.add(lamp);
	await shop.add([lamp, {id: 'desk', passages: [{text: 'a desk'}], fields: {...fields, inStock: true, added: '2024-05-31T12:00:00.000Z'}}]);
	await shop.upsert(new Set([lamp]));
	await shop.upsert(
		(async function* () {
			yield lamp;
		})(),
	);
	// @ts-expect-error the fields are missing
	await shop.add({id: 'lamp', text: 'a lamp'});
	// @ts-expect-error the code is missing
	await shop.add({id: 'lamp', text: 'a lamp', fields: {price: 39, category: 'light', added: new Date(), tags: []}});
	// @ts-expect-error no such field
	await shop.add({id: 'lamp', text: 'a lamp', fields: {...fields, prise: 39}});
	// @ts-expect-error no such field
	await shop.upsert([{id: 'lamp', text: 'a lamp', fields: {...fields, prise: 39}}]);
	// @ts-expect-error the price is a number
	await shop.upsert([{id: 'lamp', text: 'a lamp', fields: {...fields, price: '39'}}]);
	// @ts-expect-error no such category
	await shop.upsert([{id: 'lamp', text: 'a lamp', fields: {...fields, category: 'chair'}}]);
	// @ts-expect-error tags are strings
	await shop.upsert([{id: 'lamp', text: 'a lamp', fields: {...fields, tags: [5]}}]);
	// @ts-expect-error undefined is not a value
	await shop.upsert([{id: 'lamp', text: 'a lamp', fields: {...fields, inStock: undefined}}]);
	// @ts-expect-error documents whose fields are not declared may lack fields that the collection requires
	await shop.upsert([] as Document[] as Iterable<{id: string; text: string; fields: PassageFields}>);
	// @ts-expect-error no such field
	await shop.setFields('lamp', {...fields, prise: 39});
	// @ts-expect-error the other fields are missing, and setFields replaces all
	await shop.setFields('lamp', {price: 39});

	// Fields that are read can be written again: dates are read as strings, arrays are read-only.
	const [stored] = await shop.passagesOfDocument('lamp');
	same<typeof stored, StoredPassage<Product> | undefined>(true);
	same<NonNullable<typeof stored>['fields']['added'], string>(true);
	same<NonNullable<typeof stored>['fields']['tags'], readonly string[]>(true);
	same<NonNullable<typeof stored>['fields']['changes'], readonly string[] | undefined>(true);
	same<NonNullable<typeof stored>['fields']['inStock'], boolean | undefined>(true);
	same<NonNullable<typeof stored>['fields']['category'], 'light' | 'desk'>(true);
	await shop.setFields('lamp', {...stored!.fields, price: 29});
	// @ts-expect-error readonly
	stored!.fields.price = 29;
	// @ts-expect-error no such field
	void stored!.fields.prise;
	same<Awaited<ReturnType<typeof shop.get>>, Array<StoredPassage<Product>>>(true);
	same<Awaited<ReturnType<typeof shop.neighbors>>, Array<StoredPassage<Product>>>(true);
	for await (const passage of shop.scan({filter: {category: 'light'}})) {
		same<typeof passage, StoredPassage<Product>>(true);
	}
	for await (const passage of shop) {
		same<typeof passage.fields.price, number>(true);
	}

	// Hits have the declared fields, if the search asks for fields.
	const {hits} = await shop.search('lamp', {filter: {price: {lt: 50}}, include: ['fields']});
	same<(typeof hits)[number], CollectionHit<'fields', Product>>(true);
	same<(typeof hits)[number]['fields']['price'], number>(true);
	const bare = await shop.search('lamp', {filter: {price: {lt: 50}}});
	// @ts-expect-error the search asked for no parts
	void bare.hits[0]!.fields;

	// Filters accept only the declared names, with operators and values that fit the types of the fields.
	const filters: Filter<Product>[] = [
		{price: 5, category: ['light', 'desk'], inStock: true, added: {gte: new Date(), lt: '2025'}, tags: 'red', code: 7},
		{name: {gte: 'a', prefix: 'la'}, tags: {in: ['red', 'blue'], not: 'green'}, changes: {gt: new Date()}, inStock: {exists: false}},
		{or: [{price: {lt: 5}}, {not: {category: 'desk'}}], documents: ['lamp'], ids: ['lamp#0'], exists: {field: 'name'}},
	];
	await shop.search('lamp', {filter: filters[0]});
	await shop.ask('which lamp?', {filter: {or: filters}});
	await shop.delete({filter: {added: {lt: new Date(0)}}});
	// @ts-expect-error no such field
	await shop.search('lamp', {filter: {prise: 5}});
	// @ts-expect-error no such field
	await shop.search('lamp', {filter: {or: [{price: 5}, {not: {prise: 5}}]}});
	// @ts-expect-error no such field
	await shop.search('lamp', {filter: {exists: {field: 'prise'}}});
	// @ts-expect-error no such operator
	await shop.search('lamp', {filter: {price: {ltt: 5}}});
	// @ts-expect-error the price is a number
	await shop.search('lamp', {filter: {price: {lt: '5'}}});
	// @ts-expect-error the name is a string
	await shop.search('lamp', {filter: {name: {lt: 5}}});
	// @ts-expect-error the name is a string, not a date
	await shop.search('lamp', {filter: {name: {gte: new Date()}}});
	// @ts-expect-error the name is a string, not a date
	await shop.search('lamp', {filter: {range: {field: 'name', gte: new Date()}}});
	// @ts-expect-error tags are strings, not dates
	await shop.search('lamp', {filter: {tags: {gte: new Date()}}});
	// @ts-expect-error booleans have no order
	await shop.search('lamp', {filter: {inStock: {gte: true}}});
	// @ts-expect-error numbers have no prefix
	await shop.search('lamp', {filter: {price: {prefix: '5'}}});
	// @ts-expect-error no such category
	await shop.search('lamp', {filter: {category: 'chair'}});
	// @ts-expect-error undefined is not a value
	await shop.search('lamp', {filter: {price: undefined}});
	// @ts-expect-error no such field
	await shop.ask('which lamp?', {filter: {prise: 5}});
	// @ts-expect-error no such field
	await shop.count({filter: {prise: 5}});
	// @ts-expect-error no such field
	await shop.delete({filter: {prise: 5}});
	// @ts-expect-error no such field
	shop.scan({filter: {prise: 5}});

	// `facets` and `list` accept only the names of declared fields.
	same<Awaited<ReturnType<typeof shop.facets<'category'>>>[number]['value'], 'light' | 'desk'>(true);
	const [price, inStock, tag, added, code] = await Promise.all([
		shop.facets('price', {filter: {inStock: true}}),
		shop.facets('inStock'),
		shop.facets('tags'),
		shop.facets('added'),
		shop.facets('code'),
	]);
	same<(typeof price)[number]['value'], number>(true);
	same<(typeof inStock)[number]['value'], boolean>(true);
	same<(typeof tag)[number]['value'], string>(true);
	same<(typeof added)[number]['value'], string>(true);
	same<(typeof code)[number]['value'], string | number>(true);
	same<Awaited<ReturnType<typeof shop.list>>, Array<StoredPassage<Product>>>(true);
	await shop.list({sortBy: 'added', order: 'descending', filter: {inStock: true}});
	// @ts-expect-error no such field
	await shop.facets('prise');
	// @ts-expect-error no such field
	await shop.facets('price', {filter: {prise: 5}});
	// @ts-expect-error no such field
	await shop.list({sortBy: 'prise'});
	// @ts-expect-error no such field
	await shop.list({sortBy: 'price', filter: {prise: 5}});

	// The type of a variable can also declare the fields. So can the type argument of `attach`.
	const other: Collection<Product> = await Collection.open('shop');
	const attached = await Collection.attach<Product>(other.share());
	same<typeof attached, Collection<Product>>(true);
	// Functions that take a collection of any fields accept one with declared fields.
	const untyped: Collection = shop;
	await untyped.search('lamp', {filter: {anything: 5}});
	// @ts-expect-error the type of the fields differs
	const wrong: Collection<{price: string}> = shop;
	void wrong;
	// A generic function can require that collections have a certain field, and can then name this field.
	const named = async <Fields extends {name?: string}>(docs: Collection<Fields>) => docs.list({sortBy: 'name'});
	await named(shop);

	// @ts-expect-error fields cannot be nested
	await Collection.open<{size: {width: number}}>('shop');
	// @ts-expect-error an array has strings and dates
	await Collection.open<{sizes: number[]}>('shop');
	// @ts-expect-error null is not a value
	await Collection.open<{price: number | null}>('shop');

	// If all fields are optional, documents may have none. A declaration may leave the names of fields open and fix only the type of their values.
	await (await Collection.open<{price?: number}>('shop')).add({id: 'lamp', text: 'a lamp'});
	const numbers = await Collection.open<Record<string, number>>('numbers');
	await numbers.add({id: 'a', text: 'a', fields: {any: 5}});
	// @ts-expect-error the fields are numbers
	await numbers.add({id: 'a', text: 'a', fields: {any: 'five'}});
	same<Awaited<ReturnType<typeof numbers.facets<string>>>[number]['value'], number>(true);

	// Without a declaration, documents, filters and calls accept fields of any name.
	const docs = await Collection.open('index');
	const document: Document = {id: 'a', text: 'a', fields: {any: 'five', when: new Date(), tags: ['x']}};
	await docs.add([document, {id: 'b', text: 'b'}]);
	await docs.setFields('a', {any: 5});
	await docs.search('a', {filter: {any: {lt: 5}, name: 'x'}});
	await docs.list({sortBy: 'any'});
	const [count] = await docs.facets('any');
	same<NonNullable<typeof count>['value'], string | number | boolean>(true);
	const [passage] = await docs.get(['a#0']);
	same<NonNullable<typeof passage>['fields'], StoredFields>(true);
	// @ts-expect-error fields cannot be nested
	await docs.add({id: 'a', text: 'a', fields: {size: {width: 5}}});
	// @ts-expect-error a boolean cannot be a bound
	await docs.count({filter: {any: {lt: true}}});
}
