/**
Reads text files as documents: a folder of `.txt` and `.md` files, or one such file. The files are found and decoded in the same way as by
`readPassages`.
*/
import {RetrievalError} from '../../core/errors.ts';
import {callNative, native} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';
import type {SourceDocument} from './source-document.ts';

interface TextOptions extends CallOptions {
	readonly skipBadLines: boolean;
	readonly maxDocumentBytes: number;
	readonly onSkipped: ((files: number) => void) | undefined;
}

/** Number of documents per call of the addon; small, because a document may be large. */
const BATCH_SIZE = 16;
/** More words than a file can have, so that no file is split. */
const MAX_WORDS = 2 ** 31 - 1;

/**
Streams the files of a folder in the order of their paths. The id of a document is its path relative to the folder. Files without words are
left out.
*/
export async function* textDocuments(path: string, options: TextOptions): AsyncGenerator<SourceDocument, void, undefined> {
	const {signal, onProgress, onSkipped, skipBadLines, maxDocumentBytes} = options;
	const split = {words: MAX_WORDS, overlap: 0, wrap: false};
	// Each document is read as one passage. Its size includes the title and the id, hence the additional 1 MiB.
	const file = {format: 'text', skipBadLines, split, maxDocumentBytes, maxPassageBytes: maxDocumentBytes + (1 << 20)};
	const reader = await callNative({signal, onProgress}, async control => native.openPassages(path, file, control));
	for (;;) {
		const batch = await callNative({signal, onProgress}, async control => reader.next(BATCH_SIZE, control));
		for (const {id, title, text} of batch) {
			if (!id.endsWith('#0')) {
				throw new RetrievalError('ERR_FORMAT', `${path}: ${id}: expected a text of at most ${MAX_WORDS} words`);
			}
			yield {id: id.slice(0, -'#0'.length), ...(title ? {title} : {}), text};
		}
		if (batch.length < BATCH_SIZE) {
			break;
		}
	}
	await onSkipped?.(reader.skipped);
}
