// Encodes the passages and the questions of `dpr-table` on one core, measures how long this takes, and writes the
// vectors to files.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {prepareCorpus, prepareQueries} from '../bm25/data/data.ts';
import {cache, qpsFolder, shared} from '../harness/folders.ts';
import type {Options} from '../harness/suite.ts';
import {System} from '../harness/system.ts';
import type {Definition, Encoded, Encoding} from './definition.ts';

/** The folder of the encoder's server, relative to benches/qps. */
export const ENCODER = 'dpr/systems/encoder';

/** The vectors of the passages (`rows`) and of the questions (`queries`), as files of little-endian f32 rows. */
export interface VectorFiles {
	readonly rows: string;
	readonly queries: string;
}

/**
Encodes the passages and the questions, even if files of vectors exist, so that the time is measured in this run.
`counts` has the numbers of texts to encode, from the start of each file; if it has no number of passages, all passages
are encoded. Fails if the encoder could not be set up.
*/
export async function encodeTexts(
	{corpus, queries, model}: Definition,
	counts: {readonly passages?: number; readonly questions: number},
	{failed, say}: Options,
): Promise<readonly [Encoded, VectorFiles]> {
	const failure = failed.get(ENCODER);
	if (failure) {
		throw new Error(`the encoder: ${failure}`);
	}
	const folder = join(cache, 'dpr', corpus);
	mkdirSync(folder, {recursive: true});
	const texts = {passages: (await prepareCorpus(corpus, say)).raw, questions: (await prepareQueries(queries, say)).raw};
	const files = {rows: join(folder, 'passages.f32'), queries: join(folder, 'questions.f32')};
	const system = new System(join(qpsFolder, ENCODER));
	try {
		const version = await system.version();
		const encode = async (what: 'passages' | 'questions', out: string, single: boolean): Promise<Encoding> => {
			say(`encoding ${what} …`);
			const request = {model: join(shared, model), texts: texts[what], count: counts[what], single, threads: 1, out};
			return system.ask<Encoding>({verb: 'encode', ...request});
		};
		const passages = await encode('passages', files.rows, false);
		return [{version, passages, questions: await encode('questions', files.queries, true)}, files];
	} finally {
		await system.close();
	}
}
