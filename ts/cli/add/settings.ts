/** Checks that an existing collection agrees with the flags of `passagekit add` that describe a new collection. */
import {join} from 'node:path';
import type {CollectionStats} from '../../collection/index.ts';
import {parts} from '../../collection/manifest.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Analyzer} from '../../sparse/analyzer.ts';
import {Bm25Index} from '../../sparse/index.ts';

/** The flags that describe a new collection; `undefined` for flags that were not given. `split` is true unless `--no-split` was given. */
interface GivenSettings {
	readonly encoder: string | false | undefined;
	readonly analyzer: Analyzer | undefined;
	readonly words: number | undefined;
	readonly overlap: number | undefined;
	readonly split: boolean;
}

/**
Fails with `ERR_ARGUMENT` if a flag differs from a setting of the collection, or with `ERR_ANALYZER_MISMATCH` if the analyzers differ.
Whether `--encoder` names the collection's own encoder is checked only when the encoder is loaded.
*/
export async function checkSettings(folder: string, {split, encoder}: CollectionStats, given: GivenSettings): Promise<void> {
	const refuse = (flag: string, expected: string, got: string): never => {
		throw new RetrievalError('ERR_ARGUMENT', `add: ${flag}: expected ${expected}, the setting of ${folder}, got ${got}`);
	};
	if (given.encoder === false && encoder !== undefined) {
		refuse('--no-encoder', `the encoder ${encoder.model ?? encoder.identity ?? 'of the program'}`, 'none');
	}
	if (typeof given.encoder === 'string' && encoder === undefined) {
		refuse('--encoder', 'none', given.encoder);
	}
	if (!given.split && split !== false) {
		refuse('--no-split', `passages of ${split.words} words`, 'whole documents');
	}
	for (const name of ['words', 'overlap'] as const) {
		const value = given[name];
		if (value !== undefined && (split === false || split[name] !== value)) {
			refuse(`--${name}`, split === false ? '--no-split' : String(split[name]), String(value));
		}
	}
	if (given.analyzer !== undefined) {
		const index = await Bm25Index.open(join(folder, parts.bm25), {analyzer: given.analyzer});
		index.close();
	}
}
