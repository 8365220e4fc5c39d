import {
	type ConfidenceFusion,
	type ModelOutcomes,
	type Prediction,
	fitFusionTemperature,
	fitTemperature,
	fuseByConfidence,
} from '../../../calibration/index.ts';
import {fuse} from '../../../fusion/index.ts';
import {mean} from '../../statistics/correction.ts';
import type {Values} from '../../statistics/measures.ts';
import {waitForTime} from '../../../core/event-loop.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import {calibrated} from './calibration.ts';
import {type ScoredRun, outcomesOf, predictionsOf} from './outcomes.ts';
import type {CalibratedModel, PhraseCondition, PhraseConditionRow, PhraseSettings, ProtocolStudy} from '../study.ts';
import {type PerQuestion, compareAll, compareCalibrations, pairsOfExtensions, pairsOfPaper} from './tests.ts';

/** What was found among candidates, or among all passages. */
export interface Protocol {
	readonly bm25: Run;
	/** Each model by name: all questions, development and test. */
	readonly models: ReadonlyMap<string, ScoredRun>;
	/** Ids of questions. */
	readonly development: readonly string[];
	readonly test: readonly string[];
	/** The first one is 1 or 0: whether the first passage is right. */
	readonly measures: readonly string[];
	measure(run: Run): Promise<Values>;
	/** Maximum number of hits of a fused list. */
	readonly k: number;
}

/** T₀ of Figure 2: six for each power of ten, from 0.001 to 10. */
const STARTS = Array.from({length: 25}, (_, i) => Number((10 ** (i / 6 - 3)).toPrecision(6)));
/** T₀ that the paper's is tested against. */
const OTHER_STARTS: readonly number[] = [0.001, 0.01, 1, 10];

/** The name of MUF with this T₀ in tests. */
export const startName = (start: number): string => `T0 = ${start}`;

