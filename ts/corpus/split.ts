import {checkCount, checkString} from '../check.ts';
import {callSync, native} from '../native.ts';
import type {Passage} from '../types.ts';

export interface SplitOptions {
	/** Words per passage, at least 1. @default 100 */
	readonly words?: number | undefined;
	/** Words shared with the previous passage, fewer than `words`. @default 0 */
	readonly overlap?: number | undefined;
	/** Fill the last passage from the start of the document, as DPR did. @default false */
	readonly wrap?: boolean | undefined;
}

/** A passage and where it stands in its document. */
export interface PassagePiece extends Passage {
	/** UTF-16 code units of the document's text, half-open; of a wrapped passage, its own part. */
	readonly start: number;
	readonly end: number;
}

/**
Splits a document into passages of 100 words (Karpukhin et al., 2020, §4.1). Words are what stands between white space,
which is kept inside a passage. Ids are the document's with `#0`, `#1`, … after them.

@example
```
splitDocument({id: 'd', text: 'one two  three'}, {words: 2});
//=> [{id: 'd#0', text: 'one two', start: 0, end: 7}, {id: 'd#1', text: 'three', start: 9, end: 14}]
```
*/
export function splitDocument(document: Passage, options: SplitOptions = {}): PassagePiece[] {
	const {words, overlap, wrap} = checkedSplit(options);
	checkString('document: id', document.id);
	checkString('document: text', document.text);
	const {starts, ends, texts} = callSync(() => native.splitDocument(document.text, words, overlap, wrap));
	return texts.map((text, i) => ({
		id: `${document.id}#${i}`,
		text,
		...(document.title === undefined ? {} : {title: document.title}),
		start: starts[i]!,
		end: ends[i]!,
	}));
}

export function checkedSplit({words = 100, overlap = 0, wrap = false}: SplitOptions): {words: number; overlap: number; wrap: boolean} {
	checkCount('split: words', words, 1);
	checkCount('split: overlap', overlap, 0, words - 1);
	return {words, overlap, wrap};
}
