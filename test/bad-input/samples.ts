/** Valid arguments for every exported function and method. Tests replace one of them with an invalid value. */
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as passagekit from '../../ts/index.ts';
import type {Passage, Query, Question} from '../../ts/core/types.ts';
import {OpenSearchCollection} from '../../ts/remote/index.ts';
import {FakeCluster} from '../remote/fake/fake-cluster.ts';

/** Makes the arguments of one call. */
type Arguments = () => readonly unknown[];

/** An instance of a class, and arguments for the calls of the class. */
export interface ClassSamples {
	readonly instance: object;
	/** Arguments of the constructor; missing if the constructor is private. */
	readonly construct?: Arguments;
	readonly statics: Readonly<Record<string, Arguments>>;
	readonly methods: Readonly<Record<string, Arguments>>;
	/** Methods that are not public, marked `@internal` in their doc comments. */
	readonly internal?: readonly string[];
}

/** Samples for all exports, by name. */
export interface Samples {
	readonly functions: Readonly<Record<string, Arguments>>;
	readonly classes: Readonly<Record<string, ClassSamples>>;
	/** Names of the calls that take minutes with default options, so tests never leave their options empty. */
	readonly costly: ReadonlySet<string>;
	close(): Promise<void>;
}

const none: Arguments = () => [];

