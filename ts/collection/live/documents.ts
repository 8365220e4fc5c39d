/** Documents that are added to a collection: their types, their checks, and their passages. */
import {checkId, checkObject, checkString, isArray, isObject, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {fieldsJson} from '../../core/filters/fields.ts';
import {callSync, native} from '../../core/native/native.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../../core/options.ts';
import type {GivenFields} from '../../core/typed-fields.ts';
import type {VectorInput, VectorRows} from './vector-rows.ts';

/** A passage of a document that the caller has already split. */
export interface DocumentPassage {
	readonly text: string;
	/** @default the title of the document */
	readonly title?: string | undefined;
	/** @default the vector that the collection's encoder computes */
	readonly vector?: VectorInput | undefined;
}

/** A document without its fields. */
export interface DocumentContent {
	/** Unique in the collection; 1 to 65,000 bytes of UTF-8. Passage `n` of the document, counted from 0, has the id `<id>#n`. */
	readonly id: string;
	/** Indexed and encoded together with the text of each passage. */
	readonly title?: string | undefined;
	/** Either this or `passages` must be given. */
	readonly text?: string | undefined;
	/** The passages of the document, instead of `text`; at least one. */
	readonly passages?: readonly DocumentPassage[] | undefined;
	/** The vector of `text`, which must then be short enough for one passage. @default the vector that the collection's encoder computes */
	readonly vector?: VectorInput | undefined;
}

/** The property `fields` of a document. It is required if the declared type has a field that is not optional. */
export type DocumentFields<Fields> = {} extends Fields
	? {
			/** Values to filter, count and sort by, which hits return on request. */
			readonly fields?: GivenFields<Fields> | undefined;
		}
	: {
			/** Values to filter, count and sort by, which hits return on request. */
			readonly fields: GivenFields<Fields>;
		};

/**
A document of any length. A collection splits the document's `text` into passages, or takes `passages` as they are. Fields belong to the
document, and all of its passages have them.
*/
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export type Document<Fields = any> = DocumentContent & DocumentFields<Fields>;

/** One document, or any number of them. Arrays are iterables too; they are listed so that compiler errors point at the invalid document. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export type Documents<Fields = any> =
	| Document<Fields>
	| ReadonlyArray<Document<Fields>>
	| Iterable<Document<Fields>>
	| AsyncIterable<Document<Fields>>;

/** How the text of a document is split: `false` keeps it as one passage. */
export type SplitSetting = {readonly words: number; readonly overlap: number; readonly wrap: boolean} | false;

/** A document that was checked and split into passages. */
export interface PreparedDocument {
	readonly id: string;
	/** JSON, or '' without fields. */
	readonly fields: string;
	readonly passages: readonly PreparedPassage[];
}

/** A passage of a prepared document. */
export interface PreparedPassage {
	/** '' without a title. */
	readonly title: string;
	readonly text: string;
	/** The row of the passage's vector in the `VectorRows`; −1 if no vector came with the document. */
	readonly row: number;
}

const documentNames: OptionNames = optionNames<Document>({
	id: true,
	title: true,
	text: true,
	passages: true,
	fields: true,
	vector: true,
});
const passageNames: OptionNames = optionNames<DocumentPassage>({text: true, title: true, vector: true});

/**
Checks a document, splits it into passages, and appends its vectors to `vectors`. `what` is the start of error messages, which also name the
id of the document.
*/
export function prepared(what: string, document: unknown, split: SplitSetting, vectors: VectorRows): PreparedDocument {
	try {
		return checkedDocument(what, document, split, vectors);
	} catch (error) {
		const id = isObject(document) ? document['id'] : undefined;
		if (!(error instanceof RetrievalError) || typeof id !== 'string' || id === '' || !error.message.startsWith(`${what}:`)) {
			throw error;
		}
		throw new RetrievalError(error.code, `${what} (${JSON.stringify(id)})${error.message.slice(what.length)}`, {cause: error});
	}
}

function checkedDocument(what: string, document: unknown, split: SplitSetting, vectors: VectorRows): PreparedDocument {
	checkObject(what, document, '{id, text} or {id, passages}');
	checkRequiredOptions(what, document, documentNames);
	const {id, title, text, passages, fields, vector} = document as unknown as Document;
	checkId(`${what}: id`, id);
	if (id === '') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: id: expected 1 to 65000 bytes, got an empty string`);
	}
	const titleText = checkedTitle(`${what}: title`, title);
	const json = fields === undefined ? '' : fieldsJson(`${what}: fields`, fields);
	if (passages === undefined) {
		checkString(`${what}: text`, text);
		const pieces = piecesOf(text, split);
		if (vector !== undefined && pieces.length > 1) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`${what}: vector: expected a text of one passage, got one of ${pieces.length}; give each passage its vector in \`passages\`, or open the collection with split: false`,
			);
		}
		const row = vector === undefined ? -1 : vectors.push(`${what}: vector`, vector);
		return {id, fields: json, passages: pieces.map(piece => ({title: titleText, text: piece, row}))};
	}
	if (text !== undefined || vector !== undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected text or passages, got ${text === undefined ? 'a vector' : 'both'}`);
	}
	if (!isArray(passages) || passages.length === 0) {
		const got = isArray(passages) ? 'an empty one' : kindOf(passages);
		throw new RetrievalError('ERR_ARGUMENT', `${what}: passages: expected an array of at least one passage, got ${got}`);
	}
	const checked = passages.map((passage, i) => {
		const at = `${what}: passages[${i}]`;
		checkObject(at, passage, '{text, title?, vector?}');
		checkRequiredOptions(at, passage, passageNames);
		checkString(`${at}: text`, passage.text);
		return {
			title: passage.title === undefined ? titleText : checkedTitle(`${at}: title`, passage.title),
			text: passage.text,
			row: passage.vector === undefined ? -1 : vectors.push(`${at}: vector`, passage.vector),
		};
	});
	return {id, fields: json, passages: checked};
}

function checkedTitle(what: string, title: unknown): string {
	if (title === undefined || title === null) {
		return '';
	}
	checkString(what, title);
	return title;
}

/** Splits a text. A text without words is one passage, so that the document is not lost. */
function piecesOf(text: string, split: SplitSetting): readonly string[] {
	if (split === false || (!split.wrap && isOnePassage(text, split.words))) {
		return [text];
	}
	const {texts} = callSync(() => native.splitDocument(text, split.words, split.overlap, split.wrap));
	return texts.length === 0 ? [text] : texts;
}

/**
Whether a text certainly has at most `words` words, and no white space around them. Splitting would then return the text itself, and this
check is several times faster. Non-ASCII characters count as white space here, so `false` means that the text may still be one passage.
*/
function isOnePassage(text: string, words: number): boolean {
	if (text === '' || !isInWord(text.charCodeAt(0)) || !isInWord(text.charCodeAt(text.length - 1))) {
		return false;
	}
	let remaining = words;
	for (let i = 0; i < text.length && remaining > 0; i++) {
		remaining -= isInWord(text.charCodeAt(i)) ? 0 : 1;
	}
	return remaining > 0;
}

/** Whether a UTF-16 code unit is a printable ASCII character other than the space. */
function isInWord(code: number): boolean {
	return code > 0x20 && code < 0x7f;
}