/** Fits temperatures and selects models on development questions; fuses, measures and tests on test questions. */
export async function studyProtocol(protocol: Protocol, settings: PhraseSettings, options: CallOptions): Promise<ProtocolStudy> {
	const {bm25, models, development, test, measures, measure, k} = protocol;
	const {signal, onProgress} = options;
	const {bins, start, stepSize, confidenceDepth: depth} = settings;
	const [decisive] = measures as [string];
	const values = new Map<string, Values>([['bm25', await measure(bm25)]]);
	const known = new Map<string, ModelOutcomes>();
	const held = new Map<string, ModelOutcomes>();
	for (const [name, model] of models) {
		const of = await measure(model.run);
		values.set(name, of);
		const isRight = (id: string): boolean => of.get(id)?.[decisive] === 1;
		known.set(name, await outcomesOf(model, development, isRight, depth));
		held.set(name, await outcomesOf(model, test, isRight, depth));
	}
	const valuesOf = (condition: string): PerQuestion => new Map(test.map(id => [id, values.get(condition)!.get(id)?.[decisive] ?? 0]));

	const names = [...models.keys()];
	const accuracies = new Map(names.map(name => [name, mean(known.get(name)!.correct.map(Number))]));
	const selected = names.toSorted((a, b) => accuracies.get(b)! - accuracies.get(a)!).slice(0, settings.fused);
	const descend = async (of: readonly string[], from: number): Promise<number> => {
		const outcomes = of.map(name => known.get(name)!);
		return (await fitFusionTemperature(outcomes, {method: 'descent', start: from, stepSize, bins, signal})).temperature;
	};
	const search = async (of: readonly string[]): Promise<number> =>
		(
			await fitFusionTemperature(
				of.map(name => known.get(name)!),
				{bins, signal},
			)
		).temperature;
	const temperatures = {descent: await descend(selected, start), search: await search(selected), all: await descend(names, start)};
	const own = new Map<string, number>();
	for (const [name, {scores, correct}] of known) {
		own.set(name, (await fitTemperature(scores, correct, {bins, signal})).temperature);
	}

	/** Which model answers each question, by one temperature or by each model's own. */
	const fused = async (of: readonly string[], temperature?: number): Promise<ConfidenceFusion> => {
		const fusion = of.map(name => {
			const {run, scores} = models.get(name)!;
			return {name, run, phrases: scores, ...(temperature === undefined ? {temperature: own.get(name)!} : {})};
		});
		return fuseByConfidence(fusion, {depth, k, signal, temperature});
	};
	/** A question's values are those of the model that answers it. */
	const valuesBy = ({chosen}: ConfidenceFusion): Values => new Map([...chosen].map(([id, name]) => [id, values.get(name)!.get(id)!]));
	const predictions = ({chosen, confidence}: ConfidenceFusion): Prediction[] =>
		test.map(id => ({
			confidence: confidence.get(id) ?? 0,
			correct: values.get(chosen.get(id) ?? '')?.get(id)?.[decisive] === 1,
		}));
	const [muf, mufOwn, mufPlain] = [await fused(selected, temperatures.descent), await fused(selected), await fused(selected, 1)];
	values.set('muf', valuesBy(muf));
	const mufSearch = await fused(selected, temperatures.search);
	values.set('mufSearch', valuesBy(mufSearch));
	values.set('mufOwn', valuesBy(mufOwn));
	values.set('mufPlain', valuesBy(mufPlain));
	values.set('mufAll', valuesBy(await fused(names, temperatures.all)));
	const lists = selected.map(name => models.get(name)!.run);
	const weights = selected.map(() => 1 / selected.length);
	values.set('mean', await measure(await fuse(lists, {method: 'linear', missing: 'minimum', weights}, {k, signal})));
	values.set('rrf', await measure(await fuse(lists, {method: 'rrf'}, {k, signal})));
	const rows: PhraseConditionRow[] = [];
	for (const [condition, of] of values) {
		await waitForTime();
		rows.push({
			condition: condition as PhraseCondition,
			values: measures.map(measure => mean(test.map(id => of.get(id)?.[measure] ?? 0))),
		});
	}

	const curve: Array<ProtocolStudy['curve'][number]> = [];
	const byStart = new Map<number, PerQuestion>();
	for (const from of STARTS) {
		const temperature = await descend(selected, from);
		const found = valuesBy(await fused(selected, temperature));
		const perQuestion = new Map(test.map(id => [id, found.get(id)?.[decisive] ?? 0]));
		byStart.set(from, perQuestion);
		curve.push({start: from, temperature, accuracy: mean(perQuestion.values())});
		await onProgress?.({done: curve.length, total: STARTS.length});
	}
	byStart.set(start, valuesOf('muf'));

	const studied: CalibratedModel[] = [];
	const calibrations = new Map<string, {before: readonly Prediction[]; after: readonly Prediction[]}>();
	for (const [name, outcomes] of held) {
		const before = await predictionsOf(outcomes, 1);
		const after = await predictionsOf(outcomes, temperatures.descent);
		calibrations.set(name, {before, after});
		const temperature = own.get(name)!;
		studied.push({
			name,
			development: accuracies.get(name)!,
			temperature,
			before: calibrated(before, bins),
			after: calibrated(after, bins),
			own: calibrated(await predictionsOf(outcomes, temperature), bins),
		});
	}
	const [before, after] = [predictions(mufPlain), predictions(muf)];
	calibrations.set('MUF', {before, after});

	const tests = {significance: settings.significance, signal};
	const startPairs = OTHER_STARTS.map(other => [startName(start), startName(other)] as const);
	const ofStart = new Map([...byStart].map(([from, of]) => [startName(from), of]));
	return {
		measures,
		models: studied,
		selected,
		temperatures,
		fused: {
			before: calibrated(before, bins),
			after: calibrated(after, bins),
			own: calibrated(predictions(mufOwn), bins),
			searched: calibrated(predictions(mufSearch), bins),
		},
		rows,
		chosen: Object.fromEntries(selected.map(name => [name, test.filter(id => muf.chosen.get(id) === name).length])),
		curve,
		comparisons: await compareAll(pairsOfPaper(names), decisive, valuesOf, tests),
		extensions: await compareAll(pairsOfExtensions, decisive, valuesOf, tests),
		startTests: await compareAll(startPairs, decisive, name => ofStart.get(name)!, tests),
		calibrationTests: await compareCalibrations(calibrations, tests),
	};
}
