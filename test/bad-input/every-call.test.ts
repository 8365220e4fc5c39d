// Calls every exported function and method with invalid values and checks that errors are typed: an error must be a
// `RetrievalError` with a code other than `ERR_INTERNAL`.
import test from 'ava';
import * as passagekit from '../../ts/index.ts';
import * as remote from '../../ts/remote/index.ts';
import * as studies from '../../ts/studies/index.ts';
import {type ClassSamples, type Samples, makeSamples} from './samples.ts';

const {RetrievalError} = passagekit;

/** All exports of the package, of `passagekit/studies` and of `passagekit/remote`, by name. */
const exports: Readonly<Record<string, unknown>> = {...passagekit, ...studies, ...remote};

/** No call in this test may contact the server from which models are downloaded. */
process.env['PASSAGEKIT_OFFLINE'] = '1';

/** Returns an object that throws on every use. */
function revoked(): object {
	const {proxy, revoke} = Proxy.revocable({}, {});
	revoke();
	return proxy;
}

/** The invalid values. The names are for messages. In some positions, some of the values are valid. */
const badValues: ReadonlyArray<readonly [name: string, value: unknown]> = [
	['undefined', undefined],
	['null', null],
	['5', 5],
	['-1', -1],
	['NaN', Number.NaN],
	["''", ''],
	["'x'", 'x'],
	['true', true],
	['a symbol', Symbol('x')],
	['[]', []],
	['[null]', [null]],
	['[a symbol]', [Symbol('x')]],
	['{}', {}],
	['a Map of nulls', new Map([[null, null]])],
	['a function', () => {}],
	['10n', 10n],
	['a proxy', new Proxy({}, {})],
	['a revoked proxy', revoked()],
	['an object without prototype', Object.create(null)],
];

/** Names of the values above that are valid as options, and then stand for empty options. */
const emptyOptions = new Set(['undefined', '{}', 'a proxy', 'an object without prototype']);

/**
Options that say where a model is found. Every call that has them passes them to the same function. They are not tested on the calls
in `loaders`, because these calls then load the model, which takes time.
*/
const locatingOptions = new Set(['revision', 'offline', 'cacheFolder', 'endpoint', 'token']);
const loaders = new Set(['OnnxEncoder.load', 'ExtractiveReader.load']);

/** Exports that are not called: the error classes accept any arguments on purpose. */
const exempt = new Set(['RetrievalError', 'RemoteWriteError']);

/** Names of the parameters that are objects with options. */
const optionParameters = new Set(['options', 'limits', 'parts', 'encoders', 'explainers', 'length']);

/** A function, method or constructor that is called with valid and invalid arguments. */
interface Call {
	readonly name: string;
	readonly parameters: readonly string[];
	/** Makes valid arguments. */
	readonly args: () => readonly unknown[];
	readonly run: (args: readonly unknown[]) => unknown;
}

/** Returns the names of a function's parameters, as its source text has them. */
function parametersOf(called: Function): string[] {
	const text = Function.prototype.toString.call(called);
	const list = text.slice(text.indexOf('(') + 1);
	const names: string[] = [];
	let [depth, start] = [0, 0];
	for (let at = 0; ; at++) {
		const character = list[at];
		if (character === undefined) {
			throw new Error(`no end of parameters: ${text.slice(0, 80)}`);
		}
		if (depth === 0 && (character === ',' || character === ')')) {
			const name = list.slice(start, at).trim().split(/[\s=]/u)[0]!;
			names.push(...(name === '' ? [] : [name]));
			start = at + 1;
			if (character === ')') {
				return names;
			}
		}
		depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
	}
}

/**
Returns the names of the methods of an object and its prototypes, up to but not including the prototype `end`. Leaves out
`close`, because other tests still use the instance.
*/
function methodsOf(start: object, end: object | null): string[] {
	const names = new Set<string>();
	for (let at: object | null = start; at !== null && at !== end; at = Object.getPrototypeOf(at) as object | null) {
		for (const [name, {value}] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
			if (typeof value === 'function' && !['constructor', 'close', 'prototype'].includes(name)) {
				names.add(name);
			}
		}
	}
	return [...names].toSorted();
}

