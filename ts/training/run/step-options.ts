/** The options of the steps of a training run, as native code takes them. */
import {RetrievalError} from '../../core/errors.ts';
import type {Binding} from '../../core/native/native.ts';
import type {CheckedTrainingOptions} from './options.ts';

/** Maximum number of steps. */
const MAX_STEPS = 2 ** 32 - 1;

/** Returns the options of the steps, of which there are `epochs` times `batches`. */
export function stepOptions<V, E>(options: CheckedTrainingOptions<V, E>, batches: number): Binding.NativeStepOptions {
	const {epochs, learningRate, warmUp, weightDecay, dropout, maxGradientNorm, seed, threads, activationMemory, bf16} = options;
	const steps = epochs * batches;
	if (steps > MAX_STEPS) {
		throw new RetrievalError('ERR_ARGUMENT', `epochs: expected at most ${MAX_STEPS} steps, got ${steps}`);
	}
	const warmUpSteps = Math.floor(warmUp * steps);
	return {learningRate, warmUpSteps, steps, weightDecay, dropout, maxGradientNorm, seed, threads, activationMemory, bf16};
}

/** The part of the options that the result depends on, for its fingerprint. */
export function identityOf<V, E>(options: CheckedTrainingOptions<V, E>, step: Binding.NativeStepOptions): object {
	const {epochs, patience, batchSize, precision} = options;
	// The limit of memory changes no result, and threads only its last bits. Without `bf16`, the identity is that from before the option existed.
	const distinctive = {...step, threads: undefined, activationMemory: undefined, bf16: step.bf16 || undefined};
	return {step: distinctive, epochs, patience, batchSize, precision};
}
