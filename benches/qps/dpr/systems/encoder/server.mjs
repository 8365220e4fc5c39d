// passagekit's encoder as a server of benches/qps/dpr: `describe` returns its version; `encode` encodes the texts of a
// file, writes their vectors to another file, and returns the time that encoding took.
import {readFileSync, writeFileSync} from 'node:fs';
import {OnnxEncoder} from '../../../../../dist/ts/index.js';
import {answer, cpuNanos} from '../../../servers/node-server.mjs';

const {version} = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'));

await answer({
	describe: async () => ({version: `${version}, Node ${process.version}`}),
	/**
	Encodes the first `count` lines of the file `texts` (`id<TAB>text[<TAB>title]`) with the model in the folder `model`,
	and writes the vectors to the file `out` as little-endian f32 rows. With `single`, each text is encoded in a call of
	its own, as a user's question is.
	*/
	async encode({model, texts, count, single, threads, out}) {
		const lines = readFileSync(texts, 'utf8').trimEnd().split('\n');
		const inputs = lines.slice(0, count).map(line => {
			const [, text, title] = line.split('\t');
			return {text, title};
		});
		const encoder = await OnnxEncoder.load(model, {threads});
		// A warm-up: the first runs of an ONNX session are slower, because the session plans its memory during them.
		await encoder.encode(inputs.slice(0, 8));
		const [start, cpuStart] = [performance.now(), process.cpuUsage()];
		const encoded = [];
		for (const input of single ? inputs : [inputs]) {
			encoded.push(await encoder.encode([input].flat()));
		}
		const reply = {seconds: (performance.now() - start) / 1000, cpuSeconds: cpuNanos(cpuStart) / 1e9};
		encoder.close();
		writeFileSync(out, Buffer.concat(encoded.map(({data}) => Buffer.from(data.buffer, data.byteOffset, data.byteLength))));
		return {...reply, texts: lines.length, rows: inputs.length, dim: encoded[0].dim};
	},
});
