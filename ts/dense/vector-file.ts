/** The file formats of vectors, and the options for reading them. */
import {checkOneOf, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Binding} from '../core/native/native.ts';
import {type OptionNames, callNames, optionNames} from '../core/options.ts';
import type {CallOptions} from '../core/types.ts';
import {idBatch} from './batches.ts';

/**
File formats of vectors. `auto` detects the format from the content, or from the extension of the file if the content is ambiguous.

- `npy`: a NumPy array `[rows, dim]` of 16-, 32- or 64-bit floating-point numbers, in C order.
- `raw`: 32-bit floating-point numbers, row-major, without a header; detected by the extension `.f32`, `.raw` or `.bin`.
- `safetensors`: a tensor `[rows, dim]` of 16-, 32- or 64-bit floating-point numbers or of bfloat16.
- `parquet`: a column of lists of equal length, of 16-, 32- or 64-bit floating-point numbers.
- `arrow`: the same column in an Arrow IPC file or stream, which includes Feather version 2.
- `fvecs`: each row is a 32-bit integer, the dimension of the vector, followed by that number of 32-bit floating-point numbers; detected
  by the extension `.fvecs`.
*/
export type VectorFileFormat = 'auto' | 'npy' | 'raw' | 'safetensors' | 'parquet' | 'arrow' | 'fvecs';

const formats: readonly VectorFileFormat[] = ['auto', 'npy', 'raw', 'safetensors', 'parquet', 'arrow', 'fvecs'];

/**
How a file of vectors is read. The ids come from `idColumn`, `ids` or `idsPath`; at most one of these options may be given. If none is
given, the ids are the positions of the rows: `0`, `1`, ….
*/
export interface VectorFileOptions extends CallOptions {
	/** Format of the file. @default 'auto' */
	readonly format?: VectorFileFormat | undefined;
	/** Name of the tensor in a safetensors file. @default the only tensor with two dimensions */
	readonly tensor?: string | undefined;
	/** Name of the column of vectors in a Parquet or Arrow file. @default the only column of lists of floating-point numbers */
	readonly column?: string | undefined;
	/** Name of the column of ids in a Parquet or Arrow file: strings or whole numbers. */
	readonly idColumn?: string | undefined;
	/** The ids, one per row of the file. */
	readonly ids?: readonly string[] | undefined;
	/** Path of a file of ids: a JSON array of strings or whole numbers if it begins with `[`, otherwise one id per line. */
	readonly idsPath?: string | undefined;
	/** Prepended to every id. @default '' */
	readonly prefix?: string | undefined;
}

/** The names of `VectorFileOptions`, for calls that spread them into their own option names. */
export const fileNames = {format: true, tensor: true, column: true, idColumn: true, ids: true, idsPath: true, prefix: true} as const;
export const fileOptions: OptionNames = optionNames<VectorFileOptions>({...callNames, ...fileNames});

interface NativeSource {
	readonly options: Binding.NativeVectorFileOptions;
	readonly ids: Binding.VectorBatch | undefined;
}

/** @internal Checks the options and converts them for the addon. The ids are copied. */
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
