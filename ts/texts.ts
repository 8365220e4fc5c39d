/** What gives the texts of its passages to the addon without passing them through JavaScript. */
export const textsOf: unique symbol = Symbol('passagekit.texts');

/** Holds passages' texts in native memory: a `PassageStore` does. */
export interface TextSource {
	/** A handle of the addon. */
	[textsOf](): object;
}
