/** Decides the settings of a new collection: loads its encoders, and takes the dimension and the similarity of vectors from them. */
import {RetrievalError} from '../../core/errors.ts';
import type {Encoder} from '../../core/types.ts';
import {OnnxEncoder} from '../../encoders/index.ts';
import type {SplitSetting} from './documents.ts';
import {CollectionEncoders, type GivenEncoders, storedName} from './encoders.ts';
import type {Settings, StoredEncoder, VectorSettings} from './settings.ts';

/** The settings of a new collection. */
export interface NewSettings {
	readonly settings: Settings;
	/** The dimension of the vectors; `undefined` without vectors. */
	readonly dim: number | undefined;
	/** `undefined` without vectors. */
	readonly encoders: CollectionEncoders | undefined;
}

/**
Loads the encoders of a new collection, passes its settings to `create`, and returns what `create` returns. If one of these steps fails, the
models are released. Fails with `ERR_DIMENSION` if the encoders or the option `vectors` have different dimensions.
*/
export async function withNewSettings<T>(
	given: GivenEncoders,
	vectors: Pick<VectorSettings, 'dim' | 'similarity'>,
	split: SplitSetting,
	create: (created: NewSettings) => Promise<T>,
): Promise<T> {
	const loaded = new Map<string, OnnxEncoder>();
	const load = async (encoder: Encoder | string): Promise<Encoder> => {
		if (typeof encoder !== 'string') {
			return encoder;
		}
		const model = loaded.get(encoder) ?? (await OnnxEncoder.load(encoder, given.options));
		loaded.set(encoder, model);
		return model;
	};
	try {
		const passageEncoder = given.passages === undefined ? undefined : await load(given.passages);
		const questionEncoder = given.questions === undefined ? undefined : await load(given.questions);
		const dim = vectors.dim ?? passageEncoder?.dim;
		if (passageEncoder !== undefined && questionEncoder !== undefined && passageEncoder.dim !== questionEncoder.dim) {
			throw new RetrievalError(
				'ERR_DIMENSION',
				`questionEncoder: expected vectors of dimension ${passageEncoder.dim}, as passages have, got ${questionEncoder.dim}`,
			);
		}
		if (passageEncoder !== undefined && dim !== passageEncoder.dim) {
			throw new RetrievalError('ERR_DIMENSION', `vectors: dim: expected ${passageEncoder.dim}, as the encoder has, got ${dim}`);
		}
		const similarity = vectors.similarity ?? (passageEncoder === undefined ? 'cosine' : 'dot');
		const isNormalized = passageEncoder?.normalized === true;
		const settings: Settings = {
			split,
			similarity: dim === undefined ? null : similarity,
			unit: similarity === 'cosine' || isNormalized,
			encoder: given.passages === undefined ? null : stored(given.passages, passageEncoder!),
			questionEncoder: given.questions === undefined ? null : stored(given.questions, questionEncoder!),
		};
		const encoders = dim === undefined ? undefined : new CollectionEncoders(given, settings, dim, loaded);
		return await create({settings, dim, encoders});
	} catch (error) {
		for (const encoder of loaded.values()) {
			encoder.close();
		}
		throw error;
	}
}

/** Returns what is stored about an encoder. */
function stored(given: Encoder | string, encoder: Encoder): StoredEncoder {
	const model = typeof given === 'string' ? storedName(given) : null;
	return {model, identity: encoder.identity ?? null};
}
