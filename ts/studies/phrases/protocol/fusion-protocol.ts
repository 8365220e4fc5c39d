/**
The protocol of Yang et al. (2023, §3.2 and §4). On development questions, `studyFusion` selects models and fits
temperatures, by gradient descent and by search. On test questions, it fuses the models by confidence (MUF, model
uncertainty fusion), measures all conditions (ways to rank passages) and tests their differences. A study calls
`studyFusion` twice: for the rankings of candidates, and for the rankings of all passages.
*/
import {
	type ConfidenceFusion,
	type ModelOutcomes,
	type Prediction,
	fitFusionTemperature,
	fitTemperature,
	fuseByConfidence,
} from '../../../calibration/index.ts';
import {fuse} from '../../../fusion/index.ts';
import {mean} from '../../statistics/mean.ts';
import type {MeasuredQuestions, Measures} from '../../statistics/measures.ts';
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import {calibrationOf} from './calibration.ts';
import {type ScoredRun, outcomesOf, predictionsOf} from './outcomes.ts';
import type {CalibratedModel, PhraseCondition, PhraseConditionRow, PhraseSettings, ProtocolStudy} from '../study.ts';
import {type CalibratedPredictions, compareCalibrations, compareConditions, extensionPairs, paperPairs} from './comparisons.ts';
import type {ValueByQuestion} from '../../statistics/paired-comparisons.ts';

/**
Rankings of the candidates or of all passages, as runs, and the measures for these rankings. The first measure is
accuracy: 1 if the first passage is right, else 0.
*/
export interface FusionTask extends Measures {
	readonly bm25: Run;
	/** Model name → the model's runs, for development and test questions together. */
	readonly models: ReadonlyMap<string, ScoredRun>;
	/** Ids of the development questions. */
	readonly development: readonly string[];
	/** Ids of the test questions. */
	readonly test: readonly string[];
	/** Maximum number of hits per question in a fused run. */
	readonly k: number;
}

/** The initial temperatures T₀ of the descents in the paper's Figure 2: from 0.001 to 10, six per power of ten. */
const INITIAL_TEMPERATURES = Array.from({length: 25}, (_, i) => Number((10 ** (i / 6 - 3)).toPrecision(6)));
/** The initial temperatures with which the paper's initial temperature, 0.1, is compared. */
const COMPARED_TEMPERATURES: readonly number[] = [0.001, 0.01, 1, 10];

/** Returns the name that MUF with a temperature found by descent from `start` has in comparisons. */
export const startName = (start: number): string => `T0 = ${start}`;

