/** Reads the passages of whole runs (`readRun`). The resulting `Readings` can be scored in different ways without rerunning the model. */
import {
	checkArray,
	checkCount,
	checkInstance,
	checkFactoryMade,
	checkOneOf,
	checkQueries,
	checkQuestions,
	checkString,
} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {storeTexts} from '../core/native/texts.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {nativeRun} from '../core/native/runs.ts';
import type {TextSource} from '../core/passage-texts.ts';
import type {AnswerKind, CallOptions, Passage, Query, Question, Run} from '../core/types.ts';
import {type Answer, ExtractiveReader, type ReadOptions, answerMerges, checkEvidence, spanScorings} from './extractive-reader.ts';
import {ReadingCache, type SpanLimits, checkedLimits, limitNames} from './reading-cache.ts';

/** Passages with titles, by id: a `PassageStore`, or a map. */
export type PassageSourceById = TextSource | ReadonlyMap<string, Pick<Passage, 'text' | 'title'>>;

/** The options of `readRun`. */
export interface ReadRunOptions extends CallOptions, SpanLimits {
	/** Number of passages that are read per question, from the start of the question's list of hits. @default 100 */
	readonly depth?: number | undefined;
	/** Stores the readings. `spansPerPassage` and `maxAnswerTokens` then default to those of the cache, and other values are rejected. */
	readonly cache?: ReadingCache | undefined;
}

/** How answers are computed from readings. */
export type ScoringOptions = Pick<ReadOptions, 'scoring' | 'evidence' | 'merge'>;

/** The options of `Readings.answers`. */
export interface AnswersOptions extends CallOptions, ScoringOptions {
	/** Number of passages used per question, from the start of the question's list of hits. @default all that were read */
	readonly passages?: number | undefined;
}

/** The options of `Readings.exactMatch`. */
export interface ExactMatchOptions extends CallOptions, ScoringOptions {
	/**
	Numbers of passages to compare, each from 1 to 4,294,967,295. For a number n, only the first n passages of each question are used.
	*/
	readonly passages: readonly number[];
	/** Whether accepted answers are texts or regular expressions, as for the function `exactMatch`. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
}

const readOptions: OptionNames = optionNames<ReadRunOptions>({...callNames, ...limitNames, depth: true, cache: true});
const scoringNames = {...callNames, scoring: true, evidence: true, merge: true, passages: true} as const;
const answersOptions: OptionNames = optionNames<AnswersOptions>(scoringNames);
const matchOptions: OptionNames = optionNames<ExactMatchOptions>({...scoringNames, answerKind: true});

/** Number of questions or passages that are copied per iteration of the event loop. */
const BATCH_SIZE = 256;
/** Number of questions whose answers are computed per call to the addon. Copying that many answers takes about a millisecond. */
const QUESTIONS_PER_CALL = 1024;

/**
Runs a reader over the first `depth` passages that were retrieved for each question in a run. If the call is aborted, the cache keeps all
readings except those of the last few batches. A question that is not in the run has no passages and no answer. Fails with
`ERR_DUPLICATE_ID` if two questions have the same id. Progress counts passages, including those whose readings come from the cache.

@example
```
const readings = await readRun(reader, questions, run, store, {depth: 100, cache});
const answers = await readings.answers({scoring: 'normalized', evidence: {beta: 1, gamma: 0.5}, passages: 20});
answers.get('q7');
//=> {text: '1890', passageId: 'forth-bridge.md#1', start: 52, end: 56, score: 0.81}
```
*/
export async function readRun(
	reader: ExtractiveReader,
	questions: readonly Query[],
	run: Run,
	passages: PassageSourceById,
	options: ReadRunOptions = {},
): Promise<Readings> {
	const readerHandle = ExtractiveReader.handle(reader);
	checkOptions('readRun', options, readOptions);
	const {depth = 100, cache} = options;
	checkCount('depth', depth, 1);
	const cacheHandle = cache === undefined ? undefined : ReadingCache.handle(cache);
	const limits = checkedLimits({...cache?.limits, ...definedLimits(options)});
	checkQueries('questions', questions);
	const texts = storeTexts(passages);
	const job = new native.RunReader(await nativeRun(run), texts, depth, limits);
	for (let first = 0; first < questions.length; first += BATCH_SIZE) {
		const batch = questions.slice(first, first + BATCH_SIZE);
		job.addQuestions(
			batch.map(({id}) => id),
			batch.map(({text}) => text),
		);
		await yieldToEventLoop();
	}
	if (texts === undefined) {
		await addPassages(job, questions, run, passages as ReadonlyMap<string, Pick<Passage, 'text' | 'title'>>, depth);
	}
	const ids = questions.map(({id}) => id);
	return Readings.of(await callNative(options, control => job.read(readerHandle, cacheHandle, control)), ids);
}

/** The outputs of a reader for the passages of a run. Answers can be computed from them in different ways without rerunning the model. */
export class Readings {
	readonly #native: Binding.NativeReadings;
	/** Ids of the questions, in the order in which they were read. */
	readonly questions: readonly string[];

	private constructor(readings: Binding.NativeReadings, questions: readonly string[]) {
		checkFactoryMade('Readings', readings, native.NativeReadings, 'readRun()');
		this.#native = readings;
		this.questions = questions;
	}

	/** @internal */
	static of(readings: Binding.NativeReadings, questions: readonly string[]): Readings {
		return new Readings(readings, questions);
	}

	/** Largest number of passages that were read for any question; 0 without questions. */
	get depth(): number {
		return this.#native.depths().reduce((max, depth) => Math.max(max, depth), 0);
	}

