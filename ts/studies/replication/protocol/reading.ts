/**
The reading experiments of Ma et al. (2021, §4.2). `studyReading` reads the passages of each retriever, tunes evidence
fusion on development questions, and measures answers on test questions (Table 3 and Figure 1). Evidence fusion replaces
the relevance that the reader gives a passage with β · relevance + γ · retrieval score.
*/
import type {Question, Run} from '../../../core/types.ts';
import {f1} from '../../../evaluation/index.ts';
import {
	type ExtractiveReader,
	type PassageSourceById,
	type ReadingCache,
	type Readings,
	readRun,
	tuneEvidence,
} from '../../../reader/index.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {mean} from '../../statistics/mean.ts';
import {type ConditionPair, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import {exactMatchMeasure, readingCondition} from '../labels.ts';
import {markers} from '../markers.ts';
import type {ReadingCell, ReadingRow, ReadingStudy, Retrieved, Scoring, Settings} from '../study.ts';
import {type CurveValues, testCurves} from './curve-tests.ts';

/** All span scorings, in the paper's order; `Scoring` explains their names. */
const scorings: readonly Scoring[] = ['repl', 'repl*', 'GAR', 'GAR*'];

/** The comparisons of Table 3 of Ma et al. (2021). `a` gets the marker if it is significantly better than `b`. */
const tablePairs: ReadonlyArray<{readonly a: Scoring; readonly b: Scoring; readonly marker: string}> = [
	{a: 'repl*', b: 'repl', marker: markers.step},
	{a: 'GAR', b: 'repl', marker: markers.step},
	{a: 'GAR*', b: 'GAR', marker: markers.step},
	{a: 'GAR*', b: 'repl', marker: markers.both},
];

/** The hits of one retriever for development and test questions. */
export interface ListsToRead {
	readonly retriever: Retrieved;
	readonly development: Run;
	readonly test: Run;
	/** Upper end of the range in which γ is tuned, or δ = γ / β if β is tuned as well. */
	readonly maxGamma: number;
}

/** The options of `studyReading`. */
export interface ReadingOptions {
	readonly settings: Settings;
	readonly development: readonly Question[];
	readonly test: readonly Question[];
	readonly passages: PassageSourceById;
	readonly cache: ReadingCache;
	readonly run: StudyRun;
}

/** The results of one scoring with the passages of one retriever. */
interface MeasuredScoring extends CurveValues {
	readonly cell: ReadingCell;
	/** Test question id → 1 if the answer from the chosen number of passages is right, else 0. */
	readonly isRight: ValueByQuestion;
}

/** Reads the passages of each list and measures all scorings. */
export async function studyReading(
	reader: ExtractiveReader,
	lists: readonly ListsToRead[],
	options: ReadingOptions,
): Promise<ReadingStudy> {
	const {settings, development, test, passages, cache, run} = options;
	const {significance} = settings;
	const {signal} = run;
	const ks = passageCounts(settings.passagesRead);
	const rows: ReadingRow[] = [];
	const allMeasured: MeasuredScoring[] = [];
	const pairs: ConditionPair[] = [];
	for (const list of lists) {
		const {retriever} = list;
		const read = async (questions: readonly Question[], hits: Run, split: string): Promise<Readings> =>
			readRun(reader, questions, hits, passages, {depth: settings.passagesRead, cache, ...run.stage(`read ${retriever}, ${split}`)});
		const readings = {
			development: await read(development, list.development, 'development'),
			test: await read(test, list.test, 'test'),
		};
		const measured = new Map<Scoring, MeasuredScoring>();
		for (const scoring of scorings) {
			measured.set(scoring, await measureScoring(scoring, list, ks, readings, options));
		}
		allMeasured.push(...measured.values());
		rows.push({retriever, cells: [...measured.values()].map(({cell}) => cell)});
		pairs.push(...tablePairs.map(({a, b, marker}) => conditionPair(measured.get(a)!, measured.get(b)!, marker)));
	}
	const find = (retriever: Retrieved, scoring: Scoring): MeasuredScoring =>
		allMeasured.find(measured => measured.retriever === retriever && measured.scoring === scoring)!;
	// Claims in the text of §4.2.
	const textPairs = [
		conditionPair(find('hybrid', 'repl'), find('dense', 'repl')),
		conditionPair(bestRetriever('GAR*', allMeasured), bestRetriever('repl', allMeasured)),
	];
	return {
		rows,
		comparisons: await comparePairs(pairs, {significance, signal}),
		textComparisons: await comparePairs(textPairs, {significance, signal}),
		curveTests: await testCurves(allMeasured, {significance, signal}),
		ks,
		curves: allMeasured.map(({retriever, scoring, matches}) => ({
			retriever,
			scoring,
			exactMatch: ks.map(k => mean(matches.get(k)!.values())),
		})),
	};
}

function conditionPair(a: MeasuredScoring, b: MeasuredScoring, marker = ''): ConditionPair {
	return {
		a: readingCondition(a.retriever, a.scoring),
		b: readingCondition(b.retriever, b.scoring),
		measure: exactMatchMeasure,
		valuesOfA: a.isRight,
		valuesOfB: b.isRight,
		marker,
		markerNeedsGain: true,
	};
}

/**
Returns the results of this scoring with the retriever that is best for it on development questions. Test questions must
not influence the choice.
*/
function bestRetriever(scoring: Scoring, all: readonly MeasuredScoring[]): MeasuredScoring {
	return all
		.filter(measured => measured.scoring === scoring)
		.reduce((a, b) => (b.cell.developmentExactMatch > a.cell.developmentExactMatch ? b : a));
}

/** Tunes a scoring on development questions, and measures it on test questions. */
async function measureScoring(
	scoring: Scoring,
	{retriever, maxGamma}: ListsToRead,
	ks: readonly number[],
	readings: {readonly development: Readings; readonly test: Readings},
	{settings, development, test, run}: ReadingOptions,
): Promise<MeasuredScoring> {
	const {signal} = run;
	const {merge, answers: answerKind = 'text'} = settings;
	const spans = {scoring: scoring.startsWith('repl') ? 'original' : 'normalized', merge} as const;
	const usesRetrievalScores = scoring.endsWith('*');
	// Without retrieval scores, β stays 1 and γ 0, so only the number of passages is tuned.
	const gamma = usesRetrievalScores ? {from: 0, to: maxGamma} : {from: 0, to: 0};
	const tuned = await tuneEvidence(readings.development, development, {
		...spans,
		answerKind,
		passages: ks,
		...(usesRetrievalScores ? {} : {beta: {from: 1, to: 1}}),
		gamma,
		delta: gamma,
		...run.stage(`tune ${retriever} ${scoring}`),
	});
	const {passages} = tuned;
	const evidence = {beta: roundedWeight(tuned.evidence.beta), gamma: roundedWeight(tuned.evidence.gamma)};
	const matches = await readings.test.exactMatch(test, {...spans, answerKind, evidence, passages: ks, signal});
	const isRight = matches.get(passages)!;
	const answers = await readings.test.answers({...spans, evidence, passages, signal});
	const f1s = test.map(question => (answers.has(question.id) ? f1(answers.get(question.id)!.text, question.answers) : 0));
	return {
		retriever,
		scoring,
		cell: {
			scoring,
			exactMatch: mean(isRight.values()),
			...(answerKind === 'text' ? {f1: mean(f1s)} : {}),
			passages,
			...evidence,
			developmentExactMatch: tuned.exactMatch,
		},
		isRight,
		matches,
		chosen: passages,
	};
}

/**
Rounds a weight to six decimals. Weights are multiples of 0.01 or products of two such multiples, so all further digits
are rounding errors.
*/
const roundedWeight = (weight: number): number => Number(weight.toFixed(6));

/**
Returns about 25 numbers of passages at equal intervals, or every number up to `max` if `max` is at most 37. The last
number is always `max`. For 500, these are the multiples of 20, as in Ma et al. (2021).
*/
export function passageCounts(max: number): number[] {
	const step = Math.max(1, Math.round(max / 25));
	const counts = Array.from({length: Math.floor(max / step)}, (_, i) => (i + 1) * step);
	return counts.at(-1) === max ? counts : [...counts, max];
}
