/** Converts lists of tokens between one array per vector and the flat columns that native code takes and returns. */
import {isUint32Array} from 'node:util/types';
import {checkCount, isArray, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Binding} from '../../core/native/native.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';

/** Number of tokens converted between two checks of the time budget. */
const TOKENS_PER_SLICE = 1024;

/**
Results for several vectors as columns, in which the entries of one vector follow those of the previous vector. The column `numbers` has
token ids or ranks, depending on the native function that returned it.
*/
export type TokenColumns = Binding.NativeTokens;

/** Lists of token ids, one per vector, as native code takes them. */
export interface TokenLists {
	/** The ids of all vectors, one list after another. */
	readonly tokens: Uint32Array;
	/** The length of each vector's list. */
	readonly counts: Uint32Array;
}

/** Throws unless `lists` has one list of ids for each of `rows` vectors. `joinLists` checks the ids themselves. */
export function checkTokenLists(lists: unknown, rows: number): asserts lists is readonly ArrayLike<number>[] {
	if (!isArray(lists) || lists.length !== rows) {
		const got = isArray(lists) ? `${lists.length}` : kindOf(lists);
		throw new RetrievalError('ERR_ARGUMENT', `tokens: expected an array of ids for each of ${rows} vectors, got ${got}`);
	}
	for (const [row, list] of lists.entries()) {
		if (!isArray(list) && !isUint32Array(list)) {
			throw new RetrievalError('ERR_ARGUMENT', `tokens[${row}]: expected an array of ids or a Uint32Array, got ${shown(list)}`);
		}
	}
}

/** Joins the lists from `from` to `to` (exclusive) into columns. Throws if an id is not below `size`. */
export async function joinLists(lists: readonly ArrayLike<number>[], from: number, to: number, size: number): Promise<TokenLists> {
	const slice = lists.slice(from, to);
	const counts = Uint32Array.from(slice, list => list.length);
	const tokens = new Uint32Array(slice.reduce((sum, list) => sum + list.length, 0));
	let at = 0;
	for (const [row, list] of slice.entries()) {
		for (let i = 0; i < list.length; i++) {
			if (at % TOKENS_PER_SLICE === 0) {
				await yieldIfOverBudget();
			}
			checkCount(`tokens[${from + row}][${i}]`, list[i], 0, size - 1);
			tokens[at++] = list[i]!;
		}
	}
	return {tokens, counts};
}

/** Calls `make` with each vector's range of entries in the columns, and returns its results. */
export async function splitColumns<T>(columns: TokenColumns, make: (from: number, to: number) => T): Promise<T[]> {
	const results: T[] = [];
	let from = 0;
	let tokensSinceCheck = TOKENS_PER_SLICE;
	for (const count of columns.counts) {
		if (tokensSinceCheck >= TOKENS_PER_SLICE) {
			await yieldIfOverBudget();
			tokensSinceCheck = 0;
		}
		results.push(make(from, from + count));
		from += count;
		tokensSinceCheck += count + 1;
	}
	return results;
}
