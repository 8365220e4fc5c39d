import {basename, join, resolve} from 'node:path';
import {packageVersion} from '../../core/native/addon.ts';
import {checkArray, checkCount, checkNumber, checkOneOf, checkString} from '../../core/checks.ts';
import {Collection} from '../../collection/index.ts';
import {readTrecRun, writeTrecRun} from '../../corpus/index.ts';
import {OnnxEncoder, Tokenizer} from '../../encoders/index.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type FilteredSearcher, candidateLists, rankCandidates} from '../../evaluation/index.ts';
import {resolveModel} from '../../models/index.ts';
import {findRuntimeLibrary} from '../../onnx/runtime-library.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import {type PhraseHit, PhraseSearcher} from '../../phrases/index.ts';
import {phraseNamed} from '../../phrases/phrase-searcher.ts';
import {type Counted, type Model, named, sha256} from '../storage/inputs.ts';
import {beginRun, isThere, json, makeFolder, writeWhole} from '../storage/run-folder.ts';
import {mean} from '../statistics/correction.ts';
import {corpusFacts, wordCount} from '../dataset/corpus-statistics.ts';
import {type NamedFiles, datasetFiles, fileNames, questionsOf} from '../dataset/files.ts';
import {ofAnswers, ofQrels} from '../statistics/measures.ts';
import {QuestionEncoder} from '../encoding/question-encoder.ts';
import {type Judged, SUPERVISION_DEPTH, judgedFor} from '../dataset/relevance.ts';
import {divided} from '../dataset/split.ts';
import type {CallOptions, Progress, Query, Question, Run, Searcher} from '../../core/types.ts';
import {commandOf} from './command.ts';
import {type PhraseConfiguration, parts} from './configuration.ts';
import {meanPassageTokens, meanTokens} from './protocol/lengths.ts';
import {ofCandidates} from './protocol/measures.ts';
import {openModel, phraseModels} from './protocol/models.ts';
import type {ScoredRun} from './protocol/outcomes.ts';
import {type Protocol, studyProtocol} from './protocol/protocol.ts';
import {phraseStudyHtml} from './report/html.ts';
import {phraseStudyMarkdown} from './report/markdown.ts';
import {type PhraseModelFacts, type PhraseSettings, type PhraseStudy, phraseStudyFormat} from './study.ts';

export interface PhraseStudyOptions extends NamedFiles, Omit<CallOptions, 'onProgress'> {
	/** The data set's name, which finds the paper's figures: SQuAD, PubMedQA, SCOTUS, NFCorpus, NQ. @default the folder's or file's name */
	readonly name?: string | undefined;
	/** Models by phrases of so many sentences. @default [1, 3, 5], or none where there are `tokens` */
	readonly sentences?: readonly number[] | undefined;
	/** Models by phrases of so many tokens; the paper has 75, 125, 250 for NQ. @default none */
	readonly tokens?: readonly number[] | undefined;
	/** Of passages and phrases. @default 'minilm-encoder' */
	readonly encoder?: string | undefined;
	/** Of questions, as DPR has one. @default that of passages */
	readonly questionEncoder?: string | undefined;
	/** Questions used of each file, spread over it. @default all */
	readonly maxQuestions?: number | undefined;
	/** What candidates and development questions are drawn by. @default 42 */
	readonly seed?: number | undefined;
	/** Hard negatives among the candidates. @default 10 */
	readonly negatives?: number | undefined;
	/** Random passages among the candidates. @default 20 */
	readonly random?: number | undefined;
	/** A difference counts with a corrected p below this. @default 0.01 */
	readonly significance?: number | undefined;
	/**
	Which scores A_k holds, those that confidences are computed from: `phrases` as in the paper, the 30 highest undivided inner
	products with phrases; or `passages`, the scores of the 30 best passages. @default 'phrases'
	*/
	readonly confidenceOf?: 'phrases' | 'passages' | undefined;
	readonly onProgress?: ((progress: PhraseStudyProgress) => void) | undefined;
}

const studyOptions: OptionNames = optionNames<PhraseStudyOptions>({
	...callNames,
	...fileNames,
	name: true,
	sentences: true,
	tokens: true,
	encoder: true,
	questionEncoder: true,
	maxQuestions: true,
	seed: true,
	negatives: true,
	random: true,
	significance: true,
	confidenceOf: true,
});

