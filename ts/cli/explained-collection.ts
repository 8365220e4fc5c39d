/**
The parts of a collection that `passagekit explain` needs, for both kinds of collections: those that `passagekit index` built and those that
`passagekit add` changes.
*/
import {join} from 'node:path';
import type {Collection} from '../collection/index.ts';
import {parts} from '../collection/manifest.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Passage} from '../core/types.ts';
import {Bm25Index} from '../sparse/index.ts';
import type {TokenWeights} from '../vocabulary/enrichment/token-weights.ts';
import {isLive} from './collections.ts';

export interface ExplainedCollection extends AsyncDisposable {
	/** The model of the passage encoder, as for `OnnxEncoder.load`. */
	readonly model: string;
	/** Whether questions have an encoder of their own. */
	readonly hasQuestionEncoder: boolean;
	readonly bm25: Bm25Index;
	/** Returns passages by their ids. Fails with `ERR_ARGUMENT` for an id that the collection does not have. */
	passages(ids: readonly string[]): Promise<readonly Passage[]>;
	/** Returns the passages from which the inverse document frequencies of tokens are computed: all of the collection. */
	idf(): TokenWeights;
}

/** Opens the parts of a collection. Fails with `ERR_ARGUMENT` if it has no vectors, or if its encoder is not a model that can be loaded. */
export async function explainedCollection(folder: string, collection: Collection): Promise<ExplainedCollection> {
	if (!(await isLive(folder))) {
		// Fails if the collection has no vectors.
		await collection.encoder();
		const {model, questions} = collection.manifest.encoder!;
		return {
			model,
			hasQuestionEncoder: questions !== undefined,
			bm25: collection.bm25,
			passages: async ids => collection.passages.get(ids),
			idf: () => collection.passages,
			async [Symbol.asyncDispose]() {
				// The collection closes its parts.
			},
		};
	}
	const {encoder, questionEncoder} = await collection.stats();
	const model = encoder?.model ?? undefined;
	if (model === undefined) {
		const got = encoder === undefined ? 'one without an encoder' : 'one whose encoder is part of a program';
		throw new RetrievalError('ERR_ARGUMENT', `explain: expected a collection whose encoder is a model, got ${folder}, ${got}`);
	}
	const bm25 = await Bm25Index.open(join(folder, parts.bm25));
	return {
		model,
		hasQuestionEncoder: questionEncoder !== undefined,
		bm25,
		passages: async ids => {
			const found = await collection.get(ids);
			const missing = ids.find(id => !found.some(passage => passage.id === id));
			if (missing !== undefined) {
				throw new RetrievalError(
					'ERR_ARGUMENT',
					`explain: expected the id of a passage, such as "${missing}#0" for the first one of a document, got "${missing}"`,
				);
			}
			return found;
		},
		idf: () => collection.scan(),
		async [Symbol.asyncDispose]() {
			bm25.close();
		},
	};
}
