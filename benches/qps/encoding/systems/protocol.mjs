// The line protocol of benches/qps/encoding for systems in Node: one line of JSON per request, one per reply. README.md
// lists the requests. `serve` does everything except tokenizing and encoding, which its argument does: an object called
// the engine.
import {readFileSync, writeFileSync} from 'node:fs';
import {answer, cpuNanos} from '../../servers/node-server.mjs';

export {requirePeer, versionOf} from '../../servers/node-server.mjs';

/**
Answers requests until the input ends. An engine has:

- `version`: a string.
- `open({model, maxTokens})`: loads the model in a folder. Texts are truncated to `maxTokens` tokens.
- `tokenize(texts)`: resolves to a list of token ids per text, without special tokens.
- `encode(texts)`: resolves to a `Float32Array` `[texts, dim]`.
*/
export async function serve(engine) {
	let opened;
	await answer({
		describe: async () => ({version: `${engine.version}, Node ${process.version}`}),
		async work({model, maxTokens, task, texts: file, output}) {
			if (opened !== `${model} ${maxTokens}`) {
				await engine.open({model, maxTokens});
				opened = `${model} ${maxTokens}`;
			}
			const texts = readFileSync(file, 'utf8').trimEnd().split('\n');
			const queryNanos = [];
			let results = [];
			const [start, cpuStart] = [process.hrtime.bigint(), process.cpuUsage()];
			if (task === 'one') {
				for (const text of texts) {
					const textStart = performance.now();
					results.push(await engine.encode([text]));
					queryNanos.push(Math.round((performance.now() - textStart) * 1e6));
				}
			} else {
				results = await (task === 'tokenise' ? engine.tokenize(texts) : engine.encode(texts));
			}
			const wallNanos = Number(process.hrtime.bigint() - start);
			const cpu = cpuNanos(cpuStart);
			if (output) {
				writeFileSync(output, bytesOf(task, results));
			}
			return {wallNanos, cpuNanos: cpu, queryNanos};
		},
	});
}

/** Converts the results of a task to the content of the file `output` of a request. */
function bytesOf(task, results) {
	if (task === 'tokenise') {
		return new Uint8Array(Uint32Array.from(results.flatMap(ids => [ids.length, ...ids])).buffer);
	}
	const matrices = task === 'one' ? results : [results];
	return Buffer.concat(matrices.map(({buffer, byteOffset, byteLength}) => new Uint8Array(buffer, byteOffset, byteLength)));
}
