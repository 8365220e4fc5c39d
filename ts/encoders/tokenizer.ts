/** `Tokenizer` is the tokenizer of a model, usable without the model itself. */
import {checkArray, checkCount, checkFactoryMade, checkString} from '../core/checks.ts';
import {downloadOptions} from '../models/hub.ts';
import {type ModelOptions, resolveModel} from '../models/index.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {tokenizerFile} from '../onnx/model-files.ts';
import {callOptions, checkOptions} from '../core/options.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import type {CallOptions} from '../core/types.ts';

/** Word pieces of several texts. */
export interface TokenLists {
	/** Vocabulary ids of all texts, one text after another. */
	readonly ids: Uint32Array;
	/** `[texts.length + 1]`: the ids of text `i` are `ids.subarray(offsets[i], offsets[i + 1])`. */
	readonly offsets: Uint32Array;
}

/** Approximate number of characters, in UTF-16 code units, passed to native code in one call. Copying them takes one to two ms. */
const CHARACTERS_PER_CALL = 500_000;

/**
Splits texts into the word pieces of a model, with its `tokenizer.json`. No special tokens are added, and special tokens that occur in a
text, such as `[SEP]`, are treated as text. The model itself and `onnxruntime-node` are not needed.

@example
```
const tokenizer = await Tokenizer.load('minilm-encoder');
[...tokenizer.tokenize('word embeddings')].map(id => tokenizer.token(id));
//=> ['word', 'em', '##bed', '##ding', '##s']
```
*/
export class Tokenizer {
	readonly #native: Binding.NativeTokenizer;

	private constructor(tokenizer: Binding.NativeTokenizer) {
		checkFactoryMade('Tokenizer', tokenizer, native.NativeTokenizer, 'Tokenizer.load()');
		this.#native = tokenizer;
	}

	/**
	Loads the tokenizer of a model: a folder with `tokenizer.json`, one of passagekit's own models, or a model on the Hugging Face hub
	(`owner/name`), whose tokenizer is downloaded together with the model. Fails with `ERR_MODEL_MISSING` if there is no such model, with
	`ERR_MODEL` if its tokenizer cannot be used, and with `ERR_DOWNLOAD` if a download fails.
	*/
	static async load(model: string, options: ModelOptions = {}): Promise<Tokenizer> {
		checkString('model', model);
		checkOptions('load', options, downloadOptions);
		const file = await tokenizerFile(await resolveModel(model, options));
		return new Tokenizer(await callNative({signal: options.signal}, () => native.openTokenizer(file)));
	}

	/** Number of tokens in the vocabulary, special tokens included. */
	get size(): number {
		return this.#native.size;
	}

	/** Returns the ids of the word pieces of a text. Runs synchronously; a megabyte of plain text takes about 20 ms. */
	tokenize(text: string): Uint32Array {
		checkString('text', text);
		return callSync(() => this.#native.tokenize(text));
	}

	/** Returns the token with this id, as the vocabulary spells it, or `undefined` if there is none. */
	token(id: number): string | undefined {
		checkCount('id', id, 0);
		return callSync(() => this.#native.token(id)) ?? undefined;
	}

	/** Returns the ids of the word pieces of several texts. Runs off the event loop. Progress counts texts. */
	async tokenizeMany(texts: readonly string[], options: CallOptions = {}): Promise<TokenLists> {
		checkArray('texts', texts, 'strings');
		checkOptions('tokenizeMany', options, callOptions);
		const {signal, onProgress} = options;
		const offsets = new Uint32Array(texts.length + 1);
		const parts: Uint32Array[] = [];
		let [done, length] = [0, 0];
		while (done < texts.length) {
			const part: string[] = [];
			for (let characters = 0; characters < CHARACTERS_PER_CALL && done + part.length < texts.length; ) {
				const text = texts[done + part.length];
				checkString(`texts[${done + part.length}]`, text);
				// The fixed cost of a text is that of about 100 characters.
				characters += text.length + 100;
				part.push(text);
			}
			await yieldIfOverBudget();
			const first = done;
			const {ids, counts} = await callNative(
				{signal, onProgress: onProgress && (progress => onProgress({done: first + progress.done, total: texts.length}))},
				control => this.#native.tokenizeMany(part, control),
			);
			for (const count of counts) {
				length += count;
				offsets[++done] = length;
			}
			parts.push(ids);
		}
		const ids = new Uint32Array(length);
		let at = 0;
		for (const part of parts) {
			await yieldIfOverBudget();
			ids.set(part, at);
			at += part.length;
		}
		return {ids, offsets};
	}
}
