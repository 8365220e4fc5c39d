import {checkCount, checkString, checkStrings, kindOf} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {resolveModel} from '../models/index.ts';
import {type Binding, callNative, callSync, native} from '../native.ts';
import {tokenizerFile} from '../onnx/model-files.ts';
import {turnWithTime} from '../turn.ts';
import type {CallOptions} from '../types.ts';

/**
How long phrases are: a number of sentences, or at most a number of a model's word pieces, special tokens not counted.
`model` is a folder with `tokenizer.json`, a model that passagekit carries, or a name on the Hugging Face hub; 'minilm-encoder'
where none is named.
*/
export type PhraseLength =
	| {readonly sentences: number; readonly tokens?: never; readonly model?: never}
	| {readonly tokens: number; readonly model?: string | undefined; readonly sentences?: never};

/** A part of a text. */
export interface Phrase {
	readonly text: string;
	/** UTF-16 code units of the text, half-open. */
	readonly start: number;
	readonly end: number;
}

/** What is handed over in one call: its copy takes under a millisecond. */
const TEXTS_A_CALL = 256;
const UNITS_A_CALL = 1 << 18;

/**
Cuts texts into phrases (Yang et al., 2023, §3.1): consecutive parts of one length that do not overlap, without white space
at their ends. Together they hold everything but white space; a blank text has none.

Of sentences, the last phrase of a text has what is left. Abbreviations, initials, numbers, quotations, notes, lists,
headings and hard-wrapped lines are told from ends of sentences in a dozen languages; what has neither a letter nor a digit
is joined to a neighbour.

Of word pieces, a phrase has as many words as fit. What stands between white space is torn only where it does not fit into
a phrase of its own, and then between the words that the model makes of it; a single such word that is longer is a phrase
of its own. In scripts without spaces a phrase may end between any two of the model's words.

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

	/** @internal */
	private constructor(segmenter: Binding.NativeSegmenter, length: PhraseLength) {
		this.#native = segmenter;
		this.length = length;
	}

	/** Fails with `ERR_ARGUMENT`, and as openers of encoders do where word pieces are counted: with `ERR_MODEL_MISSING`, `ERR_MODEL`. */
	static async open(length: PhraseLength): Promise<PhraseSegmenter> {
		if (typeof length !== 'object' || length === null || (length.sentences === undefined) === (length.tokens === undefined)) {
			const got = typeof length === 'object' && length !== null ? `{${Object.keys(length).join(', ')}}` : kindOf(length);
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

	/** The phrases of one text, in order. For passages: a long text takes its time here and now, so give it to `segmentMany`. */
	segment(text: string): Phrase[] {
		checkString('text', text);
		const {starts, ends} = callSync(() => this.#native.segment(text));
		return phrasesOf(text, starts, ends, 0, starts.length);
	}

	/** The phrases of each text, in the order of the texts, off the event loop. Progress counts texts. */
	async segmentMany(texts: readonly string[], {signal, onProgress}: CallOptions = {}): Promise<Phrase[][]> {
		checkStrings('texts', texts);
		const found: Phrase[][] = [];
		const total = texts.length;
		for (let from = 0; from < total || from === 0; ) {
			const chunk = texts.slice(from, callEnd(texts, from));
			const {counts, starts, ends} = await callNative(
				{signal, onProgress: onProgress && (({done}) => onProgress({done: from + done, total}))},
				async control => this.#native.segmentMany(chunk, control),
			);
			let first = 0;
			for (const [i, text] of chunk.entries()) {
				if (i % 32 === 0) {
					await turnWithTime();
				}
				found.push(phrasesOf(text, starts, ends, first, first + counts[i]!));
				first += counts[i]!;
			}
			from += Math.max(chunk.length, 1);
		}
		return found;
	}
}

/** Where the call ends that begins with the text at `from`: after at least one text. */
function callEnd(texts: readonly string[], from: number): number {
	let units = 0;
	let end = from;
	while (end < texts.length && end - from < TEXTS_A_CALL && (end === from || units + texts[end]!.length <= UNITS_A_CALL)) {
		units += texts[end]!.length;
		end++;
	}
	return end;
}

function phrasesOf(text: string, starts: Uint32Array, ends: Uint32Array, first: number, last: number): Phrase[] {
	return Array.from({length: last - first}, (_, i) => {
		const start = starts[first + i]!;
		const end = ends[first + i]!;
		return {text: text.slice(start, end), start, end};
	});
}
