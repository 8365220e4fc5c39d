/** What a report says at its end: what is needed to make it again, and what it refers to. */

/** A line of what has to be the same for the same numbers to come out; `code` is set as code. */
export interface Fact {
	readonly what: string;
	readonly value: string;
	readonly code?: string;
}

export interface Reference {
	readonly text: string;
	readonly url: string;
}
