/** Builds a flat and an HNSW index from vectors that a Python program saved with `numpy.save`, and a text file of their ids. */
import {writeFile} from 'node:fs/promises';
import {FlatIndex, HnswIndex} from 'passagekit';

// In Python: np.save('vectors.npy', vectors) and open('ids.txt', 'w').write('\n'.join(ids)). This program writes the same files itself.
await writeFile('./vectors.npy', npy(Float32Array.of(1, 0, 0, 1, 1, 1), [3, 2]));
await writeFile('./ids.txt', 'east\nnorth\nnortheast\n');

const flat = await FlatIndex.build('./flat.pkflat', './vectors.npy', {idsPath: './ids.txt'});
flat.close();
await using graph = await HnswIndex.build('./graph.pkhnsw', './flat.pkflat');
console.log(graph.size, 'vectors of', graph.dim, 'dimensions');
console.log(await graph.search(Float32Array.of(1, 2), {k: 2}));

/** Returns a NumPy file, version 1.0: magic number, version, length of the header, header, and the numbers in C order (row by row). */
function npy(numbers: Float32Array, shape: readonly number[]): Buffer {
	const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
	// The header ends with a newline, and the numbers start at a multiple of 64 bytes.
	const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
	const head = Buffer.alloc(10);
	head.write('\u0093NUMPY\u0001\u0000', 'latin1');
	head.writeUInt16LE(padded.length, 8);
	return Buffer.concat([head, Buffer.from(padded, 'latin1'), Buffer.from(numbers.buffer)]);
}
