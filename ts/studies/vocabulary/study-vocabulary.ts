import {basename, join, resolve} from 'node:path';
import {checkString} from '../../core/checks.ts';
import {Collection} from '../../collection/index.ts';
import {readTrecRun, writeTrecRun} from '../../corpus/index.ts';
import {OnnxEncoder} from '../../encoders/index.ts';
import {resolveModel} from '../../models/index.ts';
import {beginRun, isThere, json, makeFolder, writeWhole} from '../storage/run-folder.ts';
import {Bm25Index} from '../../sparse/index.ts';
import {CorpusEncoder} from '../encoding/corpus-encoder.ts';
import {corpusFacts} from '../dataset/corpus-statistics.ts';
import {mrrMeasure, ndcgMeasure, ofAnswers, ofQrels, topK} from '../statistics/measures.ts';
import {judgedFor} from '../dataset/relevance.ts';
import {divided} from '../dataset/split.ts';
import type {Encoder, Progress, Qrels, Query, Run, Searcher} from '../../core/types.ts';
import {type ProjectedEncoders, VocabularyProjection} from '../../vocabulary/index.ts';
import {groupBounds, groupName} from './report/amnesia-panel.ts';
import {analysed, analysedPairs} from './protocol/analyses.ts';
import {amnesiaTests, claimTests} from './findings/claim-tests.ts';
import type {QuestionValues} from './findings/question-values.ts';
import {commandOf} from './command.ts';
import {parts} from './configuration.ts';
import {
	type EnrichedParts,
	enrichedConditions,
	enrichmentFacts,
	exactSearcher,
	staticEncoder,
	tunedEnrichment,
} from './protocol/enrichment.ts';
import {vocabularyExamples} from './examples/examples.ts';
import {type VocabularyStudyOptions, cutOffs, studyInputs} from './inputs.ts';
import {vocabularyStudyHtml} from './report/html.ts';
import {vocabularyStudyMarkdown} from './report/markdown.ts';
import {type ConditionRun, measuredRetrieval} from './protocol/retrieval.ts';
import {
	type AnalyzedEncoder,
	type EncoderAnalysis,
	type EnrichmentFacts,
	type VocabularyCondition,
	type VocabularyStudy,
	vocabularyStudyFormat,
} from './study.ts';

/** What λ is chosen by, by how it is known what is relevant. */
const tunedFor = {qrels: ndcgMeasure, contexts: mrrMeasure, answers: topK(20)} as const;

