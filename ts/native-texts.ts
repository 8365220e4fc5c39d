import {type Binding, native, nextTurn} from './native.ts';
import {type PassageTexts, textsOf} from './texts.ts';

/** The native form of passages' texts; a map is copied, a slice a turn of the event loop. */
export async function nativeTexts(passages: PassageTexts): Promise<Binding.NativeTexts> {
	if (textsOf in passages) {
		return passages[textsOf]() as Binding.NativeTexts;
	}
	const texts = new native.NativeTexts();
	let ids: string[] = [];
	let values: string[] = [];
	for (const [id, {text}] of passages) {
		ids.push(id);
		values.push(text);
		if (ids.length === 512) {
			texts.add(ids, values);
			[ids, values] = [[], []];
			await nextTurn();
		}
	}
	texts.add(ids, values);
	return texts;
}
