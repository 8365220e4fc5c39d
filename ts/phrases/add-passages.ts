/** Splits passages into phrases, encodes the phrases, and adds their vectors to a `PhraseIndex`. */
import {checkBoolean, checkIterable, checkPassage, hasMethods, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkRequiredOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Encoder, Passage, Vectors} from '../core/types.ts';
import type {PhrasePlace} from './phrase-id.ts';
import type {PhraseSegmenter} from './segmenter.ts';

/** The options of `PhraseIndex.addPassages`. */
export interface AddPassagesOptions extends CallOptions {
	/** Encodes the phrases. The dimensions of the encoder and the index must be equal. */
	readonly encoder: Encoder;
	/** Splits texts into phrases: a `PhraseSegmenter`, or an object with the same method. */
	readonly segmenter: Pick<PhraseSegmenter, 'segmentMany'>;
	/** Whether a phrase is encoded together with the title of its passage. @default true */
	readonly titles?: boolean | undefined;
}

/** Counts of what was added to an index. */
export interface AddedPassages {
	/** Number of passages. Blank passages have no phrases and are not added. */
	readonly passages: number;
	/** Number of phrases. */
	readonly phrases: number;
}

/** The part of a `PhraseIndex` that `addPassages` uses. */
interface PhraseSink {
	readonly dim: number;
	add(phrases: readonly PhrasePlace[], vectors: Vectors, options: CallOptions): Promise<void>;
}

const addOptions: OptionNames = optionNames<AddPassagesOptions>({...callNames, encoder: true, segmenter: true, titles: true});

/** Number of passages that are segmented, encoded and added together. */
const BATCH_SIZE = 256;

/** Splits passages into phrases, encodes the phrases, and adds them to the index: see `PhraseIndex.addPassages`. */
export async function addPassages(
	index: PhraseSink,
	passages: Iterable<Passage> | AsyncIterable<Passage>,
	options: AddPassagesOptions,
): Promise<AddedPassages> {
	checkIterable('addPassages: passages', passages, 'passages');
	checkRequiredOptions('addPassages', options, addOptions);
	const {encoder, segmenter, titles = true, signal, onProgress} = options;
	checkBoolean('addPassages: titles', titles);
	if (!hasMethods(encoder, 'encode')) {
		throw new RetrievalError('ERR_ARGUMENT', `addPassages: encoder: expected an encoder, got ${kindOf(encoder)}`);
	}
	if (!hasMethods(segmenter, 'segmentMany')) {
		throw new RetrievalError('ERR_ARGUMENT', `addPassages: segmenter: expected a PhraseSegmenter, got ${kindOf(segmenter)}`);
	}
	if (encoder.dim !== index.dim) {
		throw new RetrievalError(
			'ERR_DIMENSION',
			`addPassages: expected vectors of dimension ${index.dim}, got an encoder of dimension ${encoder.dim}`,
		);
	}
	const total = Array.isArray(passages) ? passages.length : 0;
	const added = {passages: 0, phrases: 0};
	let seen = 0;
	let batch: Passage[] = [];
	const addBatch = async (): Promise<void> => {
		const lists = await segmenter.segmentMany(
			batch.map(({text}) => text),
			{signal},
		);
		const places = batch.flatMap(({id}, i) => lists[i]!.map(({start, end}) => ({id, start, end})));
		if (places.length > 0) {
			const inputs = batch.flatMap(({title}, i) => lists[i]!.map(({text}) => ({text, ...(titles && title !== undefined ? {title} : {})})));
			await index.add(places, await encoder.encode(inputs, {signal}), {signal});
		}
		added.passages += lists.filter(phrases => phrases.length > 0).length;
		added.phrases += places.length;
		seen += batch.length;
		batch = [];
		await onProgress?.({done: seen, total});
	};
	for await (const passage of passages) {
		checkPassage(`passages[${seen + batch.length}]`, passage);
		batch.push(passage);
		if (batch.length === BATCH_SIZE) {
			await addBatch();
		}
	}
	if (batch.length > 0) {
		await addBatch();
	}
	return added;
}