/**
Reruns Ram et al. (2023), "What Are You Token About?", on a data set: a folder with a corpus, questions and where they do not
say it themselves qrels; or a SQuAD or PubMedQA file. Projects questions and gold passages to the vocabulary and counts what
the paper counts, of the encoder and of a baseline; chooses λ of lexical enrichment on development questions and measures
retrieval with it, without it, with its ablations, and BM25 of words and of word pieces on test questions; and writes the
paper's tables and figures for this data set into the folder `output`: `report.html`, `report.md` and `results.json`, with all
runs as TREC files and the exact configuration.

It can be stopped at any time: called again with the same configuration it goes on where it was. The same configuration gives
the same bytes.

@example
```
const {retrieval} = await studyVocabulary('./squad', './squad-vocabulary');
retrieval.rows.find(({condition}) => condition === 'enriched')?.values;
//=> [0.561, 0.812, 0.925, 0.971, 0.668]
```
*/
export async function studyVocabulary(dataset: string, output: string, options: VocabularyStudyOptions = {}): Promise<VocabularyStudy> {
	checkString('output', output);
	const {files, lists, models, configuration} = await studyInputs(dataset, options);
	const {signal} = options;
	const report = (stage: string) => (progress: Progress) => options.onProgress?.({...progress, stage});
	const {settings, enrichment} = configuration;
	const questions = lists.flat();
	const folder = resolve(output);
	await makeFolder(folder);
	await beginRun(folder, configuration);

	const place = join(folder, parts.collection);
	await using collection = (await isThere(join(place, 'passagekit.json')))
		? await Collection.open(place)
		: await Collection.build(files.corpus, place, {
				encoder: false,
				overwrite: true,
				signal,
				onProgress: ({stage, ...progress}) => report(stage)(progress),
			});
	const {passages, bm25} = collection;
	const corpus = await corpusFacts(passages, signal);

	/** A run by its file: read in any case, so that a run that goes on begins with the same. */
	const search = async (of: string, open: () => Promise<Searcher>, queries: readonly Query[] = questions): Promise<Run> => {
		const path = join(folder, parts.runs, `${of}.trec`);
		if (!(await isThere(path))) {
			const searcher = await open();
			const run = await searcher.searchMany(queries, {k: settings.depth, signal, onProgress: report(`search ${of}`)});
			await makeFolder(join(folder, parts.runs));
			await writeTrecRun(path, run, `passagekit-${of}`, {signal});
		}
		return readTrecRun(path, {signal});
	};
	const ofBm25 = await search('bm25', async () => bm25);
	const supervise = async (queries: readonly Query[]): Promise<Run> => search('supervision', async () => bm25, queries);
	const judged = await judgedFor(files.qrels, questions, supervise, passages, corpus.ids, {
		signal,
		onProgress: report('look for answers'),
	});
	const gold = goldPassages(judged.qrels, corpus.ids);
	const {split, asked} = divided(lists, gold, corpus.titles, settings.seed);
	const askedIds = new Set(asked.map(({id}) => id));
	const relevant = new Map([...judged.qrels].filter(([id]) => askedIds.has(id)));
	const tested = new Set(split.test);
	const pairs = await analysedPairs(
		asked.filter(({id}) => tested.has(id)),
		gold,
		ofBm25,
		relevant,
		passages,
		settings.sparseDepth,
	);

	const tokenizer = await resolveModel(models.head, {signal});
	const pieces = join(folder, parts.wordPieces);
	// Its run is written when the index is whole.
	await using wordPieces = (await isThere(join(folder, parts.runs, 'wordpiece.trec')))
		? await Bm25Index.open(pieces)
		: await Bm25Index.build(pieces, passages, {analyzer: {type: 'wordpiece', tokenizer}, signal});
	const ofWordPieces = await search('wordpiece', async () => wordPieces);
	const projection = await VocabularyProjection.load(models.head);
	await using encoder = await OnnxEncoder.load(models.encoder, {signal});
	await using ofQuestions = models.questionEncoder === undefined ? encoder : await OnnxEncoder.load(models.questionEncoder, {signal});
	const corpusEncoder = async (of: string, encoder: Encoder, questionEncoder: Encoder): Promise<CorpusEncoder> =>
		CorpusEncoder.open({
			folder: join(folder, parts.vectors, of),
			passages,
			encoder,
			questionEncoder,
			signal,
			onProgress: report(`encode ${of}`),
		});
	const known = await corpusEncoder('encoder', encoder, ofQuestions);
	const dense = await search('dense', async () => exactSearcher(known, passages, signal));
	const runs = new Map<VocabularyCondition, ConditionRun>([
		['bm25', {run: ofBm25}],
		['wordpiece', {run: ofWordPieces}],
		['dense', {run: dense}],
	]);

	const analyses: EncoderAnalysis[] = [];
	const values = new Map<AnalyzedEncoder, QuestionValues>();
	let facts: EnrichmentFacts | undefined;
	const analyse = async (of: EncoderAnalysis['of'], encoder: () => Promise<Encoder>): Promise<void> => {
		const options = {signal, onProgress: report(`project ${of}`)};
		const open = async (): Promise<ProjectedEncoders> => ({encoder: await encoder(), projection});
		const found = await analysed(of, pairs, open, dense, settings, join(folder, parts.analyses), options);
		analyses.push(found.analysis);
		values.set(of, found.values);
	};
	await analyse('encoder', async () => known);
	await using initialisation = models.baseline === undefined ? undefined : await OnnxEncoder.load(models.baseline, {signal});
	await analyse('baseline', async () => initialisation ?? staticEncoder(projection, signal));
	if (enrichment) {
		const development = new Set(split.development);
		const asked = questions.filter(({id}) => development.has(id));
		const of: EnrichedParts = {
			encoder: known,
			passages,
			projection,
			wordPieces,
			objective:
				judged.from === 'answers'
					? {questions: asked, k: 20}
					: {queries: asked, qrels: relevant, measure: judged.from === 'qrels' ? 'nDCG@10' : 'RR', k: settings.depth},
			search: {learningRate: settings.learningRate, maxSteps: settings.maxSteps},
			lambdas: settings.lambdas,
		};
		for (const condition of enrichedConditions) {
			const found = await tunedEnrichment(condition, of, {signal, onProgress: report(`enrich ${condition}`)});
			const run = await search(condition, async () => exactSearcher(found.enrichment, passages, signal));
			runs.set(condition, {run, tuning: found.tuning});
			if (condition === 'enriched') {
				facts = enrichmentFacts(found.enrichment);
			}
			if (condition === 'enriched' && found.tuning.lambda > 0) {
				await analyse('enriched', async () => found.enrichment);
			}
		}
	}
	const measures =
		judged.from === 'answers'
			? ofAnswers(asked, passages, cutOffs, {signal})
			: ofQrels(relevant, cutOffs, judged.from === 'qrels', {signal});
	const {
		dataset: name,
		passagekit,
		corpus: file,
		questions: questionFiles,
		qrels,
		encoder: ofPassages,
		questionEncoder,
		head,
	} = configuration;
	const study: VocabularyStudy = {
		format: vocabularyStudyFormat,
		dataset: name,
		passagekit,
		corpus: {count: passages.size, name: basename(files.corpus), ...file, words: corpus.words},
		questions: {
			development: split.development.length,
			test: split.test.length,
			without: questions.length - asked.length,
			files: questionFiles,
			split: split.by,
			relevance: judged.from,
			...(files.qrels !== undefined && qrels ? {qrels: {count: relevant.size, name: basename(files.qrels), ...qrels}} : {}),
		},
		encoder: ofPassages,
		...(questionEncoder && {questionEncoder}),
		head: {...head, vocabulary: projection.size},
		baseline: configuration.baseline,
		settings,
		...(facts && {enrichment: facts}),
		analyses,
		tests: {
			claims: await claimTests(values, configuration.baseline, settings, {signal}),
			amnesia: await amnesiaTests(values.get('encoder')!, group => groupName(groupBounds(settings.bounds)[group]!), settings, {signal}),
		},
		examples: await vocabularyExamples(pairs, values.get('encoder')!, dense, settings.seed, {encoder: known, projection}, {signal}),
		retrieval: await measuredRetrieval(runs, measures, tunedFor[judged.from], split.test, settings, {signal}),
		command: commandOf(basename(resolve(dataset)), options),
	};
	await writeWhole(join(folder, parts.json), json(study));
	await writeWhole(join(folder, parts.markdown), vocabularyStudyMarkdown(study));
	await writeWhole(join(folder, parts.html), vocabularyStudyHtml(study));
	return study;
}

/** Of each question the passage of the highest grade that the corpus has; of equal grades the first judged. */
function goldPassages(qrels: Qrels, corpus: ReadonlySet<string>): Map<string, string> {
	const gold = new Map<string, string>();
	for (const [id, grades] of qrels) {
		const [best] = [...grades].filter(([passage, grade]) => grade > 0 && corpus.has(passage)).sort(([, a], [, b]) => b - a);
		if (best !== undefined) {
			gold.set(id, best[0]);
		}
	}
	return gold;
}
