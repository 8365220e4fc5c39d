// The line protocol of benches/qps/encoding for systems on Node: one JSON request a line, one JSON reply a line.
import {readFileSync, writeFileSync} from 'node:fs';
import {answer, cpuNanos} from '../../node-server.mjs';

export {packages, versionOf} from '../../node-server.mjs';

/**
Answers until the input ends. An engine has `version`, `open({model, maxTokens})`; `tokenise(texts)`, which resolves to a list of
ids without special tokens of each text; `encode(texts)`, which resolves to a `Float32Array` `[texts, dim]`.
*/
export async function serve(engine) {
	let opened;
	await answer({
		describe: async () => ({version: `${engine.version}, Node ${process.version}`}),
		async work({model, maxTokens, task, texts: file, found}) {
			if (opened !== `${model} ${maxTokens}`) {
				await engine.open({model, maxTokens});
				opened = `${model} ${maxTokens}`;
			}
			const texts = readFileSync(file, 'utf8').trimEnd().split('\n');
			const queryNanos = [];
			let made = [];
			const [began, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
			if (task === 'one') {
				for (const text of texts) {
					const start = performance.now();
					made.push(await engine.encode([text]));
					queryNanos.push(Math.round((performance.now() - start) * 1e6));
				}
			} else {
				made = await (task === 'tokenise' ? engine.tokenise(texts) : engine.encode(texts));
			}
			const wallNanos = Number(process.hrtime.bigint() - began);
			const spent = cpuNanos(cpu);
			if (found) {
				writeFileSync(found, bytesOf(task, made));
			}
			return {wallNanos, cpuNanos: spent, queryNanos};
		},
	});
}

function bytesOf(task, made) {
	if (task === 'tokenise') {
		return new Uint8Array(Uint32Array.from(made.flatMap(ids => [ids.length, ...ids])).buffer);
	}
	return Buffer.concat((task === 'one' ? made : [made]).map(part => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)));
}
