// passagekit's Node API as a server of benches/qps/encoding. The encoder itself makes batches of texts of similar length.
import {readFileSync} from 'node:fs';
import {OnnxEncoder, Tokenizer} from '../../../../../dist/ts/index.js';
import {serve} from '../protocol.mjs';

const {version} = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'));
let tokenizer;
let encoder;

await serve({
	version,
	async open({model, maxTokens}) {
		tokenizer = await Tokenizer.load(model);
		encoder = await OnnxEncoder.load(model, {maxTokens, pooling: 'mean', normalize: true, threads: 1});
	},
	async tokenize(texts) {
		const {ids, offsets} = await tokenizer.tokenizeMany(texts);
		return texts.map((_, i) => ids.subarray(offsets[i], offsets[i + 1]));
	},
	encode: async texts => (await encoder.encode(texts)).data,
});
