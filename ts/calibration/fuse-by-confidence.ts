/** Fuses the runs of several models: each query gets the hits of the most confident model. */
import {checkArray, checkCount, checkString, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun, checkRun, nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Run} from '../core/types.ts';
import {checkTemperature} from './temperature.ts';

/** The options of `fuseByConfidence`. "The paper" is Yang et al. (2023). */
export interface ConfidenceFusionOptions extends CallOptions {
	/**
	One temperature for all models, as in the paper; above 0. `fitFusionTemperature` finds it. Give either this
	temperature or one for each model, which is an extension of the paper's method.
	*/
	readonly temperature?: number | undefined;
	/** Number of best scores from which a confidence is computed: k in the paper, which calls these scores A_k. @default 30 */
	readonly depth?: number | undefined;
	/** Maximum number of hits per query. @default 100 */
	readonly k?: number | undefined;
}

const fusionOptions: OptionNames = optionNames<ConfidenceFusionOptions>({...callNames, temperature: true, depth: true, k: true});

/** A model whose run is fused. */
export interface FusedModel {
	/** A name that no other model has. */
	readonly name: string;
	/** The hits of the model. */
	readonly run: Run;
	/**
	The best phrases of the model, from whose scores its confidence is computed: see `PhraseSearcher.searchManyWithPhrases`.
	@default `run`
	*/
	readonly phrases?: Run | undefined;
	/** This model's own temperature, above 0. Give it only if there is no `temperature` for all models. */
	readonly temperature?: number | undefined;
}

/** A fused run, and the model that was selected for each query. */
export interface ConfidenceFusion {
	/** For each query, the hits of the most confident model. */
	readonly run: Run;
	/** Query id → name of the most confident model. */
	readonly chosen: ReadonlyMap<string, string>;
	/** Query id → confidence of the most confident model. */
	readonly confidence: ReadonlyMap<string, number>;
}

/**
Fuses the runs of models by model uncertainty fusion (MUF; Yang et al., 2023, §3.2): each query gets the hits of the model
with the highest `confidence`, computed from its `depth` best scores. If several models are equally confident, the first of
them is chosen. A model without hits for a query has a confidence of 0. Models are compared by ln((1 − C) / C), where C is
the confidence, so that two confidences can be distinguished even if both round to 1. The fused run has the queries of all
runs. Progress counts queries.

Fails with `ERR_ARGUMENT` unless there is either a temperature for all models or one for each of them, but not both.

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
export async function fuseByConfidence(models: readonly FusedModel[], options: ConfidenceFusionOptions = {}): Promise<ConfidenceFusion> {
	checkOptions('fuseByConfidence', options, fusionOptions);
	const {depth = 30, k = 100, signal} = options;
	checkCount('depth', depth, 1);
	checkCount('k', k, 0);
	const temperatures = checkModels(models, options.temperature);
	const [handles, phraseHandles]: [Binding.NativeRun[], Binding.NativeRun[]] = [[], []];
	for (const [i, {run, phrases = run}] of models.entries()) {
		checkRun(`models[${i}]: phrases`, phrases);
		const handle = await nativeRun(run);
		handles.push(handle);
		phraseHandles.push(phrases === run ? handle : await nativeRun(phrases));
	}
	const fused = await callNative(options, control => native.fuseByConfidence(handles, phraseHandles, temperatures, depth, k, control));
	const [chosen, confidence] = [new Map<string, string>(), new Map<string, number>()];
	for (let first = 0; first < fused.chosen.length; first += QUERIES_PER_SLICE) {
		if (first > 0) {
			await yieldToEventLoop();
			signal?.throwIfAborted();
		}
		for (const [i, query] of callSync(() => fused.run.queriesFrom(first, QUERIES_PER_SLICE)).entries()) {
			const index = fused.chosen[first + i]!;
			chosen.set(query, models[index]!.name);
			confidence.set(query, fused.confidences[(first + i) * models.length + index]!);
		}
	}
	return {run: new RetrievedRun(fused.run), chosen, confidence};
}

/** Number of query ids that are copied in about a millisecond. */
const QUERIES_PER_SLICE = 2000;

/** @internal Checks that there are models, that their names differ, and that each has one temperature. Returns the temperatures. */
export function checkModels(
	models: ReadonlyArray<{readonly name: string; readonly temperature?: number | undefined}>,
	commonTemperature: number | undefined,
): number[] {
	checkArray('models', models, 'models');
	if (models.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `models: expected at least one model, got none`);
	}
	if (commonTemperature !== undefined) {
		checkTemperature('temperature', commonTemperature);
	}
	const names = new Set<string>();
	const temperatures: number[] = [];
	for (const [i, model] of models.entries()) {
		const at = `models[${i}]`;
		checkString(`${at}: name`, model?.name);
		const own: unknown = model.temperature;
		if (own !== undefined && commonTemperature !== undefined) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`${at}: temperature: expected none, since all models have ${commonTemperature}, got ${shown(own)}`,
			);
		}
		if (own === undefined && commonTemperature === undefined) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`temperature: expected one for all models, or one for each of them, got none for ${shown(model.name)}`,
			);
		}
		const temperature = own ?? commonTemperature;
		checkTemperature(`${at}: temperature`, temperature);
		temperatures.push(temperature);
		if (names.has(model.name)) {
			throw new RetrievalError('ERR_ARGUMENT', `models: expected distinct names, got "${model.name}" twice`);
		}
		names.add(model.name);
	}
	return temperatures;
}
