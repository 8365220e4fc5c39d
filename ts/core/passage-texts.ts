import type {Passage} from './types.ts';

/** The method by which a `PassageStore` gives its texts to the addon without copying them to JavaScript. */
export const textsOf: unique symbol = Symbol('passagekit.texts');

/** Holds the texts of passages in native memory, as a `PassageStore` does. */
export interface TextSource {
	/** Returns a handle of the addon. */
	[textsOf](): object;
}

/** The texts of passages: a `PassageStore`, or a map from passage id to passage. */
export type PassageTexts = ReadonlyMap<string, Pick<Passage, 'text'>> | TextSource;
