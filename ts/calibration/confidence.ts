/** The confidence of a model in its best passage. */
import {checkFloats, isInstance} from '../core/checks.ts';
import {callSync, native} from '../core/native/native.ts';
import {checkTemperature} from './temperature.ts';

/**
Computes how confident a model is in its best passage: exp(max / T) / Σ exp(score / T), where `scores` are the best scores of the model
for a question, max is the largest of them, and T is the temperature (Yang et al., 2023, §3.2, where the k best scores are called A_k). The
confidence of k scores is between 1 / k and 1; without scores it is 0.

The scores must be finite and may be in any order. The formula is computed as 1 / Σ exp((score − max) / T), so that it does not overflow at
any temperature. Fails with `ERR_ARGUMENT` if the temperature is not a finite number above 0.

@example
```
const hits = await searcher.search('Who built the bridge?', {k: 30});
confidence(Float32Array.from(hits, ({score}) => score), 0.05);
//=> 0.8137…
```
*/
export function confidence(scores: Float32Array, temperature: number): number {
	// The last argument allows an empty array, which `checkFloats` would otherwise report as detached.
	checkFloats('scores', scores, undefined, isInstance(scores, Float32Array) ? scores.length : undefined);
	checkTemperature('temperature', temperature);
	return callSync(() => native.confidence(scores, temperature));
}