/**
Creates one instance of each class, with files in a new folder. The folder becomes the working directory, because the invalid
value `'x'` is a valid path, to which some calls write.
*/
export async function makeSamples(): Promise<Samples> {
	const {
		Bm25Index,
		Bm25Writer,
		Collection,
		ConfidenceSearcher,
		DenseSearcher,
		ExtractiveReader,
		FileVectorCache,
		FlatIndex,
		HnswIndex,
		HybridSearcher,
		JudgedLists,
		LexicalEnrichment,
		OnnxEncoder,
		PassageStore,
		PhraseIndex,
		PhraseSearcher,
		PhraseSegmenter,
		ReadingCache,
		Tokenizer,
		VocabularyProjection,
	} = passagekit;
	const before = process.cwd();
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-bad-input-'));
	process.chdir(folder);
	const file = (name: string): string => join(folder, name);
	let idCount = 0;
	/** Returns an id or a file name that has not been used yet. */
	const fresh = (): string => String(idCount++);

	const passages: Passage[] = [
		{id: 'a', text: 'The fox eats a hen.', title: 'Foxes', fields: {year: 1999}},
		{id: 'b', text: 'Hens lay eggs in spring.', title: 'Hens', fields: {year: 2001}},
		{id: 'c', text: 'Spring follows winter.'},
	];
	const queries: Query[] = [
		{id: 'q1', text: 'what does a fox eat'},
		{id: 'q2', text: 'when do hens lay eggs'},
	];
	const questions: Question[] = [
		{...queries[0]!, answers: ['a hen']},
		{...queries[1]!, answers: ['spring']},
	];
	const trainingQuestions = questions.map((question, i) => ({...question, positives: [passages[i]!.id]}));
	const trainingExample = {question: 'what?', answers: ['a hen'], positives: [passages[0]!], hardNegatives: [], negatives: []};
	const otherExample = {...trainingExample, question: 'who?', positives: [passages[1]!]};
	const run = new Map([
		[
			'q1',
			[
				{id: 'a', score: 2},
				{id: 'b', score: 1},
			],
		],
		['q2', [{id: 'b', score: 2}]],
	]);
	const qrels = new Map([
		['q1', new Map([['a', 1]])],
		['q2', new Map([['b', 2]])],
	]);
	const texts = new Map(passages.map(passage => [passage.id, passage]));
	const vectors = {data: Float32Array.of(1, 0, 0, 1), rows: 2, dim: 2};
	const vector = Float32Array.of(1, 0);
	const scores = {data: Float32Array.of(2, 1, 3, 1), rows: 2, dim: 2};
	const predictions = [
		{confidence: 0.9, correct: true},
		{confidence: 0.2, correct: false},
	];

	await writeFile('corpus.jsonl', passages.map(({id, title = '', text}) => JSON.stringify({_id: id, title, text})).join('\n'));
	await writeFile('queries.tsv', queries.map(({id, text}) => `${id}\t${text}`).join('\n'));
	await passagekit.writeTrainingExamples('train.json', [trainingExample]);
	await writeFile('vectors.f32', new Uint8Array(vectors.data.buffer));
	await passagekit.writeTrecRun('run.trec', run);
	await passagekit.writeQrels('qrels.txt', qrels);
	await PassageStore.write(passages, 'store');
	const store = await PassageStore.open('store');
	const bm25 = await Bm25Index.build('bm25', passages);
	const writer = await Bm25Writer.create('writer');
	const flat = new FlatIndex({dim: 2});
	await flat.add(['a', 'b'], vectors);
	await flat.save('flat');
	const hnsw = new HnswIndex({dim: 2});
	await hnsw.add(['a', 'b'], vectors);
	await hnsw.save('hnsw');
	const offsets = [
		{id: 'a', start: 0, end: 3},
		{id: 'b', start: 0, end: 4},
	];
	const phrases = new PhraseIndex({dim: 2});
	await phrases.add(offsets, vectors);
	await phrases.save('phrases');

	// `tiny-encoder` and `tiny-reader`, in the folder `models/`, are small models for tests.
	const tinyEncoderOptions = {pooling: 'output:embedding', passageForm: 'joined'} as const;
	const encoder = await OnnxEncoder.load('tiny-encoder', tinyEncoderOptions);
	const encodedPassages = new FlatIndex({dim: encoder.dim});
	await encodedPassages.add(['a', 'b', 'c'], await encoder.encode(passages));
	const encodedPhrases = new PhraseIndex({dim: encoder.dim});
	const segmenter = await PhraseSegmenter.open({sentences: 1});
	await encodedPhrases.addPassages(passages, {encoder, segmenter});
	const dense = new DenseSearcher({encoder, index: encodedPassages});
	const reader = await ExtractiveReader.load('tiny-reader');
	const cache = await ReadingCache.open('readings', reader);
	const readings = await passagekit.readRun(reader, questions, run, texts, {cache});
	const tokenizer = await Tokenizer.load('tiny-encoder');
	const projection = await VocabularyProjection.load('tiny-encoder');
	const enrichment = await LexicalEnrichment.fit({encoder, projection, idf: false}, {tokens: 'static'});
	const pairs = await passagekit.rankPairs([{id: 'q1', question: queries[0]!.text, passage: passages[0]!}], {encoder, projection});
	const explanation = await passagekit.explainMatch('fox', passages[0]!, {encoder, projection});
	const candidates = await passagekit.candidateLists(queries, qrels, run, ['a', 'b', 'c'], {negatives: 1, random: 1});
	const evaluation = await passagekit.evaluate(run, qrels, ['nDCG@10']);
	const judged = await JudgedLists.judge({dense: run, sparse: run}, questions, texts);
	const vectorCache = await FileVectorCache.open('vectors.cache', {dim: 2});
	const hitLists = await flat.searchManyColumns(vectors);
	const withoutFields = passages.map(({id, text}) => ({id, text}));
	await (await Collection.build(withoutFields, 'collection', {encoder: false})).close();
	const collection = await Collection.open('documents', {create: true, encoder: false, vectors: {dim: 2}, reader: 'tiny-reader'});
	await collection.add([{id: 'a', text: 'A fox eats a hen.', vector: [1, 0], fields: {n: 1}}]);
	await collection.commit();
	const remoteOptions = {client: new FakeCluster(), encoder: false, vectors: {dim: 2}, reader: 'tiny-reader'} as const;
	const remote = await OpenSearchCollection.create('fake', remoteOptions);
	const foxVectors = await encoder.encode(['a fox']);
	const values = new Map([
		['q1', 0.5],
		['q2', 0.7],
		['q3', 0.2],
	]);
	const filter = {ids: ['a']};
	const noDataset = file('no such dataset');
	const model = (searcher: object): object => ({name: 'M', searcher, temperature: 0.1});
	const objective = {questions, passages: texts};
	const search = {search: () => ['fox', {k: 2}], searchMany: () => [queries, {k: 2}]} as const;
	const checkFilter = {checkFilter: () => [filter]} as const;
	const vectorIndexMethods: ClassSamples['methods'] = {
		add: () => [[fresh(), fresh()], vectors, {}],
		addFile: () => ['vectors.f32', {format: 'raw', prefix: fresh()}],
		compact: () => [{}],
		delete: () => [[fresh()]],
		exportVectors: () => [file('vectors.npy'), {}],
		filter: () => [filter, {}],
		get: () => ['a'],
		has: () => ['a'],
		ids: none,
		save: () => [file('saved'), {}],
		search: () => [vector, {k: 2}],
		searchColumns: () => [vector, {k: 2}],
		searchMany: () => [vectors, {k: 2}],
		searchManyColumns: () => [vectors, {k: 2}],
		share: none,
		update: () => [['a'], {data: vector, rows: 1, dim: 2}, {upsert: true}],
		vectors: () => [['a']],
		verify: none,
	};
	const rankSum = {probability: 0.5, p: 1, statistic: 2, standardError: 0.1, counts: {a: 2, b: 2}};
	const vectorInternals = [
		'addPhrases',
		'phraseRows',
		'passageCount',
		'searchRun',
		'searchRetrievedRun',
		'listsFrom',
		'token',
		'nativeStorage',
		'shared',
	];

	return {
		functions: {
			analyzeVocabulary: () => [pairs, {}],
			bonferroni: () => [[0.1]],
			brierScore: () => [predictions],
			// The output path already exists, so nothing is built.
			buildCollection: () => [passages, 'writer', {encoder: false}],
			candidateLists: () => [queries, qrels, run, ['a', 'b', 'c'], {negatives: 1, random: 1}],
			confidence: () => [vector, 0.1],
			createEncoder: () => [async () => [], {dim: 2, identity: 'x'}],
			defaultEvidence: () => ['bm25', true],
			documentRun: () => [run, {}],
			downloadModel: () => ['owner/name', {}],
			encyclopedia: none,
			evaluate: () => [run, qrels, ['nDCG@10'], {}],
			evaluateCandidates: () => [run, candidates, {}],
			exactMatch: () => ['a', ['b'], 'text'],
			expectedCalibrationError: () => [predictions, {}],
			explainMatch: () => ['fox', passages[0], {encoder, projection, bm25}, {}],
			explanationHtml: () => [[explanation], {}],
			f1: () => ['a', ['b']],
			findings: () => [{}],
			fitFusionTemperature: () => [[{scores, correct: [true, false]}], {}],
			fitTemperature: () => [scores, [true, false], {}],
			foundBySparse: () => [run, qrels, 5],
			fuse: () => [[run, run], {method: 'rrf'}, {}],
			fuseByConfidence: () => [[{name: 'M', run, temperature: 0.1}], {}],
			hasAnswer: () => ['a', ['b'], 'text'],
			holm: () => [[0.1]],
			judgedScores: () => [run, qrels, {}],
			maximumCalibrationError: () => [predictions, {}],
			mineNegatives: () => [trainingQuestions, passages, {bm25, searcher: bm25}],
			mineTrainingExamples: () => [trainingQuestions, passages, {bm25, searcher: bm25}],
			normalizeAnswer: () => ['a'],
			overlap: () => [run, run, [1], {}],
			pairedTest: () => [values, new Map([...values].map(([id, value]) => [id, value / 2])), {}],
			phraseFindings: () => [{}],
			phraseStudyHtml: () => [{}],
			phraseStudyMarkdown: () => [{}],
			publishedFor: () => ['NQ'],
			publishedPhrasesFor: () => ['SQuAD'],
			queryExpansion: () => [pairs, [5]],
			rankCandidates: () => [bm25, queries, candidates, {}],
			rankPairs: () => [[{id: 'q', question: 'fox', passage: passages[0]}], {encoder, projection}, {}],
			rankSumTest: () => [[1, 2], [2, 3], {}],
			readDocuments: () => ['corpus.jsonl', {mapping: {id: '_id'}}],
			readPassages: () => ['corpus.jsonl', {}],
			readQrels: () => ['qrels.txt', {}],
			readQuestions: () => ['queries.tsv', {}],
			readRun: () => [reader, questions, run, texts, {cache}],
			readTrainingExamples: () => ['train.json', {}],
			readTrecRun: () => ['run.trec', {}],
			reliability: () => [predictions, {}],
			reliabilityDiagram: () => [predictions, {}],
			replicate: () => [noDataset, file('study'), {}],
			reportHtml: () => [{}],
			reportMarkdown: () => [{}],
			resolveModel: () => ['tiny-encoder', {}],
			selectModels: () => [[{name: 'M', run}], qrels, {}],
			significance: () => [evaluation, evaluation, 'nDCG@10', {}],
			smallestSignificantDifference: () => [{difference: 0.1, p: 0.2, queries: 5, missing: 0, standardError: 0.1}, 0.01],
			smallestSignificantShift: () => [rankSum, 0.01],
			splitDocument: () => [passages[0], {words: 2}],
			studyPhrases: () => [noDataset, file('phrase-study'), {}],
			studyTraining: () => [noDataset, file('training-study'), {}],
			studyVocabulary: () => [noDataset, file('vocabulary-study'), {}],
			tokenAmnesia: () => [pairs, run, [5]],
			tokenCoverage: () => [pairs, [5], 'all'],
			tokenMrr: () => [pairs, 'all'],
			topComposition: () => [pairs, [5]],
			topKAccuracy: () => [run, questions, texts, [1], {}],
			trainEncoder: () => [[trainingExample, otherExample], 'tiny-encoder', file('trained'), {pooling: 'mean', maxTokens: 32}],
			trainQuestionEncoder: () => [
				trainingQuestions,
				{index: encodedPassages, passages: store},
				'tiny-encoder',
				file('trained-questions'),
				{depth: 2},
			],
			trainReader: () => [[trainingExample, otherExample], 'tiny-encoder', file('trained-reader'), {passagesPerQuestion: 2, maxTokens: 64}],
			trainingFindings: () => [{}],
			trainingStudyHtml: () => [{}],
			trainingStudyMarkdown: () => [{}],
			tuneEvidence: () => [readings, questions, {passages: [1], beta: {from: 1, to: 1}, delta: {from: 0, to: 0}}],
			tuneHybrid: () => [{dense: run, sparse: run}, objective, {grid: [0.5]}],
			tuneLambda: () => [enrichment, passages, {questions}, {grid: [0.5], folds: 2}],
			vocabularyFindings: () => [{}],
			vocabularyStudyHtml: () => [{}],
			vocabularyStudyMarkdown: () => [{}],
			writeQrels: () => [file('written.qrels'), qrels, {}],
			writeTrainingExamples: () => [file('written.json'), [trainingExample], {}],
			writeTrecRun: () => [file('written.trec'), run, 'tag', {}],
		},
		classes: {
			Bm25Index: {
				instance: bm25,
				internal: ['state'],
				statics: {build: () => ['bm25', passages, {}], open: () => ['bm25', {}], repair: () => ['bm25']},
				methods: {
					...search,
					...checkFilter,
					matching: () => [['a', 'b'], filter, {}],
					explain: () => ['fox', 'a', {}],
					fields: () => ['a'],
					reload: none,
					searchTerms: () => [[{term: 'fox', weight: 1}], {k: 2}],
					terms: () => ['foxes'],
					verify: none,
				},
			},
			Bm25Writer: {
				instance: writer,
				statics: {create: () => [file(`created-${fresh()}`), {}], open: () => [file(`none-${fresh()}`), {}]},
				methods: {
					add: () => [[{id: fresh(), text: 'fox'}], {}],
					commit: none,
					delete: () => [[fresh()]],
					merge: none,
					rollback: none,
					update: () => [[{id: 'a', text: 'fox'}], {}],
				},
			},
			Collection: {
				instance: collection,
				statics: {
					attach: () => [collection.share(), {encoder: false}],
					build: () => [passages, 'writer', {encoder: false, reader: 'tiny-reader'}],
					open: () => ['collection', {reader: 'tiny-reader'}],
				},
				methods: {
					add: () => [[{id: fresh(), text: 'a fox', vector: [0, 1]}], {}],
					ask: () => ['what does a fox eat?', {retriever: 'bm25'}],
					commit: none,
					count: () => [{filter: {n: 1}}],
					delete: () => [[fresh()]],
					passagesOfDocument: () => ['a'],
					encoder: none,
					evidence: () => ['bm25'],
					facets: () => ['n', {limit: 2}],
					flat: none,
					get: () => [['a#0']],
					hnsw: none,
					list: () => [{sortBy: 'n'}],
					neighbors: () => ['a#0', {before: 1}],
					optimize: () => [{threads: 1}],
					reader: none,
					refresh: none,
					passagesOf: () => [[{id: 'a#0', score: 1}]],
					rollback: none,
					scan: () => [{filter: {n: 1}}],
					search: () => ['fox', {retriever: 'hybrid', vector: [1, 0], k: 2, include: ['text']}],
					searcher: () => ['bm25', {}],
					setFields: () => ['a', {n: 1}],
					share: none,
					stats: none,
					upsert: () => [[{id: 'a', text: 'A fox eats a hen.', vector: [1, 0], fields: {n: 1}}], {}],
					vectors: () => [['a#0']],
				},
			},
			OpenSearchCollection: {
				instance: remote,
				statics: {
					create: () => ['fake', {...remoteOptions, ifExists: 'open'}],
					open: () => ['fake', {client: remoteOptions.client, reader: 'tiny-reader'}],
				},
				methods: {
					add: () => [[{id: fresh(), text: 'a fox', vector: [0, 1]}], {}],
					ask: () => ['what does a fox eat?', {retriever: 'bm25'}],
					count: () => [{filter: {n: 1}}],
					delete: () => [[fresh()]],
					encoder: none,
					evidence: () => ['bm25'],
					get: () => [['a#0']],
					neighbors: () => ['a#0', {before: 1}],
					optimize: () => [{}],
					passagesOf: () => [[{id: 'a#0', score: 1}]],
					passagesOfDocument: () => ['a'],
					push: () => [[{id: 'a', text: 'a fox', vector: [0, 1]}], {workers: 1}],
					reader: none,
					refresh: () => [{}],
					scan: () => [{filter: {n: 1}}],
					search: () => ['fox', {retriever: 'hybrid', vector: [1, 0], k: 2, include: ['text']}],
					searcher: () => ['bm25', {}],
					setFields: () => ['a', {n: 1}],
					stats: none,
					terms: () => ['a fox'],
					upsert: () => [[{id: 'a', text: 'A fox eats a hen.', vector: [1, 0], fields: {n: 1}}], {}],
					useAlias: () => ['foxes', {}],
					vectors: () => [['a#0']],
				},
			},
			OpenSearchSearcher: {
				instance: await remote.searcher('bm25'),
				statics: {},
				methods: {...search, ...checkFilter},
			},
			ConfidenceSearcher: {
				instance: new ConfidenceSearcher({models: [{searcher: bm25, temperature: 0.1}]}),
				construct: () => [{models: [model(bm25)]}],
				statics: {},
				methods: {...search, ...checkFilter, decide: () => ['fox', {}]},
			},
			DenseSearcher: {
				instance: dense,
				construct: () => [{encoder, index: encodedPassages}],
				statics: {},
				methods: {...search, ...checkFilter},
			},
			ExtractiveReader: {
				instance: reader,
				statics: {load: () => ['tiny-reader', {}]},
				methods: {read: () => ['what does a fox eat?', [{...passages[0], score: 1}], {}]},
			},
			FileVectorCache: {
				instance: vectorCache,
				statics: {open: () => [file(`vectors-${fresh()}.cache`), {dim: 2}]},
				methods: {get: () => [['0'.repeat(64)]], set: () => [[['0'.repeat(64), vector]]]},
			},
			FlatIndex: {
				instance: flat,
				construct: () => [{dim: 2}],
				statics: {
					attach: () => [flat.share()],
					build: () => [file('built.pkflat'), 'vectors.f32', {dim: 2, format: 'raw'}],
					open: () => ['flat', {}],
				},
				methods: vectorIndexMethods,
				internal: vectorInternals,
			},
			HitLists: {instance: hitLists, statics: {}, methods: {get: () => [0]}},
			HnswIndex: {
				instance: hnsw,
				construct: () => [{dim: 2}],
				statics: {
					attach: () => [hnsw.share()],
					build: () => [file('built.pkhnsw'), 'flat', {}],
					open: () => ['hnsw', {}],
				},
				methods: vectorIndexMethods,
				internal: vectorInternals,
			},
			HybridSearcher: {
				instance: new HybridSearcher({searchers: [bm25, bm25]}),
				construct: () => [{dense: bm25, sparse: bm25}],
				statics: {},
				methods: {...search, ...checkFilter},
			},
			JudgedLists: {
				instance: judged,
				statics: {judge: () => [{dense: run, sparse: run}, questions, texts, {}]},
				methods: {
					accuracy: () => [[{method: 'rrf'}], 5, {}],
					firstRanks: () => [[{method: 'rrf'}], 5, {}],
					tune: () => [{grid: [0.5]}],
				},
			},
			LexicalEnrichment: {
				instance: enrichment,
				internal: ['combined'],
				statics: {fit: () => [{encoder, projection, idf: false}, {tokens: 'static'}]},
				methods: {encode: () => [['fox'], {}], parts: () => [['fox'], {}], withLambda: () => [0.5]},
			},
			OnnxEncoder: {
				instance: encoder,
				statics: {load: () => ['tiny-encoder', tinyEncoderOptions]},
				methods: {encode: () => [['fox', passages[0]], {}]},
			},
			PassageStore: {
				instance: store,
				statics: {
					ingest: () => ['corpus.jsonl', file('ingested'), {}],
					open: () => ['store', {}],
					write: () => [passages, file('written'), {}],
				},
				methods: {get: () => [['a']], slice: () => [0, 2]},
			},
			PhraseIndex: {
				instance: phrases,
				construct: () => [{dim: 2}],
				statics: {attach: () => [phrases.share()], open: () => ['phrases', {}]},
				methods: {
					add: () => [[{id: fresh(), start: 0, end: 1}], {data: vector, rows: 1, dim: 2}, {}],
					addPassages: () => [
						[{id: fresh(), text: 'A fox.'}],
						{encoder: {dim: 2, encode: async () => ({data: vector, rows: 1, dim: 2})}, segmenter},
					],
					compact: () => [{}],
					delete: () => [[fresh()]],
					filter: () => [filter, {}],
					has: () => ['a'],
					ids: none,
					passageCount: none,
					phrases: () => ['a'],
					save: () => [file('saved-phrases'), {}],
					search: () => [vector, {k: 2}],
					searchMany: () => [vectors, {k: 2}],
					searchPhrases: () => [vector, {k: 2}],
					searchPhrasesMany: () => [vectors, {k: 2}],
					share: none,
					update: () => [[{id: 'a', start: 0, end: 1}], {data: vector, rows: 1, dim: 2}, {upsert: true}],
					verify: none,
				},
				internal: ['searchRun'],
			},
			PhraseSearcher: {
				instance: new PhraseSearcher({encoder, index: encodedPhrases}),
				construct: () => [{encoder, index: encodedPhrases}],
				statics: {},
				methods: {
					...search,
					...checkFilter,
					searchManyWithPhrases: () => [queries, {k: 2, maxPhrases: 3}],
					searchWithPhrases: () => ['fox', {k: 2, maxPhrases: 3}],
				},
			},
			PhraseSegmenter: {
				instance: segmenter,
				statics: {open: () => [{sentences: 1}]},
				methods: {segment: () => ['A fox. A hen.'], segmentMany: () => [['A fox. A hen.'], {}]},
			},
			ReadingCache: {
				instance: cache,
				statics: {open: () => [file(`cache-${fresh()}`), reader, {}]},
				methods: {},
			},
			Readings: {
				instance: readings,
				statics: {},
				methods: {answers: () => [{}], exactMatch: () => [questions, {passages: [1]}]},
			},
			Tokenizer: {
				instance: tokenizer,
				statics: {load: () => ['owner/missing', {}]},
				methods: {token: () => [5], tokenize: () => ['fox'], tokenizeMany: () => [['fox'], {}]},
			},
			VectorFilter: {instance: await flat.filter(filter), statics: {}, methods: {}},
			VocabularyProjection: {
				instance: projection,
				statics: {load: () => ['owner/missing', {}]},
				methods: {
					logits: () => [foxVectors, {}],
					project: () => [foxVectors, {k: 2}],
					ranks: () => [foxVectors, [[1, 2]], {}],
					standings: () => [foxVectors, [[1, 2]], {}],
					tokenize: () => ['fox'],
				},
			},
		},
		costly: new Set(['LexicalEnrichment.fit', 'tuneEvidence', 'tuneLambda']),
		async close() {
			process.chdir(before);
			await collection.close();
			await remote.close();
			await writer.close();
			await vectorCache.close();
			for (const opened of [bm25, cache, encoder, flat, hnsw, encodedPassages, phrases, encodedPhrases, reader, store]) {
				opened.close();
			}
			await rm(folder, {recursive: true, force: true});
		},
	};
}
