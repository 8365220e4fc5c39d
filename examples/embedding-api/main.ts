/** Searches with the vectors of an embedding API. A server in this program stands in for the API and hashes the syllables of words. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {text as bodyOf} from 'node:stream/consumers';
import {Collection, type EmbedFunction, FileVectorCache, createEncoder} from 'passagekit';

let requests = 0;
const server = createServer(async (request, response) => {
	requests += 1;
	const {input} = JSON.parse(await bodyOf(request)) as {input: string[]};
	// The first request gets status 503, as from a busy service. The encoder retries it.
	response.writeHead(requests === 1 ? 503 : 200).end(JSON.stringify({embeddings: input.map(vectorOf)}));
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const embed: EmbedFunction = async (input, {signal}) => {
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/embed`;
	const response = await fetch(url, {method: 'POST', body: JSON.stringify({input}), signal});
	if (!response.ok) {
		throw Object.assign(new Error(await response.text()), {status: response.status, headers: response.headers});
	}
	return ((await response.json()) as {embeddings: number[][]}).embeddings;
};

const cache = await FileVectorCache.open('./vectors.cache', {dim: 64});
const encoder = createEncoder(embed, {dim: 64, identity: 'syllables-64', batchSize: 2, minDelayMs: 10, cache});
const options = {create: true, encoder, vectors: {similarity: 'cosine'}} as const;
const docs = await Collection.open('./docs', options);
await docs.upsert([
	{id: 'typewriter', text: 'A typewriter for braille'},
	{id: 'bridge', text: 'A railway bridge'},
	{id: 'clock', text: 'The clocks of railway stations'},
]);
await docs.commit();
const {hits} = await docs.search('typewriting', {retriever: 'dense', k: 1});
console.log(hits[0]?.document, '·', cache.size, 'vectors in the cache');
await docs.close();

// The collection stores the identity of its encoder, and refuses an encoder with a different identity.
const other = createEncoder(embed, {dim: 64, identity: 'words-64'});
await Collection.open('./docs', {encoder: other}).catch((error: unknown) => console.log((error as {code: string}).code));
await cache.close();
server.close();

/** Returns a vector that counts the syllables of a text. Each syllable is hashed to one of 64 dimensions. */
function vectorOf(text: string): number[] {
	const vector = Array.from({length: 64}, () => 0);
	for (const [syllable] of text.toLowerCase().matchAll(/[^aeiou\s]+[aeiou]*/gu)) {
		const hash = [...syllable].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 64, 7);
		vector[hash]! += 1;
	}
	return vector;
}
