/**
Makes variants of the project's ONNX models for tests: without some outputs, with another configuration, or with other weights.

ONNX files are protocol buffers: fields in any order, each with a key (number · 8 + wire type) and a value. The field numbers
come from `onnx.proto`: `ModelProto.graph` is 7, `GraphProto.output` 12, a `ValueInfoProto`'s name 1, `GraphProto.initializer` 5, a
`TensorProto`'s name 8 and its `raw_data` 9.
*/
import {copyFile, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

const GRAPH = 7;
const OUTPUT = 12;
const NAME = 1;
const INITIALIZER = 5;
const TENSOR_NAME = 8;
const RAW_DATA = 9;

/** Copies one of the project's models, without some of its outputs, to a new folder and returns the folder's path. */
export async function modelWithoutOutputs(t: ExecutionContext, model: string, outputs: readonly string[], config = '{}'): Promise<string> {
	const from = join(packageRoot, 'models', model);
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-model-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await copyFile(join(from, 'tokenizer.json'), join(folder, 'tokenizer.json'));
	await writeFile(join(folder, 'config.json'), config);
	await writeFile(join(folder, 'model.onnx'), withoutOutputs(await readFile(join(from, 'model.onnx')), outputs));
	return folder;
}

/** Copies one of the project's models to a new folder, with another `config.json`, and returns the folder's path. */
export async function modelWithConfig(t: ExecutionContext, model: string, config: Readonly<Record<string, unknown>>): Promise<string> {
	const from = join(packageRoot, 'models', model);
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-model-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	for (const name of ['tokenizer.json', 'model.onnx']) {
		await copyFile(join(from, name), join(folder, name));
	}
	await writeFile(join(folder, 'config.json'), JSON.stringify(config));
	return folder;
}

/** Copies one of the project's encoders to a new folder, changes values of one of its tensors, and returns the folder's path. */
export async function modelWithNumbers(
	t: ExecutionContext,
	model: string,
	tensor: string,
	change: (numbers: Float32Array) => void,
): Promise<string> {
	const from = join(packageRoot, 'models', model);
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-model-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	for (const name of ['tokenizer.json', 'config.json']) {
		await copyFile(join(from, name), join(folder, name));
	}
	const bytes = await readFile(join(from, 'model.onnx'));
	const graph = fields(bytes).find(({number}) => number === GRAPH)!;
	const initializer = fields(graph.value).find(
		({number, value}) =>
			number === INITIALIZER && fields(value).some(({number, value}) => number === TENSOR_NAME && value.toString() === tensor),
	)!;
	const {value: raw} = fields(initializer.value).find(({number}) => number === RAW_DATA)!;
	// Copied, because the bytes in the file need not be aligned to four bytes.
	const numbers = new Float32Array(Uint8Array.from(raw).buffer);
	change(numbers);
	raw.set(new Uint8Array(numbers.buffer));
	await writeFile(join(folder, 'model.onnx'), bytes);
	return folder;
}

function withoutOutputs(model: Buffer, outputs: readonly string[]): Buffer {
	const edited = fields(model).map(({number, whole, value}) =>
		number === GRAPH
			? field(
					GRAPH,
					Buffer.concat(
						fields(value)
							.filter(kept)
							.map(({whole}) => whole),
					),
				)
			: whole,
	);
	return Buffer.concat(edited);

	function kept({number, value}: Field): boolean {
		return (
			number !== OUTPUT ||
			!outputs.includes(
				fields(value)
					.find(({number}) => number === NAME)!
					.value.toString(),
			)
		);
	}
}

interface Field {
	readonly number: number;
	readonly whole: Buffer;
	readonly value: Buffer;
}

function fields(message: Buffer): Field[] {
	const found: Field[] = [];
	for (let start = 0; start < message.length; ) {
		const [key, afterKey] = varint(message, start);
		const type = key % 8;
		let [length, at] = [0, afterKey];
		if (type === 0) {
			length = varint(message, at)[1] - at;
		} else if (type === 2) {
			[length, at] = varint(message, at);
		} else {
			length = type === 1 ? 8 : 4;
		}
		found.push({number: Math.floor(key / 8), whole: message.subarray(start, at + length), value: message.subarray(at, at + length)});
		start = at + length;
	}
	return found;
}

/** Reads a varint at an offset; returns it and the offset after it. */
function varint(bytes: Buffer, start: number): [value: number, after: number] {
	let value = 0;
	for (let at = start; ; at++) {
		value += (bytes[at]! & 0x7f) * 2 ** (7 * (at - start));
		if (bytes[at]! < 0x80) {
			return [value, at + 1];
		}
	}
}

function field(number: number, value: Buffer): Buffer {
	return Buffer.concat([Buffer.from([...toVarint(number * 8 + 2), ...toVarint(value.length)]), value]);
}

function toVarint(value: number): number[] {
	return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...toVarint(Math.floor(value / 0x80))];
}
