// Passages and questions through an encoder, on one core, as files of vectors.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {prepareCorpus, prepareQueries} from '../bm25/data.ts';
import type {Options} from '../part.ts';
import {System, cache, here} from '../system.ts';
import type {Definition, Encoded, Encoding} from './definition.ts';

/** The folder of the encoder's server, below benches/qps. */
export const ENCODER = 'dpr/systems/encoder';

const shared = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');

/** Files of little-endian f32 rows `[rows, dim]`. */
export interface Files {
	readonly rows: string;
	readonly queries: string;
}

/** Encodes anew, so that it is measured. Fails where the encoder was not set up: without vectors there is nothing to compare. */
export async function encoded(
	{corpus, queries, model}: Definition,
	counts: {readonly passages?: number; readonly questions: number},
	{failed, say}: Options,
): Promise<readonly [Encoded, Files]> {
	const failure = failed.get(ENCODER);
	if (failure) {
		throw new Error(`the encoder: ${failure}`);
	}
	const folder = join(cache, 'dpr', corpus);
	mkdirSync(folder, {recursive: true});
	const texts = {passages: (await prepareCorpus(corpus, say)).raw, questions: (await prepareQueries(queries, say)).raw};
	const files = {rows: join(folder, 'passages.f32'), queries: join(folder, 'questions.f32')};
	const system = new System(join(here, ENCODER));
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
