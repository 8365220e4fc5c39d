/** Encodes questions, and checks that their encoder belongs to an index. */
import {hasMethods, kindOf} from '../core/checks.ts';
import {encodeChecked} from '../core/encoder-results.ts';
import {RetrievalError} from '../core/errors.ts';
import type {CallOptions, Encoder, Query, Vectors} from '../core/types.ts';
import type {IndexMetadata} from './vector-index.ts';

/**
Checks that the vectors of a question encoder can be compared with those of the index: their dimensions are equal, and the metadata of the
index does not name a different encoder, unless the question encoder was trained for the vectors of that one. `what` is the start of error messages.
*/
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
	// An index that is not one of this package's classes may have no metadata.
	const metadata = index.metadata as IndexMetadata | undefined;
	const expected = metadata?.questionEncoder ?? metadata?.encoder;
	if (
		expected !== undefined &&
		encoder.identity !== undefined &&
		expected !== encoder.identity &&
		!isTrainedFor(encoder, metadata?.encoder)
	) {
		throw new RetrievalError(
			'ERR_ENCODER_MISMATCH',
			`${what}: expected the encoder that ${metadata?.questionEncoder ? 'goes with' : 'made'} the index, ${expected}, got ${encoder.identity}. Build the index again with the given encoder, or use the expected one.`,
		);
	}
}

/** Whether a question encoder was trained for the vectors of the encoder with this identity. */
export const isTrainedFor = ({passageEncoder}: Encoder, identity: string | null | undefined): boolean =>
	passageEncoder !== undefined && passageEncoder === identity;

/**
Encodes questions one at a time, so that the vector of a question does not depend on the others. Progress counts questions, except the
last one: the caller reports that everything is done after the search that follows.
*/
export async function encodeQuestions(encoder: Encoder, queries: readonly Query[], {signal, onProgress}: CallOptions): Promise<Vectors> {
	const total = queries.length;
	return encodeChecked(
		encoder,
		queries.map(query => query.text),
		{
			signal,
			batchTokens: 1,
			onProgress: onProgress && (({done}) => onProgress({done: Math.min(done, total - 1), total})),
		},
	);
}