type Class = (new (...args: readonly unknown[]) => object) & Readonly<Record<string, unknown>>;

/** Returns a call for every function, constructor and method that has samples. */
function callsOf(samples: Samples): Call[] {
	const calls: Call[] = [];
	const addCall = (name: string, called: unknown, self: unknown, args: () => readonly unknown[]): void => {
		const run = called as (...args: readonly unknown[]) => unknown;
		calls.push({name, parameters: parametersOf(run), args, run: given => run.apply(self, [...given])});
	};
	for (const [name, args] of Object.entries(samples.functions)) {
		addCall(name, exports[name], undefined, args);
	}
	for (const [name, {instance, construct, statics, methods}] of Object.entries(samples.classes)) {
		const exported = exports[name] as Class;
		// A private constructor takes the handle of a native object, which only the package itself can make.
		const args = construct ?? (() => [undefined]);
		calls.push({
			name: `new ${name}`,
			parameters: args().map(() => (construct ? 'options' : 'handle')),
			args,
			run: given => new exported(...given),
		});
		for (const [method, methodArgs] of Object.entries(statics)) {
			addCall(`${name}.${method}`, exported[method], exported, methodArgs);
			// Most static methods return an instance, which must be closed.
			const call = calls.pop()!;
			calls.push({...call, run: async given => closeResult(await call.run(given))});
		}
		for (const [method, methodArgs] of Object.entries(methods)) {
			addCall(`${name}#${method}`, (instance as Record<string, unknown>)[method], instance, methodArgs);
		}
	}
	return calls;
}

/** Closes what a call opened, so that its locks, files and models are released. */
async function closeResult(opened: unknown): Promise<void> {
	const {close} = (opened ?? {}) as {close?: unknown};
	if (typeof close === 'function') {
		await close.call(opened);
	}
}

/**
Returns the error with which a call throws or rejects. If the call returns an async generator, the first `next` counts as part
of the call. Returns undefined if there is no error.
*/
async function failure(run: () => unknown): Promise<unknown> {
	try {
		const result = await run();
		const {next, return: end} = (result ?? {}) as Partial<AsyncGenerator>;
		if (typeof next === 'function') {
			await next.call(result);
			// Releases what the generator holds, such as temporary folders.
			await end?.call(result, undefined);
		}
		return undefined;
	} catch (error) {
		return error ?? new Error('nothing was thrown');
	}
}

/** Returns whether a call succeeded, or failed with an error that the package documents. */
function isTyped(error: unknown): boolean {
	return error === undefined || (error instanceof RetrievalError && error.code !== 'ERR_INTERNAL');
}

function described(error: unknown): string {
	return error instanceof Error ? `${error.name} ${(error as {code?: string}).code ?? ''}: ${error.message}` : String(error);
}

let samples: Samples;
const uncaught: unknown[] = [];

test.before(async () => {
	process.on('uncaughtExceptionMonitor', error => uncaught.push(error));
	samples = await makeSamples();
});

test.after.always(async () => samples?.close());

test.serial('samples exist for every exported function and method, and for nothing else', t => {
	const exported = Object.entries(exports).filter(([name, value]) => typeof value === 'function' && !exempt.has(name));
	const isClass = (value: unknown): boolean => /^class\b/u.test(Function.prototype.toString.call(value));
	const classes = exported.filter(([, value]) => isClass(value));
	const functions = exported.filter(([, value]) => !isClass(value));
	t.deepEqual(Object.keys(samples.functions).toSorted(), functions.map(([name]) => name).toSorted());
	t.deepEqual(Object.keys(samples.classes).toSorted(), classes.map(([name]) => name).toSorted());
	/** Methods that are not public. `handle` and `of` are not public in any class. */
	const internalOf = ({internal = []}: ClassSamples): ReadonlySet<string> => new Set([...internal, 'handle', 'of']);
	for (const [name, exportedClass] of classes) {
		const known = samples.classes[name]!;
		const hidden = internalOf(known);
		const all = methodsOf((exportedClass as Class)['prototype'] as object, Object.prototype);
		t.deepEqual(
			Object.keys(known.methods).toSorted(),
			all.filter(method => !hidden.has(method)),
			`methods of ${name}`,
		);
		t.deepEqual(
			Object.keys(known.statics).toSorted(),
			methodsOf(exportedClass as Class, Function.prototype).filter(method => !hidden.has(method)),
			`static methods of ${name}`,
		);
	}
});

