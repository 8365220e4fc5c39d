import {f1, pairedTest} from '../../../evaluation/index.ts';
import {
	type ExtractiveReader,
	type PassageSourceById,
	type ReadingCache,
	type Readings,
	readRun,
	tuneEvidence,
} from '../../../reader/index.ts';
import type {CallOptions, Question, Run} from '../../../core/types.ts';
import {type Tested, corrected, mean} from '../../statistics/correction.ts';
import {type CurveValues, testCurves} from './curve-tests.ts';
import {exactMatchMeasure, readingCondition} from '../labels.ts';
import type {ReadingCell, ReadingRow, ReadingStudy, Retrieved, Scoring, Settings} from '../study.ts';

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
	/** Upper end of the range in which γ, or γ / β, is searched. */
	readonly maxGamma: number;
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

/** One scoring of one retriever's passages, measured. */
interface Measured extends CurveValues {
	readonly cell: ReadingCell;
	/** Question id → 1 where the answer of the chosen number of passages is right, else 0. */
	readonly right: ReadonlyMap<string, number>;
}

/** Reads what each retriever found, tunes evidence fusion on development questions, and measures on test questions: Table 3, Figure 1. */
export async function studyReading(reader: ExtractiveReader, retrieved: readonly ToRead[], options: ReadingOptions): Promise<ReadingStudy> {
	const {settings, development, test, signal, onStage} = options;
	const ks = stepsUpTo(settings.passagesRead);
	const rows: ReadingRow[] = [];
	const all: Measured[] = [];
	const tests: Tested[] = [];
	const compare = async (a: Measured, b: Measured, mark: string): Promise<Tested> => ({
		a: readingCondition(a.retriever, a.scoring),
		b: readingCondition(b.retriever, b.scoring),
		measure: exactMatchMeasure,
		mark,
		better: mark !== '',
		tested: await pairedTest(a.right, b.right, {signal}),
	});
	for (const {retriever, maxGamma, ...runs} of retrieved) {
		const read = async (questions: readonly Question[], run: Run): Promise<Readings> => {
			const {passages, cache, onProgress} = options;
			return readRun(reader, questions, run, passages, {depth: settings.passagesRead, cache, signal, onProgress});
		};
		onStage?.(`read ${retriever}, development`);
		const ofDevelopment = await read(development, runs.development);
		onStage?.(`read ${retriever}, test`);
		const ofTest = await read(test, runs.test);
		const measured = new Map<Scoring, Measured>();
		for (const scoring of scorings) {
			onStage?.(`tune ${retriever} ${scoring}`);
			const found = await measure(scoring, maxGamma, ks, {ofDevelopment, ofTest, ...options});
			measured.set(scoring, {...found, retriever, scoring});
		}
		all.push(...measured.values());
		rows.push({retriever, cells: [...measured.values()].map(({cell}) => cell)});
		for (const [a, b, mark] of pairs) {
			tests.push(await compare(measured.get(a)!, measured.get(b)!, mark));
		}
	}
	const of = (retriever: Retrieved, scoring: Scoring): Measured =>
		all.find(measured => measured.retriever === retriever && measured.scoring === scoring)!;
	const ofText = [
		await compare(of('hybrid', 'repl'), of('dense', 'repl'), ''),
		await compare(bestOf('GAR*', all), bestOf('repl', all), ''),
	];
	return {
		rows,
		comparisons: corrected(tests, settings.significance),
		textComparisons: corrected(ofText, settings.significance),
		curveTests: await testCurves(all, settings.significance, signal),
		ks,
		curves: all.map(({retriever, scoring, matches}) => ({
			retriever,
			scoring,
			exactMatch: ks.map(k => mean(matches.get(k)!.values())),
		})),
	};
}

/** The retriever that is best with this scoring on development questions, so that no test question has a part in the choice. */
function bestOf(scoring: Scoring, all: readonly Measured[]): Measured {
	return all
		.filter(measured => measured.scoring === scoring)
		.reduce((a, b) => (b.cell.developmentExactMatch > a.cell.developmentExactMatch ? b : a));
}

/** One scoring of one retriever's passages. */
async function measure(
	scoring: Scoring,
	maxGamma: number,
	ks: readonly number[],
	parts: {readonly ofDevelopment: Readings; readonly ofTest: Readings} & Pick<
		ReadingOptions,
		'settings' | 'development' | 'test' | 'signal' | 'onProgress'
	>,
): Promise<Omit<Measured, 'retriever' | 'scoring'>> {
	const {ofDevelopment, ofTest, development, test, signal, onProgress} = parts;
	const {merge, answers: kind = 'text'} = parts.settings;
	const way = {scoring: scoring.startsWith('repl') ? 'original' : 'normalized', merge} as const;
	const fused = scoring.endsWith('*');
	const none = {from: 0, to: 0};
	const range = fused ? {from: 0, to: maxGamma} : none;
	const tuned = await tuneEvidence(ofDevelopment, development, {
		...way,
		answerKind: kind,
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
	const matches = await ofTest.exactMatch(test, {...way, answerKind: kind, evidence, passages: ks, signal});
	const right = matches.get(passages)!;
	const answers = await ofTest.answers({...way, evidence, passages, signal});
	const f1s = test.map(question => (answers.has(question.id) ? f1(answers.get(question.id)!.text, question.answers) : 0));
	return {
		cell: {
			scoring,
			exactMatch: mean(right.values()),
			...(kind === 'text' ? {f1: mean(f1s)} : {}),
			passages,
			...evidence,
			developmentExactMatch: exactMatch,
		},
		right,
		matches,
		chosen: passages,
	};
}

/** Numbers of passages: 25 of them up to the most, every 20 up to 500 as in the paper. */
export function stepsUpTo(most: number): number[] {
	const step = Math.max(1, Math.round(most / 25));
	const steps = Array.from({length: Math.floor(most / step)}, (_, i) => (i + 1) * step);
	return steps.at(-1) === most ? steps : [...steps, most];
}