/** What is being done, and how far it is. */
export interface PhraseStudyProgress extends Progress {
	/** Such as `encode M3`, `search M0`, `phrases M0` or `candidates BM25`. */
	readonly stage: string;
}

/** Cut-offs of accuracy over the whole corpus. */
const KS = [1, 5, 20, 100];

/**
Reruns Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", on a data set: a folder with a corpus,
questions and, unless the questions name their passages, qrels; or a SQuAD or PubMedQA file. It encodes the passages by phrases
of several lengths, each a model, and ranks each question's gold passage among 30 others and among all passages. On development
questions it selects three models and fits their one temperature; on test questions it measures the models, their fusion by
confidence, BM25 and other ensembles. It writes the paper's tables and figures for this data set into the folder `output`:
`report.html`, `report.md` and `results.json`, with all runs as TREC files and the exact configuration.

It can be stopped at any time: called again with the same configuration it continues. The same configuration gives the same
bytes.

@example
```
const {candidates} = await studyPhrases('./squad', './squad-phrases', {sentences: [1, 3, 5]});
candidates.rows.find(({condition}) => condition === 'muf')?.values;
//=> [0.7313, 0.8121]
```
*/
export async function studyPhrases(dataset: string, output: string, options: PhraseStudyOptions = {}): Promise<PhraseStudy> {
	checkString('dataset', dataset);
	checkString('output', output);
	checkOptions('studyPhrases', options, studyOptions);
	for (const what of ['name', 'encoder', 'questionEncoder'] as const) {
		if (options[what] !== undefined) {
			checkString(what, options[what]);
		}
	}
	const {encoder: encoderName = 'minilm-encoder', questionEncoder: questionEncoderName, signal} = options;
	const settings = checkedSettings(options);
	const models = phraseModels(...checkedLengths(options));
	const name = options.name ?? basename(resolve(dataset)).replace(/(?:\.\w+)+$/u, '');
	const report = (stage: string) => (progress: Progress) => options.onProgress?.({...progress, stage});

	const files = await datasetFiles(dataset, options);
	const lists: Question[][] = [];
	for (const path of files.questions) {
		lists.push(await questionsOf(path, options.maxQuestions ?? Infinity, signal));
	}
	const questions = lists.flat();
	if (new Set(questions.map(({id}) => id)).size < questions.length) {
		throw new RetrievalError('ERR_FORMAT', `${dataset}: expected development and test questions of distinct ids, got some in both`);
	}
	const counted = async (path: string, count: number): Promise<Counted> => ({
		count,
		name: basename(path),
		sha256: await sha256(path, signal),
	});
	const model = async (model: string): Promise<Model> => ({
		name: named(model),
		sha256: await sha256(await resolveModel(model, {signal}), signal),
	});
	const questionFiles: Counted[] = [];
	for (const [i, path] of files.questions.entries()) {
		questionFiles.push(await counted(path, lists[i]!.length));
	}
	const version = packageVersion();
	const corpusHash = await sha256(files.corpus, signal);
	const inputs = {
		encoder: await model(encoderName),
		...(questionEncoderName === undefined ? {} : {questionEncoder: await model(questionEncoderName)}),
	};
	const qrelsHash = files.qrels === undefined ? null : {sha256: await sha256(files.qrels, signal)};
	const folder = resolve(output);
	await makeFolder(folder);
	await beginRun(folder, {
		format: phraseStudyFormat,
		dataset: name,
		passagekit: version,
		onnxruntime: findRuntimeLibrary().version ?? null,
		corpus: {sha256: corpusHash},
		questions: questionFiles,
		qrels: qrelsHash,
		...inputs,
		models,
		settings,
	} satisfies PhraseConfiguration);

	const place = join(folder, parts.collection);
	const built = await isThere(join(place, 'passagekit.json'));
	await using collection = built
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
	const kept = async (kind: 'runs' | 'candidateRuns', of: string, find: () => Promise<Run>): Promise<Run> => {
		const path = join(folder, parts[kind], `${of}.trec`);
		if (!(await isThere(path))) {
			const run = await find();
			await makeFolder(join(folder, parts[kind]));
			await writeTrecRun(path, run, `passagekit-${of}`, {signal});
		}
		return readTrecRun(path, {signal});
	};
	const search = async (of: string, searcher: Searcher): Promise<Run> =>
		kept('runs', of, async () => searcher.searchMany(questions, {k: settings.depth, signal, onProgress: report(`search ${of}`)}));

	const ofBm25 = await search('BM25', bm25);
	const supervise = async (queries: readonly Query[]): Promise<Run> =>
		kept('runs', 'supervision', async () =>
			bm25.searchMany(queries, {k: SUPERVISION_DEPTH, signal, onProgress: report('search supervision')}),
		);
	const judged = await judgedFor(files.qrels, questions, supervise, passages, corpus.ids, {
		signal,
		onProgress: report('look for answers'),
	});
	const {seed, negatives, random} = settings;
	const candidates = await candidateLists(questions, judged.qrels, await negativesOf(judged), corpus.order, {
		seed,
		negatives,
		random,
		isRelevant: judged.isRelevant,
		signal,
		onProgress: report('candidates'),
	});
	const gold = new Map([...candidates.lists].map(([id, {gold}]) => [id, gold]));
	const {split, asked} = divided(lists, gold, corpus.titles, settings.seed);
	const rank = async (of: string, searcher: FilteredSearcher): Promise<Run> =>
		kept('candidateRuns', of, async () => rankCandidates(searcher, asked, candidates, {signal, onProgress: report(`candidates ${of}`)}));

	const among = {bm25: await rank('BM25', bm25), models: new Map<string, ScoredRun>()};
	const whole = {bm25: ofBm25, models: new Map<string, ScoredRun>()};
	const facts: PhraseModelFacts[] = [];
	await using encoder = await OnnxEncoder.load(encoderName, {signal});
	await using ofQuestions = questionEncoderName === undefined ? encoder : await OnnxEncoder.load(questionEncoderName, {signal});
	const questionEncoder = new QuestionEncoder(ofQuestions);
	const ofPhrases = settings.confidenceOf === 'phrases';
	for (const model of models) {
		const {name} = model;
		await using opened = await openModel(model, {
			folder: join(folder, parts.models),
			passages,
			encoder,
			tokenizer: encoderName,
			questionEncoder: questionEncoderName === undefined ? undefined : ofQuestions.identity,
			signal,
			onProgress: report(`encode ${name}`),
		});
		const searcher = new PhraseSearcher({encoder: questionEncoder, index: opened.index, undivided: opened.undivided});
		facts.push(opened.facts);
		const run = await search(name, searcher);
		const ranked = await rank(name, searcher);
		const phrases = settings.confidenceDepth;
		whole.models.set(name, {
			run,
			scores: ofPhrases
				? await kept('runs', `${name}.phrases`, async () => {
						const call = {k: 0, maxPhrases: phrases, signal, onProgress: report(`phrases ${name}`)};
						return (await searcher.searchManyWithPhrases(questions, call)).phrases;
					})
				: run,
		});
		among.models.set(name, {
			run: ranked,
			scores: ofPhrases
				? await kept('candidateRuns', `${name}.phrases`, async () => {
						const call = {signal, onProgress: report(`candidate phrases ${name}`)};
						return namedPhrases(await rankCandidates(phrasesOf(searcher, phrases), asked, candidates, call));
					})
				: ranked,
		});
	}

	const graded = [...judged.qrels.values()].some(grades => [...grades.values()].some(grade => grade > 1));
	const askedIds = new Set(asked.map(({id}) => id));
	const relevant = new Map([...judged.qrels].filter(([id]) => askedIds.has(id)));
	const sides = {development: split.development, test: split.test, k: settings.depth};
	const found = judged.from === 'answers' ? ofAnswers(asked, passages, KS, {signal}) : ofQrels(relevant, KS, graded, {signal});
	const ofAll: Protocol = {...whole, ...sides, ...found};
	const ofSome: Protocol = {...among, ...sides, ...ofCandidates(candidates, {signal})};
	const {size, short} = candidates;
	const tokenizer = await Tokenizer.load(encoderName, {signal});
	const study: PhraseStudy = {
		format: phraseStudyFormat,
		dataset: name,
		passagekit: version,
		corpus: {
			count: passages.size,
			name: basename(files.corpus),
			sha256: corpusHash,
			words: corpus.words,
			tokens: await meanPassageTokens(tokenizer, passages, signal),
		},
		questions: {
			development: split.development.length,
			test: split.test.length,
			without: candidates.without,
			words: mean(asked.map(({text}) => wordCount(text))),
			tokens: await meanTokens(
				tokenizer,
				asked.map(({text}) => text),
				signal,
			),
			files: questionFiles,
			split: split.by,
		},
		relevance: {
			from: judged.from,
			...(files.qrels === undefined ? {} : {file: {count: relevant.size, name: basename(files.qrels), ...qrelsHash!}}),
			perQuestion: mean([...relevant.values()].map(grades => [...grades].filter(([id, grade]) => grade > 0 && corpus.ids.has(id)).length)),
			graded,
		},
		...inputs,
		settings,
		models: facts,
		candidates: {size, short, ...(await studyProtocol(ofSome, settings, {signal, onProgress: report('fuse candidates')}))},
		retrieval: await studyProtocol(ofAll, settings, {signal, onProgress: report('fuse all')}),
		command: commandOf(basename(resolve(dataset)), options),
	};
	await writeWhole(join(folder, parts.json), json(study));
	await writeWhole(join(folder, parts.markdown), phraseStudyMarkdown(study));
	await writeWhole(join(folder, parts.html), phraseStudyHtml(study));
	return study;

	/** BM25's lists if they are deep enough for all relevant passages and the negatives, else BM25 itself. */
	async function negativesOf({qrels}: Judged): Promise<Run | Searcher> {
		const maxRelevant = [...qrels.values()].reduce((max, {size}) => Math.max(max, size), 0);
		return maxRelevant + settings.negatives <= settings.depth ? ofBm25 : bm25;
	}
}

