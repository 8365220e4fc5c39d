import {checkBoolean, checkIterable, checkPassage, hasMethods, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkRequiredOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Encoder, Passage, Vectors} from '../core/types.ts';
import type {PhrasePlace} from './phrase-id.ts';
import type {PhraseSegmenter} from './segmenter.ts';

export interface AddPassagesOptions extends CallOptions {
	/** Of passages: the one that the index is for. */
	readonly encoder: Encoder;
	/** What a phrase is: a `PhraseSegmenter`, or anything that cuts texts as one does. */
	readonly segmenter: Pick<PhraseSegmenter, 'segmentMany'>;
	/** Whether a phrase is encoded behind the title of its passage, as a passage is. @default true */
	readonly titles?: boolean | undefined;
}

/** What was added. A passage without a phrase, being blank, is not. */
export interface AddedPassages {
	readonly passages: number;
	readonly phrases: number;
}

/** What `addPassages` needs of a `PhraseIndex`. */
interface PhraseSink {
	readonly dim: number;
	add(phrases: readonly PhrasePlace[], vectors: Vectors, options: CallOptions): Promise<void>;
}

const addOptions: OptionNames = optionNames<AddPassagesOptions>({...callNames, encoder: true, segmenter: true, titles: true});

/** Segmented, encoded and added at once. */
const PASSAGES_AT_ONCE = 256;

/** See `PhraseIndex.addPassages`. */
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
	const put = async (): Promise<void> => {
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
		if (batch.length === PASSAGES_AT_ONCE) {
			await put();
		}
	}
	if (batch.length > 0) {
		await put();
	}
	return added;
}
