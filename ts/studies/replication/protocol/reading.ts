/** Reading: tunes evidence fusion on development questions, and measures answers on test questions (Ma et al., 2021, §4.2). */
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

const scorings: readonly Scoring[] = ['repl', 'repl*', 'GAR', 'GAR*'];

/** The comparisons of Table 3, with the marker on `a` if it is significantly better. */
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
	/** Upper end of the range in which γ, or γ / β, is searched. */
	readonly maxGamma: number;
}

export interface ReadingOptions {
	readonly settings: Settings;
	readonly development: readonly Question[];
	readonly test: readonly Question[];
	readonly passages: PassageSourceById;
	readonly cache: ReadingCache;
	readonly run: StudyRun;
}

/** One scoring of one retriever's passages, measured on test questions. */
interface MeasuredScoring extends CurveValues {
	readonly cell: ReadingCell;
	/** Question id → 1 if the answer from the chosen number of passages is right, else 0. */
	readonly isRight: ValueByQuestion;
}

/** Table 3 and Figure 1. */
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
	const all: MeasuredScoring[] = [];
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
		all.push(...measured.values());
		rows.push({retriever, cells: [...measured.values()].map(({cell}) => cell)});
		pairs.push(...tablePairs.map(({a, b, marker}) => conditionPair(measured.get(a)!, measured.get(b)!, marker)));
	}
	const find = (retriever: Retrieved, scoring: Scoring): MeasuredScoring =>
		all.find(measured => measured.retriever === retriever && measured.scoring === scoring)!;
	const textPairs = [
		conditionPair(find('hybrid', 'repl'), find('dense', 'repl')),
		conditionPair(bestRetriever('GAR*', all), bestRetriever('repl', all)),
	];
	return {
		rows,
		comparisons: await comparePairs(pairs, {significance, signal}),
		textComparisons: await comparePairs(textPairs, {significance, signal}),
		curveTests: await testCurves(all, {significance, signal}),
		ks,
		curves: all.map(({retriever, scoring, matches}) => ({
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

/** The retriever with which this scoring is best on development questions, so that test questions do not influence the choice. */
function bestRetriever(scoring: Scoring, all: readonly MeasuredScoring[]): MeasuredScoring {
	return all
		.filter(measured => measured.scoring === scoring)
		.reduce((a, b) => (b.cell.developmentExactMatch > a.cell.developmentExactMatch ? b : a));
}

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
	const evidence = {beta: withoutRounding(tuned.evidence.beta), gamma: withoutRounding(tuned.evidence.gamma)};
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

/** Weights are products of steps of 0.01, so digits after the sixth are rounding errors. */
const withoutRounding = (weight: number): number => Number(weight.toFixed(6));

/** About 25 numbers of passages up to `max`, at equal distances: every 20 up to 500, as in the paper. */
export function passageCounts(max: number): number[] {
	const step = Math.max(1, Math.round(max / 25));
	const counts = Array.from({length: Math.floor(max / step)}, (_, i) => (i + 1) * step);
	return counts.at(-1) === max ? counts : [...counts, max];
}