	/**
	Returns the best answer to each question, in the order of the questions: the first answer that `ExtractiveReader.read` would return for
	the same passages and options. Questions without an answer are absent. Progress counts questions.
	*/
	async answers(options: AnswersOptions = {}): Promise<ReadonlyMap<string, Answer>> {
		checkOptions('answers', options, answersOptions);
		const {passages = 0xff_ff_ff_ff} = options;
		checkCount('passages', passages, 1);
		const scoring = checkedScoring(options);
		const {signal, onProgress} = options;
		const answers = new Map<string, Answer>();
		const total = this.questions.length;
		for (let first = 0; first < total; first += QUESTIONS_PER_CALL) {
			const call: CallOptions = {signal, onProgress: onProgress && (({done}) => onProgress({done: first + done, total}))};
			const columns = await callNative(call, control => this.#native.answers(scoring, passages, first, QUESTIONS_PER_CALL, control));
			for (const [i, text] of columns.texts.entries()) {
				answers.set(this.questions[columns.questions[i]!]!, {
					text,
					passageId: columns.passageIds[i]!,
					start: columns.starts[i]!,
					end: columns.ends[i]!,
					score: columns.scores[i]!,
				});
			}
		}
		return answers;
	}

	/**
	Returns, for each number in `passages` in ascending order, a map from question id to 1 or 0. The value is 1 if the best answer from that
	number of passages is an accepted answer, as decided by the function `exactMatch`. It is 0 for a question that was not read. Questions
	without accepted answers are absent. Progress counts questions.

	@example
	```
	const right = await readings.exactMatch(questions, {passages: [20, 100]});
	right.get(20)!.get('q7');
	//=> 1
	```
	*/
	async exactMatch(questions: readonly Question[], options: ExactMatchOptions): Promise<ReadonlyMap<number, ReadonlyMap<string, 0 | 1>>> {
		checkRequiredOptions('exactMatch', options, matchOptions);
		const passages = checkedPassages(options.passages);
		const scoring = checkedScoring(options);
		const {judge, ids} = await judgeOf(this, questions, options.answerKind);
		const right = await callNative(options, control => judge.exactMatches(scoring, passages, control));
		const matches = new Map<number, ReadonlyMap<string, 0 | 1>>();
		for (const [row, count] of passages.entries()) {
			matches.set(count, new Map(ids.map((id, i) => [id, right[row * ids.length + i] as 0 | 1])));
			await yieldToEventLoop();
		}
		return matches;
	}

	/** @internal */
	static handle(readings: Readings): Binding.NativeReadings {
		checkInstance('readings', readings, Readings);
		return readings.#native;
	}
}

/** @internal Combines readings with the accepted answers of questions. Questions without accepted answers are left out. */
export async function judgeOf(
	readings: Readings,
	questions: readonly Question[],
	kind: AnswerKind = 'text',
): Promise<{readonly judge: Binding.ReadingsJudge; readonly ids: readonly string[]}> {
	const handle = Readings.handle(readings);
	checkOneOf('answerKind', kind, ['text', 'pattern']);
	checkQuestions('questions', questions);
	const answerable = questions.filter(({answers}) => answers.length > 0);
	const judge = new native.ReadingsJudge(handle, kind === 'pattern');
	for (let from = 0; from < answerable.length; from += BATCH_SIZE) {
		const batch = answerable.slice(from, from + BATCH_SIZE);
		judge.add(
			batch.map(({id}) => id),
			batch.map(({answers}) => [...answers]),
		);
		await yieldToEventLoop();
	}
	return {judge, ids: answerable.map(({id}) => id)};
}

/** @internal Checks numbers of passages. Returns them in ascending order without duplicates. */
export function checkedPassages(passages: readonly number[]): number[] {
	checkArray('passages', passages, 'numbers of passages');
	if (passages.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'passages: expected at least one number of passages, got none');
	}
	for (const count of passages) {
		checkCount('passages', count, 1);
	}
	return [...new Set(passages)].toSorted((a, b) => a - b);
}

function checkedScoring({scoring = 'normalized', evidence = {beta: 1, gamma: 0}, merge = 'text'}: ScoringOptions): Binding.NativeScoring {
	checkOneOf('scoring', scoring, spanScorings);
	checkOneOf('merge', merge, answerMerges);
	checkEvidence(evidence);
	return {scoring, merge, beta: evidence.beta, gamma: evidence.gamma};
}

/** Returns only the limits that the caller gave; for the others, the limits of the cache apply. */
function definedLimits({spansPerPassage, maxAnswerTokens}: SpanLimits): SpanLimits {
	return {
		...(spansPerPassage === undefined ? {} : {spansPerPassage}),
		...(maxAnswerTokens === undefined ? {} : {maxAnswerTokens}),
	};
}

/** Copies the first `depth` passages of each question in the run from the map `passages` to the addon. */
async function addPassages(
	job: Binding.RunReader,
	questions: readonly Query[],
	run: Run,
	passages: ReadonlyMap<string, Pick<Passage, 'text' | 'title'>>,
	depth: number,
): Promise<void> {
	const seen = new Set<string>();
	let [ids, titles, texts]: [string[], string[], string[]] = [[], [], []];
	const flush = async (): Promise<void> => {
		job.addPassages(ids, titles, texts);
		[ids, titles, texts] = [[], [], []];
		await yieldToEventLoop();
	};
	for (const {id: question} of questions) {
		for (const {id} of run.get(question)?.slice(0, depth) ?? []) {
			const passage = seen.has(id) ? undefined : passages.get(id);
			seen.add(id);
			// The addon reports passages that are missing.
			if (passage) {
				checkString(`passage "${id}": text`, passage.text);
				ids.push(id);
				titles.push(passage.title ?? '');
				texts.push(passage.text);
			}
			if (ids.length === BATCH_SIZE) {
				await flush();
			}
		}
		await yieldToEventLoop();
	}
	await flush();
}
