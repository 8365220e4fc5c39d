/** The encoders of a collection: encoder objects that the caller gave, or models that are loaded when they are first needed. */
import {resolve} from 'node:path';
import {RetrievalError} from '../../core/errors.ts';
import {encodeChecked} from '../../core/encoder-results.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {isFolder} from '../../core/file-system.ts';
import type {EncodeOptions, Encoder, EncoderInput} from '../../core/types.ts';
import {OnnxEncoder, type OnnxEncoderOptions} from '../../encoders/index.ts';
import {isTrainedFor} from '../../dense/questions.ts';
import {type Settings, type StoredEncoder, checkEncoderOption, checkIdentity} from './settings.ts';

/** The encoders that the caller gave; a string is the name of a model. */
export interface GivenEncoders {
	/** Whether the caller chose a collection without an encoder. */
	readonly none: boolean;
	readonly passages: Encoder | string | undefined;
	readonly questions: Encoder | string | undefined;
	readonly options: OnnxEncoderOptions | undefined;
}

/** The options that name the encoders of a collection. */
interface EncoderChoice {
	readonly encoder?: Encoder | string | false | undefined;
	readonly passageEncoder?: Encoder | string | undefined;
	readonly questionEncoder?: Encoder | string | undefined;
	readonly encoderOptions?: OnnxEncoderOptions | undefined;
}

/** Checks the options that name encoders, and returns the given ones. */
export function givenEncoders({encoder, passageEncoder, questionEncoder, encoderOptions}: EncoderChoice): GivenEncoders {
	for (const [what, given] of Object.entries({passageEncoder, questionEncoder})) {
		if (given !== undefined) {
			checkEncoderOption(what, given);
			if (encoder === false) {
				throw new RetrievalError('ERR_ARGUMENT', `${what}: expected none with encoder: false, got one`);
			}
		}
	}
	if (encoder !== undefined && encoder !== false) {
		checkEncoderOption('encoder', encoder);
	}
	const both = encoder === false ? undefined : encoder;
	return {none: encoder === false, passages: passageEncoder ?? both, questions: questionEncoder, options: encoderOptions};
}

/**
Fails with `ERR_ENCODER_MISMATCH` if the caller chose no encoder for an existing collection that has one, or an encoder for one without
vectors.
*/
export function checkChoice({none, passages, questions}: GivenEncoders, {encoder, similarity}: Settings): void {
	if (none && encoder !== null) {
		throw new RetrievalError(
			'ERR_ENCODER_MISMATCH',
			`encoder: expected the encoder that the collection was created with (${encoder.model ?? encoder.identity ?? 'an object'}), got false; searches with the retriever bm25 do not load it`,
		);
	}
	if (similarity === null && (passages !== undefined || questions !== undefined)) {
		throw new RetrievalError(
			'ERR_ENCODER_MISMATCH',
			'encoder: expected none, since the collection was created without vectors, got one; to get vectors, create another collection and add the documents to it',
		);
	}
}

/** A text with its title, which is '' without one. */
export interface TitledText {
	readonly title: string;
	readonly text: string;
}

/** The encoders of one collection. Loads each model once, and checks that each encoder is the one that the collection was created with. */
export class CollectionEncoders {
	readonly #given: GivenEncoders;
	readonly #settings: Settings;
	readonly #dim: number;
	readonly #loaded = new Map<string, Promise<OnnxEncoder>>();

	/** `loaded` has models that were already loaded, by name. */
	constructor(given: GivenEncoders, settings: Settings, dim: number, loaded: ReadonlyMap<string, OnnxEncoder> = new Map()) {
		this.#given = given;
		this.#settings = settings;
		this.#dim = dim;
		for (const [name, encoder] of loaded) {
			this.#loaded.set(name, Promise.resolve(encoder));
		}
		for (const [what, encoder, stored] of [
			['passageEncoder', given.passages, settings.encoder],
			['questionEncoder', given.questions, settings.questionEncoder ?? settings.encoder],
		] as const) {
			if (encoder !== undefined && typeof encoder !== 'string') {
				check(what, encoder, stored, settings.encoder, dim);
			}
		}
	}

	/** Whether the collection computes the vectors of passages; if not, they all come with the documents. */
	get hasPassageEncoder(): boolean {
		return this.#given.passages !== undefined || this.#settings.encoder !== null;
	}

