import {fitTemperature, fuseByConfidence} from '../calibration/index.ts';
import {pairedTest} from '../evaluation/index.ts';
import {fuse} from '../fusion/index.ts';
import {type Tested, corrected, mean} from '../report/tested.ts';
import type {Values} from '../study/measures.ts';
import {turnWithTime} from '../turn.ts';
import type {CallOptions, Run, Vectors} from '../types.ts';
import {calibrated} from './calibrated.ts';
import type {CalibratedModel, PhraseCondition, PhraseConditionRow, PhraseSettings, ProtocolStudy} from './study.ts';

/** A way of asking, and what was found by it. */
export interface Protocol {
	readonly bm25: Run;
	/** Of each model, by name: all questions, development and test. */
	readonly models: ReadonlyMap<string, Run>;
	/** Ids of questions. */
	readonly development: readonly string[];
	readonly test: readonly string[];
	/** The first is 1 or 0: whether the first passage is right. */
	readonly measures: readonly string[];
	measure(run: Run): Promise<Values>;
	/** Hits wanted of what is fused. */
	readonly k: number;
}

/** T₀ of Figure 2: six for each power of ten, from 0.001 to 10. */
const STARTS = Array.from({length: 25}, (_, i) => Number((10 ** (i / 6 - 3)).toPrecision(6)));

/** A model while it is fused. */
interface Fitted {
	readonly name: string;
	readonly run: Run;
	readonly temperature: number;
}

/** Fits temperatures and chooses models on development questions, fuses, and measures and tests all on test questions. */
export async function studyProtocol(protocol: Protocol, settings: PhraseSettings, options: CallOptions): Promise<ProtocolStudy> {
	const {bm25, models, development, test, measures, measure, k} = protocol;
	const {signal, onProgress} = options;
	const [decisive] = measures as [string];
	const values = new Map<PhraseCondition, Values>();
	for (const [name, run] of [['bm25', bm25] as const, ...models]) {
		values.set(name as PhraseCondition, await measure(run));
	}
	const depth = settings.confidenceDepth;
	const share = (condition: string, ids: readonly string[], of: string): number =>
		mean(ids.map(id => values.get(condition as PhraseCondition)!.get(id)?.[of] ?? 0));

	const fits = new Map<string, Outcomes>();
	const studied: CalibratedModel[] = [];
	for (const [name, run] of models) {
		const right = (id: string): boolean => values.get(name as PhraseCondition)!.get(id)?.[decisive] === 1;
		const known = await outcomes(run, development, right, depth);
		const held = await outcomes(run, test, right, depth);
		fits.set(name, known);
		const {bins, start, stepSize} = settings;
		const {temperature} = await fitTemperature(known.scores, known.correct, {method: 'search', bins, signal});
		const {temperature: descended} = await fitTemperature(known.scores, known.correct, {
			method: 'descent',
			start,
			stepSize,
			bins,
			signal,
		});
		studied.push({
			name,
			development: share(name, development, decisive),
			temperature,
			descended,
			before: await calibrated(held.scores, held.correct, 1, bins),
			after: await calibrated(held.scores, held.correct, temperature, bins),
			afterDescent: await calibrated(held.scores, held.correct, descended, bins),
		});
	}
	const selected = studied
		.toSorted((a, b) => b.development - a.development)
		.slice(0, settings.fused)
		.map(({name}) => name);

	const fitted = (names: readonly string[], temperatureOf: (model: CalibratedModel) => number): Fitted[] =>
		names.map(name => ({name, run: models.get(name)!, temperature: temperatureOf(studied.find(model => model.name === name)!)}));
	/** The model that answers each question: its list is the answer, and so are its values. */
	const byConfidence = async (of: readonly Fitted[]): Promise<ReadonlyMap<string, string>> =>
		(await fuseByConfidence(of, {depth, k, signal})).chosen;
	const valuesOf = (chosen: ReadonlyMap<string, string>): Values =>
		new Map([...chosen].map(([id, name]) => [id, values.get(name as PhraseCondition)!.get(id)!]));
	const muf = await byConfidence(fitted(selected, ({temperature}) => temperature));
	values.set('muf', valuesOf(muf));
	values.set('mufDescent', valuesOf(await byConfidence(fitted(selected, ({descended}) => descended))));
	values.set('mufPlain', valuesOf(await byConfidence(fitted(selected, () => 1))));
	values.set('mufAll', valuesOf(await byConfidence(fitted([...models.keys()], ({temperature}) => temperature))));
	const lists = selected.map(name => models.get(name)!);
	const weights = selected.map(() => 1 / selected.length);
	values.set('mean', await measure(await fuse(lists, {method: 'linear', missing: 'minimum', weights}, {k, signal})));
	values.set('rrf', await measure(await fuse(lists, {method: 'rrf'}, {k, signal})));
	const rows: PhraseConditionRow[] = [];
	for (const condition of values.keys()) {
		await turnWithTime();
		rows.push({condition, values: measures.map(of => share(condition, test, of))});
	}

	const curve: Array<{start: number; accuracy: number}> = [];
	for (const start of STARTS) {
		const from: Fitted[] = [];
		for (const name of selected) {
			const {scores, correct} = fits.get(name)!;
			const {bins, stepSize} = settings;
			const {temperature} = await fitTemperature(scores, correct, {method: 'descent', start, stepSize, bins, signal});
			from.push({name, run: models.get(name)!, temperature});
		}
		const found = valuesOf(await byConfidence(from));
		curve.push({start, accuracy: mean(test.map(id => found.get(id)?.[decisive] ?? 0))});
		await onProgress?.({done: curve.length, total: STARTS.length});
	}
	const chosen = Object.fromEntries(selected.map(name => [name, test.filter(id => muf.get(id) === name).length]));
	return {
		measures,
		models: studied,
		selected,
		rows,
		chosen,
		curve,
		comparisons: await compareAll(values, [...models.keys()], decisive, test, settings, signal),
	};
}

