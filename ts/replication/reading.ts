import {f1, pairedTest} from '../evaluation/index.ts';
import {type ExtractiveReader, type PassageSourceById, type ReadingCache, type Readings, readRun, tuneEvidence} from '../reader/index.ts';
import type {CallOptions, Question, Run} from '../types.ts';
import {type Tested, corrected, mean} from '../report/tested.ts';
import type {ReadingCell, ReadingRow, ReadingStudy, Retrieved, Scoring, Settings} from './study.ts';

const scorings: readonly Scoring[] = ['repl', 'repl*', 'GAR', 'GAR*'];

/** The paper's comparisons: a, b, and the mark on a where it is better. */
const pairs: ReadonlyArray<readonly [a: Scoring, b: Scoring, mark: string]> = [
	['repl*', 'repl', '†'],
	['GAR', 'repl', '†'],
	['GAR*', 'GAR', '†'],
	['GAR*', 'repl', '‡'],
];

/** What one retriever found for both sets of questions. */
export interface ToRead {
	readonly retriever: Retrieved;
	readonly development: Run;
	readonly test: Run;
	/** Up to where γ, or γ / β, is looked for. */
	readonly mostGamma: number;
}

export interface ReadingOptions extends CallOptions {
	readonly settings: Settings;
	readonly development: readonly Question[];
	readonly test: readonly Question[];
	readonly passages: PassageSourceById;
	readonly cache: ReadingCache;
	/** Told what is being done. */
	readonly onStage?: ((stage: string) => void) | undefined;
}

/** Reads what each retriever found, tunes evidence fusion on development questions, and measures on test questions: Table 3, Figure 1. */
export async function studyReading(reader: ExtractiveReader, retrieved: readonly ToRead[], options: ReadingOptions): Promise<ReadingStudy> {
	const {settings, development, test, signal, onStage} = options;
	const ks = stepsUpTo(settings.passagesRead);
	const rows: ReadingRow[] = [];
	const curves: Array<ReadingStudy['curves'][number]> = [];
	const tests: Tested[] = [];
	for (const {retriever, mostGamma, ...runs} of retrieved) {
		const read = async (questions: readonly Question[], run: Run): Promise<Readings> => {
			const {passages, cache, onProgress} = options;
			return readRun(reader, questions, run, passages, {depth: settings.passagesRead, cache, signal, onProgress});
		};
		onStage?.(`read ${retriever}, development`);
		const ofDevelopment = await read(development, runs.development);
		onStage?.(`read ${retriever}, test`);
		const ofTest = await read(test, runs.test);
		const values = new Map<Scoring, ReadonlyMap<string, number>>();
		const cells: ReadingCell[] = [];
		for (const scoring of scorings) {
			onStage?.(`tune ${retriever} ${scoring}`);
			const {cell, right, curve} = await studyCell(scoring, mostGamma, ks, {ofDevelopment, ofTest, ...options});
			cells.push(cell);
			values.set(scoring, right);
			curves.push({retriever, scoring, exactMatch: curve});
		}
		rows.push({retriever, cells});
		for (const [a, b, mark] of pairs) {
			const tested = await pairedTest(values.get(a)!, values.get(b)!, {signal});
			tests.push({a: `${retriever} ${a}`, b: `${retriever} ${b}`, measure: 'exact match', mark, better: true, tested});
		}
	}
	return {rows, comparisons: corrected(tests, settings.significance), ks, curves};
}

/** One scoring of one retriever's passages. */
async function studyCell(
	scoring: Scoring,
	mostGamma: number,
	ks: readonly number[],
	parts: {readonly ofDevelopment: Readings; readonly ofTest: Readings} & Pick<
		ReadingOptions,
		'development' | 'test' | 'signal' | 'onProgress'
	>,
): Promise<{readonly cell: ReadingCell; readonly right: ReadonlyMap<string, number>; readonly curve: readonly number[]}> {
	const {ofDevelopment, ofTest, development, test, signal, onProgress} = parts;
	const way = {scoring: scoring.startsWith('repl') ? 'original' : 'normalized'} as const;
	const fused = scoring.endsWith('*');
	const none = {from: 0, to: 0};
	const range = fused ? {from: 0, to: mostGamma} : none;
	const tuned = await tuneEvidence(ofDevelopment, development, {
		...way,
		passages: ks,
		...(fused ? {} : {beta: {from: 1, to: 1}}),
		gamma: range,
		delta: range,
		signal,
		onProgress,
	});
	const {passages, exactMatch} = tuned;
	// Products of steps of hundredths: what is beyond is rounding.
	const exact = (weight: number): number => Number(weight.toFixed(6));
	const evidence = {beta: exact(tuned.evidence.beta), gamma: exact(tuned.evidence.gamma)};
	const matches = await ofTest.exactMatch(test, {...way, evidence, passages: ks, signal});
	const right = matches.get(passages)!;
	const answers = await ofTest.answers({...way, evidence, passages, signal});
	const f1s = test.map(question => (answers.has(question.id) ? f1(answers.get(question.id)!.text, question.answers) : 0));
	return {
		cell: {
			scoring,
			exactMatch: mean(right.values()),
			f1: mean(f1s),
			passages,
			...evidence,
			developmentExactMatch: exactMatch,
		},
		right,
		curve: ks.map(k => mean(matches.get(k)!.values())),
	};
}

/** Numbers of passages: 25 of them up to the most, every 20 up to 500 as in the paper. */
export function stepsUpTo(most: number): number[] {
	const step = Math.max(1, Math.round(most / 25));
	const steps = Array.from({length: Math.floor(most / step)}, (_, i) => (i + 1) * step);
	return steps.at(-1) === most ? steps : [...steps, most];
}