/** Carries out the protocol. Progress counts the descents of Figure 2. */
export async function studyFusion(task: FusionTask, settings: PhraseSettings, options: CallOptions): Promise<ProtocolStudy> {
	const {bm25, models, development, test, measures, measure, k} = task;
	const {signal, onProgress} = options;
	const {bins, start, stepSize, confidenceDepth: depth} = settings;
	// The measure by which models are selected and differences are tested: accuracy.
	const [accuracyName] = measures as [string];
	const values = new Map<string, MeasuredQuestions>([['bm25', await measure(bm25)]]);
	const developmentOutcomes = new Map<string, ModelOutcomes>();
	const testOutcomes = new Map<string, ModelOutcomes>();
	for (const [name, model] of models) {
		const measured = await measure(model.run);
		values.set(name, measured);
		const isRight = (id: string): boolean => measured.get(id)?.[accuracyName] === 1;
		developmentOutcomes.set(name, await outcomesOf(model, development, isRight, depth));
		testOutcomes.set(name, await outcomesOf(model, test, isRight, depth));
	}
	const valuesOf = (condition: string): ValueByQuestion =>
		new Map(test.map(id => [id, values.get(condition)!.get(id)?.[accuracyName] ?? 0]));

	const names = [...models.keys()];
	const accuracies = new Map(names.map(name => [name, mean(developmentOutcomes.get(name)!.correct.map(Number))]));
	const selected = names.toSorted((a, b) => accuracies.get(b)! - accuracies.get(a)!).slice(0, settings.fused);
	const descend = async (modelNames: readonly string[], from: number): Promise<number> => {
		const outcomes = modelNames.map(name => developmentOutcomes.get(name)!);
		return (await fitFusionTemperature(outcomes, {method: 'descent', start: from, stepSize, bins, signal})).temperature;
	};
	const search = async (modelNames: readonly string[]): Promise<number> =>
		(
			await fitFusionTemperature(
				modelNames.map(name => developmentOutcomes.get(name)!),
				{bins, signal},
			)
		).temperature;
	const temperatures = {descent: await descend(selected, start), search: await search(selected), all: await descend(names, start)};
	const ownTemperatures = new Map<string, number>();
	for (const [name, {scores, correct}] of developmentOutcomes) {
		ownTemperatures.set(name, (await fitTemperature(scores, correct, {bins, signal})).temperature);
	}

	/** Fuses models by confidence, at `temperature` or, without one, at each model's own temperature. */
	const fuseModels = async (modelNames: readonly string[], temperature?: number): Promise<ConfidenceFusion> => {
		const scoredRuns = modelNames.map(name => {
			const {run, scores} = models.get(name)!;
			return {name, run, phrases: scores, ...(temperature === undefined ? {temperature: ownTemperatures.get(name)!} : {})};
		});
		return fuseByConfidence(scoredRuns, {depth, k, signal, temperature});
	};
	/** Returns for each question the values of the model that the fusion chose for it. */
	const valuesBy = ({chosen}: ConfidenceFusion): MeasuredQuestions =>
		new Map([...chosen].map(([id, name]) => [id, values.get(name)!.get(id)!]));
	const predictions = ({chosen, confidence}: ConfidenceFusion): Prediction[] =>
		test.map(id => ({
			confidence: confidence.get(id) ?? 0,
			correct: values.get(chosen.get(id) ?? '')?.get(id)?.[accuracyName] === 1,
		}));
	const [muf, mufOwn, mufPlain] = [
		await fuseModels(selected, temperatures.descent),
		await fuseModels(selected),
		await fuseModels(selected, 1),
	];
	// The order in which conditions are added here is the order of the rows of tables.
	values.set('muf', valuesBy(muf));
	const mufSearch = await fuseModels(selected, temperatures.search);
	values.set('mufSearch', valuesBy(mufSearch));
	values.set('mufOwn', valuesBy(mufOwn));
	values.set('mufPlain', valuesBy(mufPlain));
	values.set('mufAll', valuesBy(await fuseModels(names, temperatures.all)));
	const lists = selected.map(name => models.get(name)!.run);
	const weights = selected.map(() => 1 / selected.length);
	values.set('mean', await measure(await fuse(lists, {method: 'linear', missing: 'minimum', weights}, {k, signal})));
	values.set('rrf', await measure(await fuse(lists, {method: 'rrf'}, {k, signal})));
	const rows: PhraseConditionRow[] = [];
	for (const [condition, measured] of values) {
		await yieldIfOverBudget();
		rows.push({
			condition: condition as PhraseCondition,
			values: measures.map(name => mean(test.map(id => measured.get(id)?.[name] ?? 0))),
		});
	}

	const curve: Array<ProtocolStudy['curve'][number]> = [];
	const byStart = new Map<number, ValueByQuestion>();
	for (const from of INITIAL_TEMPERATURES) {
		const temperature = await descend(selected, from);
		const found = valuesBy(await fuseModels(selected, temperature));
		const perQuestion = new Map(test.map(id => [id, found.get(id)?.[accuracyName] ?? 0]));
		byStart.set(from, perQuestion);
		curve.push({start: from, temperature, accuracy: mean(perQuestion.values())});
		await onProgress?.({done: curve.length, total: INITIAL_TEMPERATURES.length});
	}
	// The tests also work if `start` is not one of the temperatures of the curve.
	byStart.set(start, valuesOf('muf'));

	const calibratedModels: CalibratedModel[] = [];
	const calibrations = new Map<string, CalibratedPredictions>();
	for (const [name, outcomes] of testOutcomes) {
		const before = await predictionsOf(outcomes, 1);
		const after = await predictionsOf(outcomes, temperatures.descent);
		calibrations.set(name, {before, after});
		const temperature = ownTemperatures.get(name)!;
		calibratedModels.push({
			name,
			development: accuracies.get(name)!,
			temperature,
			before: calibrationOf(before, bins),
			after: calibrationOf(after, bins),
			own: calibrationOf(await predictionsOf(outcomes, temperature), bins),
		});
	}
	const [before, after] = [predictions(mufPlain), predictions(muf)];
	calibrations.set('MUF', {before, after});

	const tests = {significance: settings.significance, signal};
	const startPairs = COMPARED_TEMPERATURES.map(other => [startName(start), startName(other)] as const);
	const valuesByStart = new Map([...byStart].map(([from, perQuestion]) => [startName(from), perQuestion]));
	return {
		measures,
		models: calibratedModels,
		selected,
		temperatures,
		fused: {
			before: calibrationOf(before, bins),
			after: calibrationOf(after, bins),
			own: calibrationOf(predictions(mufOwn), bins),
			searched: calibrationOf(predictions(mufSearch), bins),
		},
		rows,
		chosen: Object.fromEntries(selected.map(name => [name, test.filter(id => muf.chosen.get(id) === name).length])),
		curve,
		comparisons: await compareConditions(paperPairs(names), accuracyName, valuesOf, tests),
		extensions: await compareConditions(extensionPairs, accuracyName, valuesOf, tests),
		startTests: await compareConditions(startPairs, accuracyName, name => valuesByStart.get(name)!, tests),
		calibrationTests: await compareCalibrations(calibrations, tests),
	};
}
