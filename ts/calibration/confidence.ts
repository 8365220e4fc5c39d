import {checkFloats, isInstance} from '../core/checks.ts';
import {callSync, native} from '../core/native/native.ts';
import {checkTemperature} from './temperature.ts';

/**
How confident a model is in its best passage: exp(max / T) / Σ exp(score / T) over its k best scores (A_k of Yang et al., 2023, §3.2). It
lies between 1 / k and 1, and is 0 without scores.

It is computed as 1 / Σ exp((score − max) / T): no temperature above 0 overflows, however small it is. Scores are finite
numbers in any order.

@example
```
const hits = await searcher.search('Who built the bridge?', {k: 30});
confidence(Float32Array.from(hits, ({score}) => score), 0.05);
//=> 0.8137…
```
*/
export function confidence(scores: Float32Array, temperature: number): number {
	checkFloats('scores', scores, undefined, isInstance(scores, Float32Array) ? scores.length : undefined);
	checkTemperature('temperature', temperature);
	return callSync(() => native.confidence(scores, temperature));
}
