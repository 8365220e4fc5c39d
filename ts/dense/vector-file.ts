import {checkOneOf, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Binding} from '../core/native/native.ts';
import {type OptionNames, callNames, optionNames} from '../core/options.ts';
import type {CallOptions} from '../core/types.ts';
import {idBatch} from './batches.ts';

/**
Files of vectors. `auto` looks at the content, and at the name only where that says nothing.

- `npy`: a NumPy array `[rows, dim]` of 16-, 32- or 64-bit floating point numbers, in C order.
- `raw`: 32-bit floating point numbers, row-major, and nothing else; named `.f32`, `.raw` or `.bin`.
- `safetensors`: a tensor `[rows, dim]`, also of bfloat16.
- `parquet`: a column of lists of equal length, of 16-, 32- or 64-bit floating point numbers.
- `arrow`: the same in an Arrow IPC file or stream, as Feather 2 is one.
- `fvecs`: rows of a 32-bit length and as many 32-bit numbers; named `.fvecs`.
*/
export type VectorFileFormat = 'auto' | 'npy' | 'raw' | 'safetensors' | 'parquet' | 'arrow' | 'fvecs';

const formats: readonly VectorFileFormat[] = ['auto', 'npy', 'raw', 'safetensors', 'parquet', 'arrow', 'fvecs'];

/**
How a file of vectors is read, and where their ids come from: `idColumn`, `ids` or `idsPath`, of which one may be given,
or else the positions of the rows: `0`, `1`, ….
*/
export interface VectorFileOptions extends CallOptions {
	/** @default 'auto' */
	readonly format?: VectorFileFormat | undefined;
	/** Name of the tensor in a safetensors file. @default its only one of two dimensions */
	readonly tensor?: string | undefined;
	/** Name of the column of vectors in a Parquet or Arrow file. @default its only column of lists of floating point numbers */
	readonly column?: string | undefined;
	/** A column of strings or whole numbers in the Parquet or Arrow file. */
	readonly idColumn?: string | undefined;
	readonly ids?: readonly string[] | undefined;
	/** A file of ids: a JSON array of strings or whole numbers if it begins with `[`, else a text with one on each line. */
	readonly idsPath?: string | undefined;
	/** Put before every id. @default '' */
	readonly prefix?: string | undefined;
}

/** The names of `VectorFileOptions`, for calls with additional options. */
export const fileNames = {format: true, tensor: true, column: true, idColumn: true, ids: true, idsPath: true, prefix: true} as const;
export const fileOptions: OptionNames = optionNames<VectorFileOptions>({...callNames, ...fileNames});

interface NativeSource {
	readonly options: Binding.NativeVectorFileOptions;
	readonly ids: Binding.VectorBatch | undefined;
}

/** @internal The options as the addon takes them, the ids copied. */
export async function vectorSource(what: string, path: string, options: VectorFileOptions): Promise<NativeSource> {
	const {format = 'auto', prefix = '', ids, signal} = options;
	checkString(`${what}: path`, path);
	checkOneOf('format', format, formats);
	checkString('prefix', prefix);
	const named: {tensor?: string; column?: string; idColumn?: string; idsPath?: string} = {};
	for (const name of ['tensor', 'column', 'idColumn', 'idsPath'] as const) {
		const value = options[name];
		if (value !== undefined) {
			checkString(name, value);
			named[name] = value;
		}
	}
	const sources = (['idColumn', 'ids', 'idsPath'] as const).filter(name => options[name] !== undefined);
	if (sources.length > 1) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ids from one of idColumn, ids and idsPath, got ${sources.join(' and ')}`);
	}
	return {options: {format, prefix, ...named}, ids: ids === undefined ? undefined : await idBatch(`${what}: ids`, ids, signal)};
}
