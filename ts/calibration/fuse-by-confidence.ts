import {checkArray, checkCount, checkString, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun, checkRun, nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Run} from '../core/types.ts';
import {checkTemperature} from './temperature.ts';

export interface ConfidenceFusionOptions extends CallOptions {
	/**
	The temperature of all models, as in the paper: see `fitFusionTemperature`. Give either this or one temperature per model, which is
	an extension of the method.
	*/
	readonly temperature?: number | undefined;
	/** Number of scores that a confidence is computed from: the k of A_k. @default 30 */
	readonly depth?: number | undefined;
	/** Maximum number of hits per query. @default 100 */
	readonly k?: number | undefined;
}

const fusionOptions: OptionNames = optionNames<ConfidenceFusionOptions>({...callNames, temperature: true, depth: true, k: true});

/** A model to fuse. */
export interface FusedModel {
	readonly name: string;
	readonly run: Run;
	/**
	The run of the best phrases, whose scores A_k holds: see `PhraseSearcher.searchManyWithPhrases`. @default `run`
	*/
	readonly phrases?: Run | undefined;
	/** This model's own temperature, an extension of the paper's method; not with a `temperature` for all models. */
	readonly temperature?: number | undefined;
}

/** A fused run, and the model that was selected for each query. */
export interface ConfidenceFusion {
	/** For each query the hits of the most confident model. */
	readonly run: Run;
	/** Query id → name of that model. */
	readonly chosen: ReadonlyMap<string, string>;
	/** Query id → confidence of that model. */
	readonly confidence: ReadonlyMap<string, number>;
}

/**
Model uncertainty fusion of runs (Yang et al., 2023, §3.2): for each query the list of the model with the highest `confidence`
over its `depth` best scores. Of equally confident models the first one is chosen; a model without hits for a query has a
confidence of 0 there. Models are compared by ln((1 − C) / C), which distinguishes confidences that both round to 1. The fused
run has the queries of all runs. Progress counts queries.

Fails with `ERR_ARGUMENT` if there is neither a temperature for all models nor one for each, or both.

@example
```
const {run, chosen} = await fuseByConfidence(
	[
		{name: 'M0', run: passages},
		{name: 'M1', run: sentences, phrases},
	],
	{temperature: 0.05},
);
chosen.get('q1');
//=> 'M1'
```
*/
export async function fuseByConfidence(runs: readonly FusedModel[], options: ConfidenceFusionOptions = {}): Promise<ConfidenceFusion> {
	checkOptions('fuseByConfidence', options, fusionOptions);
	const {depth = 30, k = 100, signal} = options;
	checkCount('depth', depth, 1);
	checkCount('k', k, 0);
	const temperatures = checkModels('runs', runs, options.temperature);
	const [handles, scoreHandles]: [Binding.NativeRun[], Binding.NativeRun[]] = [[], []];
	for (const [i, {run, phrases = run}] of runs.entries()) {
		checkRun(`runs[${i}]: phrases`, phrases);
		const handle = await nativeRun(run);
		handles.push(handle);
		scoreHandles.push(phrases === run ? handle : await nativeRun(phrases));
	}
	const fused = await callNative(options, control => native.fuseByConfidence(handles, scoreHandles, temperatures, depth, k, control));
	const [chosen, confidence] = [new Map<string, string>(), new Map<string, number>()];
	for (let first = 0; first < fused.chosen.length; first += QUERIES_PER_SLICE) {
		if (first > 0) {
			await yieldToEventLoop();
			signal?.throwIfAborted();
		}
		for (const [i, query] of callSync(() => fused.run.queriesFrom(first, QUERIES_PER_SLICE)).entries()) {
			const model = fused.chosen[first + i]!;
			chosen.set(query, runs[model]!.name);
			confidence.set(query, fused.confidences[(first + i) * runs.length + model]!);
		}
	}
	return {run: new RetrievedRun(fused.run), chosen, confidence};
}

/** Number of query ids that are copied in about a millisecond. */
const QUERIES_PER_SLICE = 2000;

/** @internal At least one model, with distinct names; returns the temperature of each. */
export function checkModels(
	what: string,
	models: ReadonlyArray<{readonly name: string; readonly temperature?: number | undefined}>,
	forAll: number | undefined,
): number[] {
	checkArray(what, models, 'models');
	if (models.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected at least one model, got none`);
	}
	if (forAll !== undefined) {
		checkTemperature('temperature', forAll);
	}
	const names = new Set<string>();
	const temperatures: number[] = [];
	for (const [i, model] of models.entries()) {
		const at = `${what}[${i}]`;
		checkString(`${at}: name`, model?.name);
		const own: unknown = model.temperature;
		if (own !== undefined && forAll !== undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `${at}: temperature: expected none, since all models have ${forAll}, got ${shown(own)}`);
		}
		if (own === undefined && forAll === undefined) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`temperature: expected one for all models, or one for each of them, got none for ${shown(model.name)}`,
			);
		}
		const temperature = own ?? forAll;
		checkTemperature(`${at}: temperature`, temperature);
		temperatures.push(temperature);
		if (names.has(model.name)) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}: expected distinct names, got "${model.name}" twice`);
		}
		names.add(model.name);
	}
	return temperatures;
}