/** The best phrases of candidates, as hits with their passages' ids. */
function phrasesOf(searcher: PhraseSearcher, maxPhrases: number): FilteredSearcher {
	return {search: async (query, {filter, signal}) => (await searcher.searchWithPhrases(query, {k: 0, maxPhrases, filter, signal})).phrases};
}

/** A run whose hits are called by their phrases, since a list has several of a passage. */
function namedPhrases(run: Run): Run {
	return new Map([...run].map(([id, hits]) => [id, (hits as readonly PhraseHit[]).map(phraseNamed)]));
}

function checkedLengths({sentences, tokens = []}: PhraseStudyOptions): [sentences: readonly number[], tokens: readonly number[]] {
	checkArray('tokens', tokens, 'lengths');
	if (sentences !== undefined) {
		checkArray('sentences', sentences, 'lengths');
	}
	const lengths = [sentences ?? (tokens.length > 0 ? [] : [1, 3, 5]), tokens] as const;
	for (const [what, counts] of [
		['sentences', lengths[0]],
		['tokens', lengths[1]],
	] as const) {
		for (const count of counts) {
			checkCount(what, count, 1);
		}
		if (new Set(counts).size < counts.length) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}: expected each length once, got ${counts.join(', ')}`);
		}
	}
	if (lengths[0].length + lengths[1].length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'sentences: expected a length of phrases or more, in sentences or tokens, got none');
	}
	return [...lengths];
}

function checkedSettings({
	seed = 42,
	negatives = 10,
	random = 20,
	significance = 0.01,
	maxQuestions = 2,
	confidenceOf = 'phrases',
}: PhraseStudyOptions): PhraseSettings {
	checkCount('seed', seed, 0);
	checkCount('negatives', negatives, 0, 80);
	checkCount('random', random, 0);
	checkCount('maxQuestions', maxQuestions, 2);
	checkOneOf('confidenceOf', confidenceOf, ['phrases', 'passages']);
	checkNumber('significance', significance);
	if (significance <= 0 || significance >= 1) {
		throw new RetrievalError('ERR_ARGUMENT', `significance: expected a number between 0 and 1, got ${significance}`);
	}
	return {
		seed,
		negatives,
		random,
		confidenceOf,
		confidenceDepth: 30,
		fused: 3,
		start: 0.1,
		stepSize: 100,
		bins: 10,
		depth: Math.max(...KS),
		significance,
	};
}