	/** The passage encoder. */
	async passages(): Promise<Encoder> {
		return this.#encoder('passageEncoder', this.#given.passages, this.#settings.encoder);
	}

	/** The passage encoder, for encoding the sentences of hits. Fails with `ERR_ARGUMENT` if all vectors come with the documents. */
	async sentences(): Promise<Encoder> {
		if (!this.hasPassageEncoder) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				'include: sentence: expected a collection with a passage encoder, which also encodes their sentences, got one whose vectors come with the documents; if you have the model of these vectors, pass it to Collection.open as passageEncoder',
			);
		}
		return this.#encoder('include: sentence: passageEncoder', this.#given.passages, this.#settings.encoder);
	}

	/** The question encoder. */
	async questions(): Promise<Encoder> {
		const {encoder, questionEncoder} = this.#settings;
		// If passages and questions have the same encoder, the one that was given for passages may also encode questions.
		const given = this.#given.questions ?? (questionEncoder === null ? this.#given.passages : undefined);
		return this.#encoder('questionEncoder', given, questionEncoder ?? encoder);
	}

	/**
	Loads each model whose given name differs from the stored one, so that opening the collection fails if the model is missing or has another
	identity.
	*/
	async checkNames(): Promise<void> {
		const {passages, questions} = this.#given;
		const {encoder, questionEncoder} = this.#settings;
		if (isOther(passages, encoder)) {
			await this.passages();
		}
		if (isOther(questions, questionEncoder ?? encoder)) {
			await this.questions();
		}
	}

	/** Releases the models that were loaded here. */
	async close(): Promise<void> {
		for (const loading of this.#loaded.values()) {
			await loading.then(
				encoder => encoder.close(),
				() => {},
			);
		}
		this.#loaded.clear();
	}

	async #encoder(what: string, given: Encoder | string | undefined, stored: StoredEncoder | null): Promise<Encoder> {
		if (given !== undefined && typeof given !== 'string') {
			return given;
		}
		const model = given ?? stored?.model;
		if (model === undefined || model === null) {
			const name = stored?.identity ? ` (${stored.identity})` : '';
			throw new RetrievalError(
				'ERR_ARGUMENT',
				stored === null
					? `${what}: expected an encoder, or a vector for each text, since the collection was created without an encoder, got none`
					: `${what}: expected the encoder that the collection was created with${name}, got none; pass it to Collection.open`,
			);
		}
		const encoder = await this.#load(model);
		check(what, encoder, stored, this.#settings.encoder, this.#dim);
		return encoder;
	}

	async #load(model: string): Promise<OnnxEncoder> {
		let loading = this.#loaded.get(model);
		if (loading === undefined) {
			loading = OnnxEncoder.load(model, this.#given.options);
			this.#loaded.set(model, loading);
			// After a failure, the next call tries again.
			loading.catch(() => this.#loaded.delete(model));
		}
		return loading;
	}
}

/** Encodes passages and returns their vectors `[passages.length, dim]`, row-major. Fails as `encodeChecked` does. */
export async function encodePassages(encoder: Encoder, passages: readonly TitledText[], options: EncodeOptions): Promise<Float32Array> {
	const inputs: EncoderInput[] = [];
	for (const {title, text} of passages) {
		inputs.push(title === '' ? {text} : {title, text});
		await yieldIfOverBudget();
	}
	const {data} = await encodeChecked(encoder, inputs, options);
	return data;
}

/** Whether the name of a model was given that is not the stored one. A model that was not given is the stored one. */
function isOther(given: Encoder | string | undefined, stored: StoredEncoder | null): boolean {
	return typeof given === 'string' && stored !== null && storedName(given) !== stored.model;
}

/** Returns what a collection stores for a model: its name, or the absolute path of its folder, which is valid in any working directory. */
export function storedName(model: string): string {
	return isFolder(model) ? resolve(model) : model;
}

/** Checks an encoder. One of questions may also be one that was trained for the vectors of the passage encoder. */
function check(what: string, encoder: Encoder, stored: StoredEncoder | null, passages: StoredEncoder | null, dim: number): void {
	const isTrained = what === 'questionEncoder' && isTrainedFor(encoder, passages?.identity);
	checkIdentity(what, encoder, isTrained ? {model: null, identity: null} : (stored ?? {model: null, identity: null}), dim);
}
