/**
Makes variants of the project's ONNX models for tests: without some outputs, with a different configuration, or with
different weights.

ONNX files are protocol buffers. A message is a sequence of fields in any order, and each field is a key (field number · 8 +
wire type) followed by a value. The field numbers below come from `onnx.proto`.
*/
import {copyFile, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

/** `ModelProto.graph` */
const GRAPH = 7;
/** `GraphProto.output` */
const OUTPUT = 12;
/** `ValueInfoProto.name`, the name of an output */
const OUTPUT_NAME = 1;
/** `GraphProto.initializer`, the weights */
const INITIALIZER = 5;
/** `TensorProto.name` */
const TENSOR_NAME = 8;
/** `TensorProto.raw_data` */
const RAW_DATA = 9;

/**
Copies one of the project's models to a new folder, without some of its outputs, and returns the folder's path. `config` is the
content of the new `config.json`.
*/
export async function modelWithoutOutputs(t: ExecutionContext, model: string, outputs: readonly string[], config = '{}'): Promise<string> {
	const from = join(packageRoot, 'models', model);
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-model-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await copyFile(join(from, 'tokenizer.json'), join(folder, 'tokenizer.json'));
	await writeFile(join(folder, 'config.json'), config);
	await writeFile(join(folder, 'model.onnx'), withoutOutputs(await readFile(join(from, 'model.onnx')), outputs));
	return folder;
}

/** Copies one of the project's models to a new folder, with a different `config.json`, and returns the folder's path. */
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

/**
Copies one of the project's models to a new folder and returns the folder's path. `change` receives the values of one tensor of
weights and changes them in place.
*/
export async function modelWithNumbers(
	t: ExecutionContext,
	model: string,
	tensor: string,
	change: (values: Float32Array) => void,
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
	// A copy, because the tensor may start at an offset in the file that is not a multiple of four bytes.
	const values = new Float32Array(Uint8Array.from(raw).buffer);
	change(values);
	raw.set(new Uint8Array(values.buffer));
	await writeFile(join(folder, 'model.onnx'), bytes);
	return folder;
}

/** Returns an ONNX file without these outputs of its graph. */
function withoutOutputs(model: Buffer, outputs: readonly string[]): Buffer {
	const edited = fields(model).map(({number, bytes, value}) =>
		number === GRAPH
			? encodedField(
					GRAPH,
					Buffer.concat(
						fields(value)
							.filter(isKept)
							.map(({bytes}) => bytes),
					),
				)
			: bytes,
	);
	return Buffer.concat(edited);

	function isKept({number, value}: Field): boolean {
		return (
			number !== OUTPUT ||
			!outputs.includes(
				fields(value)
					.find(({number}) => number === OUTPUT_NAME)!
					.value.toString(),
			)
		);
	}
}

/** A field of a protocol buffers message. */
interface Field {
	readonly number: number;
	/** The whole field: the key, the length if the wire type has one, and the value. */
	readonly bytes: Buffer;
	readonly value: Buffer;
}

/** Returns the fields of a message. The buffers of the fields are views of the message. */
function fields(message: Buffer): Field[] {
	const found: Field[] = [];
	for (let start = 0; start < message.length; ) {
		const [key, afterKey] = varint(message, start);
		const type = key % 8;
		let [length, at] = [0, afterKey];
		// Wire types: 0 is a varint, 1 has eight bytes, 2 begins with its length, 5 has four bytes.
		if (type === 0) {
			length = varint(message, at)[1] - at;
		} else if (type === 2) {
			[length, at] = varint(message, at);
		} else {
			length = type === 1 ? 8 : 4;
		}
		found.push({number: Math.floor(key / 8), bytes: message.subarray(start, at + length), value: message.subarray(at, at + length)});
		start = at + length;
	}
	return found;
}

/** Reads the variable-length integer (varint) at an offset. Returns its value and the offset after it. */
function varint(bytes: Buffer, start: number): [value: number, after: number] {
	let value = 0;
	for (let at = start; ; at++) {
		value += (bytes[at]! & 0x7f) * 2 ** (7 * (at - start));
		if (bytes[at]! < 0x80) {
			return [value, at + 1];
		}
	}
}

/** Encodes a field of wire type 2, which begins with its length. */
function encodedField(number: number, value: Buffer): Buffer {
	return Buffer.concat([Buffer.from([...toVarint(number * 8 + 2), ...toVarint(value.length)]), value]);
}

function toVarint(value: number): number[] {
	return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...toVarint(Math.floor(value / 0x80))];
}
