/** Splits a document into passages. */
import {checkPassage} from '../core/checks.ts';
import {callSync, native} from '../core/native/native.ts';
import {type SplitOptions, checkedSplit} from '../core/passage-source.ts';
import type {Passage} from '../core/types.ts';

/** A passage and its position in the document. */
export interface PassagePiece extends Passage {
	/**
	Offset of the passage in the document's text, in UTF-16 code units. If the passage was filled up with words from the start of the
	document (`wrap`), these words are not in the range from `start` to `end`.
	*/
	readonly start: number;
	/** Offset of the end of the passage, which is not included. */
	readonly end: number;
}

/**
Splits a document into passages, by default of 100 words (Karpukhin et al., 2020, §4.1). Words are separated by white space, which is kept
inside a passage. The id of a passage is that of the document followed by `#0`, `#1`, ….

@example
```
splitDocument({id: 'd', text: 'one two  three'}, {words: 2});
//=> [{id: 'd#0', text: 'one two', start: 0, end: 7}, {id: 'd#1', text: 'three', start: 9, end: 14}]
```
*/
export function splitDocument(document: Passage, options: SplitOptions = {}): PassagePiece[] {
	checkPassage('document', document);
	const {words, overlap, wrap} = checkedSplit(options);
	const {starts, ends, texts} = callSync(() => native.splitDocument(document.text, words, overlap, wrap));
	return texts.map((text, i) => ({
		id: `${document.id}#${i}`,
		text,
		...(document.title === undefined ? {} : {title: document.title}),
		start: starts[i]!,
		end: ends[i]!,
	}));
}
