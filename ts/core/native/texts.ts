import {checkId, checkMap, checkString, hasMethods, isInstance} from '../checks.ts';
import {RetrievalError} from '../errors.ts';
import {type Binding, native} from './native.ts';
import {yieldToEventLoop} from '../event-loop.ts';
import {type PassageTexts, type TextSource, textsOf} from '../passage-texts.ts';
import type {Passage} from '../types.ts';

/** The native form of passages' texts; a map is copied, a slice a turn of the event loop. */
export async function nativeTexts(passages: PassageTexts): Promise<Binding.NativeTexts> {
	const own = ownTexts(passages);
	if (own !== undefined) {
		return own;
	}
	const map = passages as ReadonlyMap<string, Pick<Passage, 'text'>>;
	const texts = new native.NativeTexts();
	let ids: string[] = [];
	let values: string[] = [];
	for (const [id, passage] of map) {
		checkId('passages: id', id);
		checkString(`passages: text of "${id}"`, passage?.text);
		ids.push(id);
		values.push(passage.text);
		if (ids.length === 512) {
			texts.add(ids, values);
			[ids, values] = [[], []];
			await yieldToEventLoop();
		}
	}
	texts.add(ids, values);
	return texts;
}

/** The native handle of a store's texts; `undefined` for a map. Throws for anything else. */
export function ownTexts(passages: unknown): Binding.NativeTexts | undefined {
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
