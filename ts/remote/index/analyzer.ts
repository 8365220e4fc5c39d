/**
Turns texts into terms with this package's own analyzers. A remote index stores these terms, and its own analyzer only splits them at
spaces, so a text has the same terms there as in an embedded index.
*/
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Bm25Index, Bm25Writer, type Analyzer, type AnalyzerDescription} from '../../sparse/index.ts';

/** An analyzer. */
export class TermAnalyzer {
	/** An index without passages, which has the analyzer. */
	readonly #index: Bm25Index;

	private constructor(index: Bm25Index) {
		this.#index = index;
	}

	/** Loads an analyzer. */
	static async open(analyzer: Analyzer): Promise<TermAnalyzer> {
		const folder = await mkdtemp(join(tmpdir(), 'passagekit-analyzer-'));
		try {
			const writer = await Bm25Writer.create(folder, {analyzer, overwrite: true});
			await writer.close();
			return new TermAnalyzer(await Bm25Index.open(folder, {inMemory: true}));
		} finally {
			await rm(folder, {recursive: true, force: true});
		}
	}

	/** The name, the options and the version of the analyzer. */
	get description(): AnalyzerDescription {
		return this.#index.analyzer;
	}

	/** Returns the terms of a text, in order. */
	terms(text: string): string[] {
		return this.#index.terms(text);
	}

	/** Returns the terms of a passage, separated by spaces. Title and text are one text, as in an embedded index. */
	termsOf({title, text}: {readonly title: string; readonly text: string}): string {
		return this.terms(title === '' ? text : `${title} ${text}`).join(' ');
	}

	/** Releases the analyzer. */
	close(): void {
		this.#index.close();
	}
}
