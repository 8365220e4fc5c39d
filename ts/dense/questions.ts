import {hasMethods, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {CallOptions, Encoder, Query, Vectors} from '../core/types.ts';
import type {IndexMetadata} from './vector-index.ts';

/** Refuses an encoder of questions whose vectors are not for this index. `what` begins the message. */
export function checkEncoder(what: string, encoder: Encoder, index: {readonly dim: number; readonly metadata: IndexMetadata}): void {
	if (!hasMethods(encoder, 'encode')) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: encoder: expected an encoder, got ${kindOf(encoder)}`);
	}
	if (encoder.dim !== index.dim) {
		throw new RetrievalError(
			'ERR_DIMENSION',
			`${what}: expected vectors of dimension ${index.dim}, got an encoder of dimension ${encoder.dim}`,
		);
	}
	// A user-defined index may have none.
	const metadata = index.metadata as IndexMetadata | undefined;
	const made = metadata?.questionEncoder ?? metadata?.encoder;
	if (made !== undefined && encoder.identity !== undefined && made !== encoder.identity) {
		throw new RetrievalError(
			'ERR_ENCODER_MISMATCH',
			`${what}: expected the encoder that ${metadata?.questionEncoder ? 'goes with' : 'made'} the index, ${made}, got ${encoder.identity}. Build the index again with this encoder, or open the other one.`,
		);
	}
}

/**
Vectors of questions, encoded one at a time, so that each gets the vector that it has alone. Progress counts questions, and
leaves the last to the search.
*/
export async function encodeQuestions(encoder: Encoder, queries: readonly Query[], {signal, onProgress}: CallOptions): Promise<Vectors> {
	const total = queries.length;
	return encoder.encode(
		queries.map(query => query.text),
		{
			signal,
			batchTokens: 1,
			onProgress: onProgress && (({done}) => onProgress({done: Math.min(done, total - 1), total})),
		},
	);
}
