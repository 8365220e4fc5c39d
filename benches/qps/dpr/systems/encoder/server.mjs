// passagekit's encoder behind a line protocol: `describe`, and `encode`, which writes vectors of a file's lines.
import {readFileSync, writeFileSync} from 'node:fs';
import {OnnxEncoder} from '../../../../../dist/ts/index.js';
import {answer, cpuNanos} from '../../../node-server.mjs';

const {version} = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'));

await answer({
	describe: async () => ({version: `${version}, Node ${process.version}`}),
	/**
	The first `count` lines of `texts`, `id<TAB>text[<TAB>title]`, through `model`: to `out` as little-endian f32 rows. With
	`single`, each is a call of its own, as a question is that somebody asks.
	*/
	async encode({model, texts, count, single, threads, out}) {
		const lines = readFileSync(texts, 'utf8').trimEnd().split('\n');
		const inputs = lines.slice(0, count).map(line => {
			const [, text, title] = line.split('\t');
			return {text, title};
		});
		const encoder = await OnnxEncoder.load(model, {threads});
		// The first runs of a session make its plans.
		await encoder.encode(inputs.slice(0, 8));
		const [began, cpu] = [performance.now(), process.cpuUsage()];
		const encoded = [];
		for (const input of single ? inputs : [inputs]) {
			encoded.push(await encoder.encode([input].flat()));
		}
		const reply = {seconds: (performance.now() - began) / 1000, cpuSeconds: cpuNanos(cpu) / 1e9};
		encoder.close();
		writeFileSync(out, Buffer.concat(encoded.map(({data}) => Buffer.from(data.buffer, data.byteOffset, data.byteLength))));
		return {...reply, texts: lines.length, rows: inputs.length, dim: encoded[0].dim};
	},
});