/** Scores of questions, and whether the first passage is right. */
interface Outcomes {
	/** `[questions, depth]`; −∞ where there are fewer. */
	readonly scores: Vectors;
	readonly correct: readonly boolean[];
}

async function outcomes(run: Run, ids: readonly string[], right: (id: string) => boolean, depth: number): Promise<Outcomes> {
	// Where a model finds nothing it has no confidence.
	const found = ids.filter(id => (run.get(id)?.length ?? 0) > 0);
	const data = new Float32Array(found.length * depth).fill(Number.NEGATIVE_INFINITY);
	for (const [row, id] of found.entries()) {
		await turnWithTime();
		for (const [i, {score}] of run.get(id)!.slice(0, depth).entries()) {
			data[row * depth + i] = score;
		}
	}
	return {scores: {data, rows: found.length, dim: depth}, correct: found.map(right)};
}

/** MUF against each model, BM25 and the other ways to fuse; phrases against whole passages, and the shortest against longer ones. */
async function compareAll(
	values: ReadonlyMap<PhraseCondition, Values>,
	models: readonly string[],
	measure: string,
	test: readonly string[],
	{significance}: PhraseSettings,
	signal: AbortSignal | undefined,
): Promise<ProtocolStudy['comparisons']> {
	const phrases = models.filter(name => name !== 'M0');
	const [shortest, ...longer] = phrases;
	const pairs: ReadonlyArray<readonly [a: string, b: string]> = [
		...[...models, 'bm25', 'mufDescent', 'mufPlain', 'mufAll', 'mean', 'rrf'].map(other => ['muf', other] as const),
		...phrases.map(name => [name, 'M0'] as const),
		...longer.map(name => [shortest!, name] as const),
	];
	const of = (condition: string): Map<string, number> =>
		new Map(test.map(id => [id, values.get(condition as PhraseCondition)!.get(id)?.[measure] ?? 0]));
	const tests: Tested[] = [];
	for (const [a, b] of pairs) {
		await turnWithTime();
		tests.push({a, b, measure, mark: '', better: true, tested: await pairedTest(of(a), of(b), {signal})});
	}
	return corrected(tests, significance);
}
