/** Writes files. All TypeScript code writes files through `replaceFile`. */
import {callNative, native} from '../native/native.ts';
import type {CallOptions} from '../types.ts';

/**
Writes a file atomically: to a temporary file next to it, which is then renamed. Symbolic links are followed and kept; the new
file has the mode of the old one, and its owner and group where the system permits. To a FIFO, a character device or
`/dev/fd/N` the content is written directly; the signal ends the wait for a reader. Fails with `ERR_IO` for a folder, a block
device, a socket or a loop of links, and on any other system error.
*/
export async function replaceFile(path: string, content: string | Uint8Array, {signal}: CallOptions = {}): Promise<void> {
	const bytes = typeof content === 'string' ? Buffer.from(content) : content;
	await callNative({signal}, control => native.writeFile(path, bytes, control));
}
