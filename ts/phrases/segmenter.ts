import {checkCount, checkFactoryMade, checkObject, checkString, checkStrings} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {resolveModel} from '../models/index.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {tokenizerFile} from '../onnx/model-files.ts';
import {type OptionNames, callOptions, checkRequiredOptions, checkOptions} from '../core/options.ts';
import {waitForTime} from '../core/event-loop.ts';
import type {CallOptions} from '../core/types.ts';

/**
How long phrases are: a number of sentences, or at most a number of a model's word pieces, special tokens not counted.
`model` is a folder with `tokenizer.json`, a model that passagekit carries, or a name on the Hugging Face hub; 'minilm-encoder'
where none is named.
*/
export type PhraseLength =
	| {readonly sentences: number; readonly tokens?: never; readonly model?: never}
	| {readonly tokens: number; readonly model?: string | undefined; readonly sentences?: never};

/** A phrase of a text. */
export interface Phrase {
	readonly text: string;
	/** Offset in UTF-16 code units of the text; the range is half-open. */
	readonly start: number;
	readonly end: number;
}

const lengthOptions: OptionNames = new Set(['sentences', 'tokens', 'model']);

/** Limits of one call of the addon: the copy takes under a millisecond. */
const MAX_TEXTS_PER_CALL = 256;
const MAX_UNITS_PER_CALL = 1 << 18;
/** Number of phrases that are created between two looks at the clock. */
const PHRASES_PER_SLICE = 512;

/**
Splits texts into phrases (Yang et al., 2023, §3.1): consecutive parts of the same length that do not overlap, without white space at
their ends. Together they contain everything except white space; a blank text has no phrases.

By sentences: the last phrase of a text has the remaining sentences. Abbreviations, initials, numbers, quotations, notes, lists, headings
and hard-wrapped lines are distinguished from ends of sentences in a dozen languages. A part with neither a letter nor a digit is joined to
its neighbor.

By word pieces: a phrase has as many words as fit. Text between white space is split only if it does not fit into a phrase of its own, and
then between the words of the model's tokenizer; a longer single word is a phrase of its own. In scripts without spaces, a phrase may end
between any two words of the tokenizer.

@example
```
const segmenter = await PhraseSegmenter.open({sentences: 1});
segmenter.segment('Dr. Moss paid 3.5 million. Why?');
//=> [{text: 'Dr. Moss paid 3.5 million.', start: 0, end: 26}, {text: 'Why?', start: 27, end: 31}]
```
*/
export class PhraseSegmenter {
	readonly length: PhraseLength;
	readonly #native: Binding.NativeSegmenter;

	private constructor(segmenter: Binding.NativeSegmenter, length: PhraseLength) {
		checkFactoryMade('PhraseSegmenter', segmenter, native.NativeSegmenter, 'PhraseSegmenter.open()');
		this.#native = segmenter;
		this.length = length;
	}

	/** Creates a segmenter for phrases of this length. For word pieces, it fails with `ERR_MODEL_MISSING` or `ERR_MODEL` if the tokenizer cannot be loaded. */
	static async open(length: PhraseLength): Promise<PhraseSegmenter> {
		checkObject('length', length, '{sentences} or {tokens, model?}');
		checkRequiredOptions('length', length, lengthOptions);
		if ((length.sentences === undefined) === (length.tokens === undefined)) {
			const got = `{${Object.keys(length).join(', ')}}`;
			throw new RetrievalError('ERR_ARGUMENT', `length: expected {sentences} or {tokens, model?}, got ${got}`);
		}
		const {sentences, tokens, model = 'minilm-encoder'} = length;
		if (sentences !== undefined) {
			checkCount('sentences', sentences, 1);
			return new PhraseSegmenter(await callNative({}, async () => native.openSegmenter(sentences)), {sentences});
		}
		checkCount('tokens', tokens, 1);
		checkString('model', model);
		const tokenizer = await tokenizerFile(await resolveModel(model));
		return new PhraseSegmenter(await callNative({}, async () => native.openSegmenter(tokens, tokenizer)), {tokens, model});
	}

	/** Returns the phrases of one text, in order. It runs on the JavaScript thread, so use `segmentMany` for long texts. */
	segment(text: string): Phrase[] {
		checkString('text', text);
		const {starts, ends} = callSync(() => this.#native.segment(text));
		return Array.from(starts, (start, i) => phraseOf(text, start, ends[i]!));
	}

	/** Returns the phrases of each text, computed off the event loop. Progress counts texts. */
	async segmentMany(texts: readonly string[], options: CallOptions = {}): Promise<Phrase[][]> {
		checkStrings('texts', texts);
		checkOptions('segmentMany', options, callOptions);
		const {signal, onProgress} = options;
		const found: Phrase[][] = [];
		const total = texts.length;
		for (let from = 0; from < total || from === 0; ) {
			const chunk = texts.slice(from, callEnd(texts, from));
			const {counts, starts, ends} = await callNative(
				{signal, onProgress: onProgress && (({done}) => onProgress({done: from + done, total}))},
				async control => this.#native.segmentMany(chunk, control),
			);
			const slices = new PhraseReader(starts, ends);
			for (const [i, text] of chunk.entries()) {
				found.push(await slices.next(text, counts[i]!));
			}
			from += Math.max(chunk.length, 1);
		}
		return found;
	}
}

/** The end of the call that starts with the text at `from`; it has at least one text. */
function callEnd(texts: readonly string[], from: number): number {
	let units = 0;
	let end = from;
	while (end < texts.length && end - from < MAX_TEXTS_PER_CALL && (end === from || units + texts[end]!.length <= MAX_UNITS_PER_CALL)) {
		units += texts[end]!.length;
		end++;
	}
	return end;
}

function phraseOf(text: string, start: number, end: number): Phrase {
	return {text: text.slice(start, end), start, end};
}

/** Creates phrases from their offsets, in slices between which the event loop continues. */
class PhraseReader {
	readonly #starts: Uint32Array;
	readonly #ends: Uint32Array;
	#at = 0;

	constructor(starts: Uint32Array, ends: Uint32Array) {
		this.#starts = starts;
		this.#ends = ends;
	}

	/** The next `count` phrases, which are those of `text`. */
	async next(text: string, count: number): Promise<Phrase[]> {
		const phrases: Phrase[] = [];
		for (const last = this.#at + count; this.#at < last; this.#at++) {
			if (this.#at % PHRASES_PER_SLICE === 0) {
				await waitForTime();
			}
			phrases.push(phraseOf(text, this.#starts[this.#at]!, this.#ends[this.#at]!));
		}
		return phrases;
	}
}
