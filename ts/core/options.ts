/**
Checks the options of calls. Each call lists the names of its options with `optionNames`, and the compiler compares the list with the
type of the options. Unknown names are rejected, because a misspelled option would otherwise be silently ignored.
*/
import {checkFunction, hasMethods, isArray, isInstance, isObject, kindOf} from './checks.ts';
import {RetrievalError} from './errors.ts';

/** The names of the properties of a type; for a union, of all its members. */
type NamesOf<T> = T extends unknown ? keyof T : never;

export type OptionNames = ReadonlySet<string>;

/** The option names of `CallOptions`, for calls that spread them into their own option names. */
export const callNames = {signal: true, onProgress: true} as const;

/** Returns the names of the options of type `T`. The argument does not compile if a name is missing or unknown. */
export function optionNames<T extends object>(names: Readonly<Record<NamesOf<T> & string, true>>): OptionNames {
	return new Set(Object.keys(names));
}

/** The names of `CallOptions`, for calls without other options. */
export const callOptions: OptionNames = new Set(Object.keys(callNames));
export const signalOption: OptionNames = new Set(['signal']);

/**
Throws if `options` is not an object or has an option that is not in `names`. `undefined` means no options. An unknown option is accepted
if its value is `undefined`, because spreading objects creates such options. Also checks `signal` and `onProgress`. `call` is the name
of the call, with which error messages start.
*/
export function checkOptions(call: string, options: unknown, names: OptionNames): void {
	if (options !== undefined) {
		checkRequiredOptions(call, options, names);
	}
}

/** Checks options that must be given, such as those of a constructor. */
export function checkRequiredOptions(call: string, options: unknown, names: OptionNames): void {
	// Not `checkObject`: building its argument `expected` would cost more than the check.
	if (!isObject(options) || isArray(options)) {
		throw new RetrievalError('ERR_ARGUMENT', `${call}: expected options {${[...names].join(', ')}}, got ${kindOf(options)}`);
	}
	try {
		for (const name of Object.keys(options)) {
			if (!names.has(name) && options[name] !== undefined) {
				refuseOption(call, name, names);
			}
		}
		const {signal, onProgress} = options;
		if (signal !== undefined && names.has('signal')) {
			checkSignal(signal);
		}
		if (onProgress !== undefined && names.has('onProgress')) {
			checkFunction('onProgress', onProgress);
		}
	} catch (error) {
		throw error instanceof RetrievalError ? error : unreadable(call, error);
	}
}

/** Accepts an `AbortSignal`, or one of another realm or a polyfill if it has all members that this package uses. */
export function checkSignal(signal: unknown): void {
	if (signal === undefined || isInstance(signal, AbortSignal)) {
		return;
	}
	const isUsable = hasMethods(signal, 'addEventListener', 'removeEventListener', 'throwIfAborted');
	if (!isUsable || typeof (signal as {readonly aborted?: unknown}).aborted !== 'boolean') {
		throw new RetrievalError('ERR_ARGUMENT', `signal: expected an AbortSignal, got ${kindOf(signal)}`);
	}
}

function unreadable(call: string, error: unknown): RetrievalError {
	return new RetrievalError('ERR_ARGUMENT', `${call}: expected options that can be read, got an object that throws`, {cause: error});
}

/** Option or operator of this package → the names that other libraries use for it, in lower case. Error messages then suggest our name. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
	k: ['topk', 'limit', 'size', 'n', 'count', 'top', 'max', 'maxresults', 'nresults', 'numresults', 'hits'],
	efSearch: ['ef', 'efruntime'],
	efConstruction: ['efc', 'efconstruct'],
	m: ['maxconnections', 'maxconn'],
	dim: ['dimension', 'dimensions', 'dims'],
	similarity: ['metric', 'space', 'distance'],
	filter: ['filters', 'where'],
	signal: ['abortsignal', 'abort'],
	onProgress: ['progress'],
	threads: ['numthreads', 'nthreads', 'workers', 'parallelism'],
	normalize: ['normalise', 'normalization', 'unitlength'],
	equals: ['eq', 'is'],
	in: ['any', 'anyof', 'oneof'],
	not: ['ne', 'neq', 'nin', 'notequals', 'notin'],
	gte: ['ge', 'min', 'from', 'atleast'],
	gt: ['above', 'after', 'greaterthan'],
	lte: ['le', 'max', 'to', 'atmost'],
	lt: ['before', 'below', 'lessthan'],
	prefix: ['beginswith', 'startswith'],
};

function refuseOption(call: string, name: string, names: OptionNames): never {
	const near = nearestName(name, [...names]);
	const hint = near === undefined ? '' : `; did you mean ${near}?`;
	const expected = names.size === 0 ? 'no options' : `options among ${[...names].join(', ')}`;
	throw new RetrievalError('ERR_ARGUMENT', `${call}: expected ${expected}, got "${name}"${hint}`);
}

/**
Returns the name among `names` that the user probably meant by `name`: it differs only in case and punctuation, another library uses `name`
for it, or the edit distance between the two is at most a third of the length of `name`. Returns `undefined` if there is none.
*/
export function nearestName(name: string, names: readonly string[]): string | undefined {
	const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
	const wanted = plain(name);
	const same = names.find(known => plain(known) === wanted || otherNames[known]?.includes(wanted));
	if (same !== undefined || wanted.length > 64) {
		return same;
	}
	const [closest] = names.map(known => ({known, distance: distance(wanted, plain(known))})).sort((a, b) => a.distance - b.distance);
	return closest !== undefined && closest.distance <= Math.floor(wanted.length / 3) ? closest.known : undefined;
}

/** The Levenshtein distance. */
function distance(a: string, b: string): number {
	const row = Array.from({length: b.length + 1}, (_, j) => j);
	for (let i = 1; i <= a.length; i++) {
		let diagonal = row[0]!;
		row[0] = i;
		for (let j = 1; j <= b.length; j++) {
			const substituted = diagonal + Number(a[i - 1] !== b[j - 1]);
			diagonal = row[j]!;
			row[j] = Math.min(substituted, row[j - 1]! + 1, diagonal + 1);
		}
	}
	return row[b.length]!;
}
