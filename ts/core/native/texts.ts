/** Passes the texts of passages to the addon: as the handle of a `PassageStore`, or as a copy of a map. */
import {checkId, checkMap, checkString, hasMethods, isInstance} from '../checks.ts';
import {RetrievalError} from '../errors.ts';
import {type Binding, native} from './native.ts';
import {yieldToEventLoop} from '../event-loop.ts';
import {type PassageTexts, type TextSource, textsOf} from '../passage-texts.ts';
import type {Passage} from '../types.ts';

/** Number of texts that are copied per slice; that takes well under a millisecond. */
const TEXTS_PER_SLICE = 512;

/** Returns the native form of the texts of passages. A map is copied in slices, one per iteration of the event loop. */
export async function nativeTexts(passages: PassageTexts): Promise<Binding.NativeTexts> {
	const texts = storeTexts(passages);
	if (texts !== undefined) {
		return texts;
	}
	const map = passages as ReadonlyMap<string, Pick<Passage, 'text'>>;
	const copied = new native.NativeTexts();
	let ids: string[] = [];
	let values: string[] = [];
	for (const [id, passage] of map) {
		checkId('passages: id', id);
		checkString(`passages: text of "${id}"`, passage?.text);
		ids.push(id);
		values.push(passage.text);
		if (ids.length === TEXTS_PER_SLICE) {
			copied.add(ids, values);
			[ids, values] = [[], []];
			await yieldToEventLoop();
		}
	}
	copied.add(ids, values);
	return copied;
}

/** Returns the native handle of the texts of a `PassageStore`, or `undefined` for a map. Fails with `ERR_ARGUMENT` for anything else. */
export function storeTexts(passages: unknown): Binding.NativeTexts | undefined {
	if (hasMethods(passages, textsOf)) {
		const texts = (passages as TextSource)[textsOf]();
		if (!isInstance(texts, native.NativeTexts)) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				'passages: expected a PassageStore or a Map of passage id to passage, got another source of texts',
			);
		}
		return texts;
	}
	checkMap('passages', passages, 'passage id to passage, or a PassageStore');
	return undefined;
}
