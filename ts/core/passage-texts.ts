import type {Passage} from './types.ts';

/** What gives the texts of its passages to the addon without passing them through JavaScript. */
export const textsOf: unique symbol = Symbol('passagekit.texts');

/** Holds passages' texts in native memory: a `PassageStore` does. */
export interface TextSource {
	/** A handle of the addon. */
	[textsOf](): object;
}

/** Where passages' texts are: a `PassageStore`, or a map. */
export type PassageTexts = ReadonlyMap<string, Pick<Passage, 'text'>> | TextSource;
