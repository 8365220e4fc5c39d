// transformers.js: a feature-extraction pipeline with mean pooling, 32 texts at a time, of similar length.
import {basename, dirname} from 'node:path';
import {pathToFileURL} from 'node:url';
import {packages, serve, versionOf} from '../protocol.mjs';

const {AutoTokenizer, env, pipeline} = await import(pathToFileURL(packages.resolve('@huggingface/transformers')));
const BATCH = 32;
let tokenizer;
let extract;

await serve({
	version: versionOf('@huggingface/transformers'),
	async open({model}) {
		env.allowRemoteModels = false;
		env.localModelPath = dirname(model);
		tokenizer = await AutoTokenizer.from_pretrained(basename(model));
		extract = await pipeline('feature-extraction', basename(model), {
			dtype: 'q8',
			session_options: {intraOpNumThreads: 1, interOpNumThreads: 1},
		});
	},
	tokenise: async texts => texts.map(text => tokenizer.encode(text, {add_special_tokens: false})),
	async encode(texts) {
		const order = texts.map((_, i) => i).sort((a, b) => texts[b].length - texts[a].length);
		let vectors;
		for (let at = 0; at < order.length; at += BATCH) {
			const batch = order.slice(at, at + BATCH);
			const {data, dims} = await extract(
				batch.map(i => texts[i]),
				{pooling: 'mean', normalize: true},
			);
			const dim = dims[1];
			vectors ??= new Float32Array(texts.length * dim);
			batch.forEach((i, row) => vectors.set(data.subarray(row * dim, (row + 1) * dim), i * dim));
		}
		return vectors;
	},
});