test.serial('a call with the sample arguments succeeds or fails with a typed error', async t => {
	const wrong: string[] = [];
	for (const {name, args, run} of callsOf(samples)) {
		const error = await failure(() => run(args()));
		if (!isTyped(error)) {
			wrong.push(`${name}: ${described(error)}`);
		}
	}
	t.deepEqual(wrong, []);
});

test.serial('a call with an invalid value in any position succeeds or fails with a typed error', async t => {
	const wrong: string[] = [];
	for (const {name, args, parameters, run} of callsOf(samples)) {
		const positions = Math.max(args().length, parameters.length);
		for (let position = 0; position < positions; position++) {
			for (const [value, bad] of badValues) {
				if (samples.costly.has(name) && emptyOptions.has(value) && parameters[position] === 'options') {
					continue;
				}
				const given = [...args()];
				given[position] = bad;
				const error = await failure(() => run(given));
				if (!isTyped(error)) {
					wrong.push(`${name}, ${parameters[position] ?? position} = ${value}: ${described(error)}`);
				}
			}
		}
		const error = await failure(() => run([]));
		if (!isTyped(error)) {
			wrong.push(`${name} without arguments: ${described(error)}`);
		}
	}
	t.deepEqual(wrong, []);
	t.deepEqual(uncaught, []);
});

test.serial('unknown options, bad signals and bad callbacks are refused; other bad options are accepted or give typed errors', async t => {
	const wrong: string[] = [];
	let callCount = 0;
	for (const {name, args, parameters, run} of callsOf(samples)) {
		const position = parameters.findIndex(parameter => optionParameters.has(parameter));
		if (position < 0) {
			continue;
		}
		callCount++;
		const withOption = async (option: string, value: unknown): Promise<unknown> => {
			const given = [...args()];
			given[position] = {...(given[position] as object), [option]: value};
			return failure(() => run(given));
		};
		const refused = await withOption('noSuchOption', 1);
		const [, names] = /expected options among (.*), got "noSuchOption"$/u.exec((refused as Error | undefined)?.message ?? '') ?? [];
		if (!(refused instanceof RetrievalError) || refused.code !== 'ERR_ARGUMENT' || names === undefined) {
			wrong.push(`${name}: noSuchOption was not refused: ${described(refused)}`);
			continue;
		}
		const accepted = await withOption('noSuchOption', undefined);
		if (accepted instanceof RetrievalError && accepted.message.includes('noSuchOption')) {
			wrong.push(`${name}: an unknown option that is undefined was refused`);
		}
		for (const option of names.split(', ').filter(option => !(loaders.has(name) && locatingOptions.has(option)))) {
			for (const [value, bad] of badValues) {
				const error = await withOption(option, bad);
				if (!isTyped(error)) {
					wrong.push(`${name}, ${option} = ${value}: ${described(error)}`);
				} else if (option === 'signal' && bad !== undefined && error === undefined) {
					wrong.push(`${name}, ${option} = ${value} was accepted`);
				} else if (option === 'onProgress' && bad !== undefined && typeof bad !== 'function' && error === undefined) {
					wrong.push(`${name}, ${option} = ${value} was accepted`);
				}
			}
		}
	}
	t.deepEqual(wrong, []);
	t.true(callCount > 90, `${callCount} calls with options`);
	t.deepEqual(uncaught, []);
});
