/** The type of the function that the user passes to `createEncoder`. */

/**
Embeds texts: returns one vector per text, in the order of the texts. `signal` aborts when the vectors are no longer needed. The function
must throw or reject if it fails.
*/
export type EmbedFunction = (
	texts: string[],
	options: {readonly signal: AbortSignal},
) => Promise<ReadonlyArray<readonly number[] | Float32Array>>;
