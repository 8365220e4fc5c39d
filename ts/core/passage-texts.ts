/** How functions of this package receive the texts of passages: from a `PassageStore`, or from a map. */
import type {Passage} from './types.ts';

/** The key of the method with which a `PassageStore` passes its texts to the addon without copying them to JavaScript. */
export const textsOf: unique symbol = Symbol('passagekit.texts');

/** Holds the texts of passages in native memory, as a `PassageStore` does. */
export interface TextSource {
	/** Returns the addon's handle of the texts. */
	[textsOf](): object;
}

/** The texts of passages: a `PassageStore`, or a map from passage id to passage. */
export type PassageTexts = ReadonlyMap<string, Pick<Passage, 'text'>> | TextSource;
