import {
	checkArray,
	checkCount,
	checkInstance,
	checkFactoryMade,
	checkOneOf,
	checkQueries,
	checkQuestions as checkAnswered,
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

/** Where passages are: a `PassageStore`, or a map by id. */
export type PassageSourceById = TextSource | ReadonlyMap<string, Pick<Passage, 'text' | 'title'>>;

export interface ReadRunOptions extends CallOptions, SpanLimits {
	/** Passages read for each question, from the first of its list on. @default 100 */
	readonly depth?: number | undefined;
	/** Where readings are kept. Its limits are those of this call; others are refused. */
	readonly cache?: ReadingCache | undefined;
}

/** How answers are made of readings. */
export type ScoringOptions = Pick<ReadOptions, 'scoring' | 'evidence' | 'merge'>;

export interface AnswersOptions extends CallOptions, ScoringOptions {
	/** Only the first so many passages of each question. @default all that were read */
	readonly passages?: number | undefined;
}

export interface ExactMatchOptions extends CallOptions, ScoringOptions {
	/** Numbers of passages, from the first of each list on: 1 to 4,294,967,295. */
	readonly passages: readonly number[];
	/** Whether accepted answers are texts or regular expressions, as in `exactMatch`. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
}

const readOptions: OptionNames = optionNames<ReadRunOptions>({...callNames, ...limitNames, depth: true, cache: true});
const scoringNames = {...callNames, scoring: true, evidence: true, merge: true, passages: true} as const;
const answersOptions: OptionNames = optionNames<AnswersOptions>(scoringNames);
const matchOptions: OptionNames = optionNames<ExactMatchOptions>({...scoringNames, answerKind: true});

/** Questions or passages handed over in one turn of the event loop. */
const BATCH = 256;
/** About a millisecond's worth of answers to copy. */
const ANSWERS_A_TURN = 1024;

/**
Has a reader read what was retrieved: for each question, the first passages of its list. Progress counts passages, those of
the cache included. When cancelled, what was read is in the cache, but for the last few runs of the model. A question that the
run lacks has no answer.

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
	const from = ExtractiveReader.handle(reader);
	checkOptions('readRun', options, readOptions);
	const {depth = 100, cache} = options;
	checkCount('depth', depth, 1);
	const kept = cache === undefined ? undefined : ReadingCache.handle(cache);
	const limits = checkedLimits({...cache?.limits, ...definedLimits(options)});
	checkQuestions(questions);
	const texts = storeTexts(passages);
	const job = new native.RunReader(await nativeRun(run), texts, depth, limits);
	for (let first = 0; first < questions.length; first += BATCH) {
		const some = questions.slice(first, first + BATCH);
		job.addQuestions(
			some.map(({id}) => id),
			some.map(({text}) => text),
		);
		await yieldToEventLoop();
	}
	if (texts === undefined) {
		await addPassages(job, questions, run, passages as ReadonlyMap<string, Pick<Passage, 'text' | 'title'>>, depth);
	}
	const ids = questions.map(({id}) => id);
	return Readings.of(await callNative(options, control => job.read(from, kept, control)), ids);
}

/** What a reader said of a run: every scoring of it is arithmetic. */
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

	/** Passages read for the question of most passages. */
	get depth(): number {
		return this.#native.depths().reduce((most, depth) => Math.max(most, depth), 0);
	}

	/**
	The best answer of each question, the same that `ExtractiveReader.read` has first for its passages, in the order of the
	questions; those without any are absent. Progress counts questions.
	*/
	async answers(options: AnswersOptions = {}): Promise<ReadonlyMap<string, Answer>> {
		checkOptions('answers', options, answersOptions);
		const {passages = 0xff_ff_ff_ff} = options;
		checkCount('passages', passages, 1);
		const scoring = checkedScoring(options);
		const {signal, onProgress} = options;
		const answers = new Map<string, Answer>();
		const total = this.questions.length;
		for (let first = 0; first < total; first += ANSWERS_A_TURN) {
			const call: CallOptions = {signal, onProgress: onProgress && (({done}) => onProgress({done: first + done, total}))};
			const columns = await callNative(call, control => this.#native.answers(scoring, passages, first, ANSWERS_A_TURN, control));
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
	For each of `passages`, in ascending order, question id → 1 if the best answer of so many passages is an accepted one, as the
	function `exactMatch` decides it, else 0. A question that was not read counts 0; unanswerable questions do not count. Progress
	counts questions.

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

/** @internal Readings with the accepted answers of questions, unanswerable ones left out. */
export async function judgeOf(
	readings: Readings,
	questions: readonly Question[],
	kind: AnswerKind = 'text',
): Promise<{readonly judge: Binding.ReadingsJudge; readonly ids: readonly string[]}> {
	const of = Readings.handle(readings);
	checkOneOf('answerKind', kind, ['text', 'pattern']);
	checkQuestions(questions);
	checkAnswered('questions', questions);
	const answerable = questions.filter(({answers}) => answers.length > 0);
	const judge = new native.ReadingsJudge(of, kind === 'pattern');
	for (let from = 0; from < answerable.length; from += BATCH) {
		const some = answerable.slice(from, from + BATCH);
		judge.add(
			some.map(({id}) => id),
			some.map(({answers}) => [...answers]),
		);
		await yieldToEventLoop();
	}
	return {judge, ids: answerable.map(({id}) => id)};
}

/** @internal In ascending order, each once. */
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

/** What was asked for, so that it can be told from what a cache has. */
function definedLimits({spansPerPassage, maxAnswerTokens}: SpanLimits): SpanLimits {
	return {
		...(spansPerPassage === undefined ? {} : {spansPerPassage}),
		...(maxAnswerTokens === undefined ? {} : {maxAnswerTokens}),
	};
}

function checkQuestions(questions: readonly Query[]): void {
	checkQueries('questions', questions);
	const seen = new Set<string>();
	for (const question of questions) {
		if (seen.has(question.id)) {
			throw new RetrievalError('ERR_DUPLICATE_ID', `questions: expected distinct ids, got "${question.id}" twice`);
		}
		seen.add(question.id);
	}
}

/** Copies the passages that will be read, and no others. */
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
			// One that is not there is an error of the reading.
			if (passage) {
				checkString(`passage "${id}": text`, passage.text);
				ids.push(id);
				titles.push(passage.title ?? '');
				texts.push(passage.text);
			}
			if (ids.length === BATCH) {
				await flush();
			}
		}
		await yieldToEventLoop();
	}
	await flush();
}
