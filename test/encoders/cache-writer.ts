// A program that encodes texts with a `FileVectorCache` until it is killed. After every 500 texts, it prints the number of cached vectors.
import {FileVectorCache, createEncoder} from '../../ts/index.ts';
import {DIM, vectorOf} from './embedding-server.ts';

const cache = await FileVectorCache.open(process.argv[2]!, {dim: DIM});
const encoder = createEncoder(async texts => texts.map(vectorOf), {dim: DIM, identity: 'test', batchSize: 50, cache});
for (let i = 0; ; i++) {
	await encoder.encode(Array.from({length: 500}, (_, j) => `text ${i * 500 + j}`));
	console.log(cache.size);
}
