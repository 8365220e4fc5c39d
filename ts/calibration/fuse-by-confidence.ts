import {checkArray, checkCount, checkString} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {type Binding, callNative, callSync, native, nextTurn} from '../native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../options.ts';
import {RetrievedRun, nativeRun} from '../run.ts';
import type {CallOptions, Run} from '../types.ts';
import {checkTemperature} from './temperature.ts';

export interface ConfidenceFusionOptions extends CallOptions {
	/** Scores that a model's confidence is computed of, k of A_k. @default 30 */
	readonly depth?: number | undefined;
	/** Hits wanted per query. @default 100 */
	readonly k?: number | undefined;
}

const fusionOptions: OptionNames = optionNames<ConfidenceFusionOptions>({...callNames, depth: true, k: true});

/** A run, and who answered. */
export interface ConfidenceFusion {
	/** Of each query the hits of the most confident model. */
	readonly run: Run;
	/** Query id → name of that model. */
	readonly chosen: ReadonlyMap<string, string>;
	/** Query id → confidence of that model. */
	readonly confidence: ReadonlyMap<string, number>;
}

/**
Model uncertainty fusion of runs that are there (Yang et al., 2023, §3.2): of each query the list of the model whose
`confidence` at its own temperature is greatest, over its `depth` best scores. Of equally confident models the earlier is
taken; one that has no hits of a query has a confidence of 0. Models are compared by ln((1 − C) / C), which tells
confidences apart that round to 1. Queries are those of all runs. Progress counts queries.

@example
```
const {run, chosen} = await fuseByConfidence([
	{name: 'M0', run: passages, temperature: 0.03},
	{name: 'M1', run: sentences, temperature: 0.05},
]);
chosen.get('q1');
//=> 'M1'
```
*/
export async function fuseByConfidence(
	runs: ReadonlyArray<{readonly name: string; readonly run: Run; readonly temperature: number}>,
	options: ConfidenceFusionOptions = {},
): Promise<ConfidenceFusion> {
	checkOptions('fuseByConfidence', options, fusionOptions);
	const {depth = 30, k = 100, signal} = options;
	checkCount('depth', depth, 1);
	checkCount('k', k, 0);
	checkModels('runs', runs);
	const handles: Binding.NativeRun[] = [];
	for (const {run} of runs) {
		handles.push(await nativeRun(run));
	}
	const temperatures = runs.map(({temperature}) => temperature);
	const fused = await callNative(options, control => native.fuseByConfidence(handles, temperatures, depth, k, control));
	const [chosen, confidence] = [new Map<string, string>(), new Map<string, number>()];
	for (let first = 0; first < fused.chosen.length; first += QUERIES_A_TURN) {
		if (first > 0) {
			await nextTurn();
			signal?.throwIfAborted();
		}
		for (const [i, query] of callSync(() => fused.run.queriesFrom(first, QUERIES_A_TURN)).entries()) {
			const model = fused.chosen[first + i]!;
			chosen.set(query, runs[model]!.name);
			confidence.set(query, fused.confidences[(first + i) * runs.length + model]!);
		}
	}
	return {run: new RetrievedRun(fused.run), chosen, confidence};
}

/** About a millisecond's worth of ids to copy. */
const QUERIES_A_TURN = 2000;

/** @internal At least one, of distinct names, each with its temperature. */
export function checkModels(what: string, models: ReadonlyArray<{readonly name: string; readonly temperature: number}>): void {
	checkArray(what, models, 'models');
	if (models.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected at least one model, got none`);
	}
	const names = new Set<string>();
	for (const [i, model] of models.entries()) {
		checkString(`${what}[${i}]: name`, model?.name);
		checkTemperature(`${what}[${i}]: temperature`, model.temperature);
		if (names.has(model.name)) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}: expected distinct names, got "${model.name}" twice`);
		}
		names.add(model.name);
	}
}
