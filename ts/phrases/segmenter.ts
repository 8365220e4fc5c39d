/** `PhraseSegmenter` splits texts into phrases of a number of sentences or a maximum number of word pieces (Yang et al., 2023, §3.1). */
import {checkCount, checkFactoryMade, checkObject, checkString, checkStrings} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {resolveModel} from '../models/index.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {tokenizerFile} from '../onnx/model-files.ts';
import {type OptionNames, callOptions, checkRequiredOptions, checkOptions} from '../core/options.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import type {CallOptions} from '../core/types.ts';

/**
The length of phrases: a number of sentences, or a maximum number of word pieces (`tokens`), not counting special tokens. `model` is the
model whose tokenizer counts word pieces: a folder with `tokenizer.json`, one of passagekit's own models, or the name of a model on the
Hugging Face hub. The default is 'minilm-encoder'.
*/
export type PhraseLength =
	| {readonly sentences: number; readonly tokens?: never; readonly model?: never}
	| {readonly tokens: number; readonly model?: string | undefined; readonly sentences?: never};

/** A phrase of a text. */
export interface Phrase {
	readonly text: string;
	/** Offset of the first character in the text, in UTF-16 code units. */
	readonly start: number;
	/** Offset after the last character. */
	readonly end: number;
}

const lengthOptions: OptionNames = new Set(['sentences', 'tokens', 'model']);

/** Maximum number of texts per call to the addon. This limit and the next one keep the time for copying the texts below a millisecond. */
const MAX_TEXTS_PER_CALL = 256;
/** Maximum total length of the texts per call to the addon, in UTF-16 code units. A single longer text gets a call of its own. */
const MAX_LENGTH_PER_CALL = 1 << 18;
/** Number of phrases that are created between two checks of the clock. */
const PHRASES_PER_SLICE = 512;

/**
Splits texts into phrases (Yang et al., 2023, §3.1): consecutive parts that do not overlap and do not begin or end with white space.
Together, the phrases of a text contain everything except the white space around them; a blank text has no phrases.

With `sentences`, every phrase has that number of sentences, except the last one, which has the rest. The rules for the ends of sentences
handle abbreviations, initials, numbers, quotations, footnotes, lists, headings and hard-wrapped lines in a dozen languages. A part
without any letter or digit is joined to the sentence next to it.

With `tokens`, a phrase has as many words as fit into that number of word pieces. Words are separated by white space. A word that does not
fit into a phrase is split where the model's tokenizer separates words, for example at punctuation; a part that still does not fit is a
phrase of its own. In scripts without spaces between words, a phrase may end wherever the tokenizer separates words.

@example
```
const segmenter = await PhraseSegmenter.open({sentences: 1});
segmenter.segment('Dr. Moss paid 3.5 million. Why?');
//=> [{text: 'Dr. Moss paid 3.5 million.', start: 0, end: 26}, {text: 'Why?', start: 27, end: 31}]
```
*/
export class PhraseSegmenter {
	/** The length of the phrases. */
	readonly length: PhraseLength;
	readonly #native: Binding.NativeSegmenter;

	private constructor(segmenter: Binding.NativeSegmenter, length: PhraseLength) {
		checkFactoryMade('PhraseSegmenter', segmenter, native.NativeSegmenter, 'PhraseSegmenter.open()');
		this.#native = segmenter;
		this.length = length;
	}

	/** Creates a segmenter. With `tokens`, fails with `ERR_MODEL_MISSING` or `ERR_MODEL` if the tokenizer of the model cannot be loaded. */
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

	/** Returns the phrases of one text, in order. Runs on the JavaScript thread, so use `segmentMany` for long texts. */
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
		// Without texts, the addon is still called once, so that the call reports progress and checks the signal.
		for (let from = 0; from < total || from === 0; ) {
			const chunk = texts.slice(from, callEnd(texts, from));
			const {counts, starts, ends} = await callNative(
				{signal, onProgress: onProgress && (({done}) => onProgress({done: from + done, total}))},
				async control => this.#native.segmentMany(chunk, control),
			);
			const phrases = new PhraseMaker(starts, ends);
			for (const [i, text] of chunk.entries()) {
				found.push(await phrases.next(text, counts[i]!));
			}
			from += Math.max(chunk.length, 1);
		}
		return found;
	}
}

/** Returns the end of the range of texts, starting at `from`, that are passed to the addon in one call. The range has at least one text. */
function callEnd(texts: readonly string[], from: number): number {
	let length = 0;
	let end = from;
	while (end < texts.length && end - from < MAX_TEXTS_PER_CALL && (end === from || length + texts[end]!.length <= MAX_LENGTH_PER_CALL)) {
		length += texts[end]!.length;
		end++;
	}
	return end;
}

function phraseOf(text: string, start: number, end: number): Phrase {
	return {text: text.slice(start, end), start, end};
}

/** Creates phrases from their offsets, in short slices. The event loop can continue between two slices. */
class PhraseMaker {
	readonly #starts: Uint32Array;
	readonly #ends: Uint32Array;
	/** Index of the next phrase in `#starts` and `#ends`. */
	#at = 0;

	constructor(starts: Uint32Array, ends: Uint32Array) {
		this.#starts = starts;
		this.#ends = ends;
	}

	/** Returns the next `count` phrases, which are all phrases of `text`. Texts must be passed in the order of their phrases. */
	async next(text: string, count: number): Promise<Phrase[]> {
		const phrases: Phrase[] = [];
		for (const last = this.#at + count; this.#at < last; this.#at++) {
			if (this.#at % PHRASES_PER_SLICE === 0) {
				await yieldIfOverBudget();
			}
			phrases.push(phraseOf(text, this.#starts[this.#at]!, this.#ends[this.#at]!));
		}
		return phrases;
	}
}
