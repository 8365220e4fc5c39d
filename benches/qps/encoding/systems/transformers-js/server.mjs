// transformers.js as a server of benches/qps/encoding: a feature-extraction pipeline with mean pooling, over batches of
// 32 texts of similar length.
import {basename, dirname} from 'node:path';
import {pathToFileURL} from 'node:url';
import {requirePeer, serve, versionOf} from '../protocol.mjs';

const {AutoTokenizer, env, pipeline} = await import(pathToFileURL(requirePeer.resolve('@huggingface/transformers')));
/** The number of texts per batch, the default of Sentence Transformers. */
const BATCH = 32;
let tokenizer;
let extract;

await serve({
	version: versionOf('@huggingface/transformers'),
	// Texts are truncated to the `model_max_length` that ../../data.ts writes to tokenizer_config.json.
	async open({model}) {
		env.allowRemoteModels = false;
		env.localModelPath = dirname(model);
		tokenizer = await AutoTokenizer.from_pretrained(basename(model));
		extract = await pipeline('feature-extraction', basename(model), {
			// Loads onnx/model_quantized.onnx, another name for the graph that all systems run.
			dtype: 'q8',
			session_options: {intraOpNumThreads: 1, interOpNumThreads: 1},
		});
	},
	tokenize: async texts => texts.map(text => tokenizer.encode(text, {add_special_tokens: false})),
	async encode(texts) {
		// The longest texts first, so that the texts of a batch have similar lengths.
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
