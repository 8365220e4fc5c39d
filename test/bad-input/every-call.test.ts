// Calls every exported function and method with invalid values and checks that the errors are typed.
import test from 'ava';
import * as passagekit from '../../ts/index.ts';
import * as studies from '../../ts/studies/index.ts';
import {type ClassSamples, type Samples, makeSamples} from './samples.ts';

const {RetrievalError} = passagekit;

/** All exports of the package and of `passagekit/studies`, by name. */
const exports: Readonly<Record<string, unknown>> = {...passagekit, ...studies};

/** No call in this test may contact the model hub. */
process.env['PASSAGEKIT_OFFLINE'] = '1';

function revoked(): object {
	const {proxy, revoke} = Proxy.revocable({}, {});
	revoke();
	return proxy;
}

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

/** Values that are valid as empty options. */
const noOptions = new Set(['undefined', '{}', 'a proxy', 'an object without prototype']);

/** Options for locating a model. All loaders pass them on, so they are tested only on calls that load no models. */
const findModels = new Set(['revision', 'offline', 'cacheFolder', 'endpoint', 'token']);
const loaders = new Set(['OnnxEncoder.load', 'ExtractiveReader.load']);

/** The error class accepts any arguments on purpose. */
const exempt = new Set(['RetrievalError']);

interface Call {
	readonly name: string;
	readonly parameters: readonly string[];
	readonly args: () => readonly unknown[];
	readonly run: (args: readonly unknown[]) => unknown;
}

/** The names of a function's parameters, without default values. */
function parametersOf(of: Function): string[] {
	const text = Function.prototype.toString.call(of);
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

/** The methods of a class that can be called by name, except `close`, which would end the use of the instance in other tests. */
function methodsOf(of: object, upTo: object | null): string[] {
	const names = new Set<string>();
	for (let at: object | null = of; at !== null && at !== upTo; at = Object.getPrototypeOf(at) as object | null) {
		for (const [name, {value}] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
			if (typeof value === 'function' && !['constructor', 'close', 'prototype'].includes(name)) {
				names.add(name);
			}
		}
	}
	return [...names].toSorted();
}

type Class = (new (...args: readonly unknown[]) => object) & Readonly<Record<string, unknown>>;

function callsOf(samples: Samples): Call[] {
	const calls: Call[] = [];
	const of = (name: string, called: unknown, self: unknown, args: () => readonly unknown[]): void => {
		const run = called as (...args: readonly unknown[]) => unknown;
		calls.push({name, parameters: parametersOf(run), args, run: given => run.apply(self, [...given])});
	};
	for (const [name, args] of Object.entries(samples.functions)) {
		of(name, exports[name], undefined, args);
	}
	for (const [name, {instance, construct, statics, methods}] of Object.entries(samples.classes)) {
		const made = exports[name] as Class;
		const args = construct ?? (() => [undefined]);
		calls.push({
			name: `new ${name}`,
			parameters: args().map(() => (construct ? 'options' : 'handle')),
			args,
			run: given => new made(...given),
		});
		for (const [method, args] of Object.entries(statics)) {
			of(`${name}.${method}`, made[method], made, args);
			const opens = calls.at(-1)!;
			calls.splice(-1, 1, {...opens, run: async given => closed(await opens.run(given))});
		}
		for (const [method, args] of Object.entries(methods)) {
			of(`${name}#${method}`, (instance as Record<string, unknown>)[method], instance, args);
		}
	}
	return calls;
}

/** Closes the result of a call: its locks, files, models. */
async function closed(opened: unknown): Promise<void> {
	const {close} = (opened ?? {}) as {close?: unknown};
	if (typeof close === 'function') {
		await close.call(opened);
	}
}

/** The thrown error or the promise's rejection reason; for a generator, the error of its first `next`. */
async function failure(run: () => unknown): Promise<unknown> {
	try {
		const result = await run();
		const {next} = (result ?? {}) as Partial<AsyncGenerator>;
		if (typeof next === 'function') {
			await next.call(result);
		}
		return undefined;
	} catch (error) {
		return error ?? new Error('nothing was thrown');
	}
}

function isTyped(error: unknown): boolean {
	return error === undefined || (error instanceof RetrievalError && error.code !== 'ERR_INTERNAL');
}

function told(error: unknown): string {
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
	const internal = ({internal = []}: ClassSamples): ReadonlySet<string> => new Set([...internal, 'handle', 'of']);
	for (const [name, made] of classes) {
		const known = samples.classes[name]!;
		const hidden = internal(known);
		const all = methodsOf((made as Class)['prototype'] as object, Object.prototype);
		t.deepEqual(
			Object.keys(known.methods).toSorted(),
			all.filter(method => !hidden.has(method)),
			`methods of ${name}`,
		);
		t.deepEqual(
			Object.keys(known.statics).toSorted(),
			methodsOf(made as Class, Function.prototype).filter(method => !hidden.has(method)),
			`static methods of ${name}`,
		);
	}
});

test.serial('valid arguments are accepted or give a typed error', async t => {
	const wrong: string[] = [];
	for (const {name, args, run} of callsOf(samples)) {
		const error = await failure(() => run(args()));
		if (!isTyped(error)) {
			wrong.push(`${name}: ${told(error)}`);
		}
	}
	t.deepEqual(wrong, []);
});

test.serial('an invalid value in any position is accepted or gives a typed error', async t => {
	const wrong: string[] = [];
	for (const {name, args, parameters, run} of callsOf(samples)) {
		const places = Math.max(args().length, parameters.length);
		for (let place = 0; place < places; place++) {
			for (const [value, bad] of badValues) {
				if (samples.costly.has(name) && noOptions.has(value) && parameters[place] === 'options') {
					continue;
				}
				const given = [...args()];
				given[place] = bad;
				const error = await failure(() => run(given));
				if (!isTyped(error)) {
					wrong.push(`${name}, ${parameters[place] ?? place} = ${value}: ${told(error)}`);
				}
			}
		}
		const error = await failure(() => run([]));
		if (!isTyped(error)) {
			wrong.push(`${name} without arguments: ${told(error)}`);
		}
	}
	t.deepEqual(wrong, []);
	t.deepEqual(uncaught, []);
});

test.serial('every call with options refuses unknown options, and invalid values give typed errors', async t => {
	const wrong: string[] = [];
	let withOptions = 0;
	for (const {name, args, parameters, run} of callsOf(samples)) {
		const place = parameters.findIndex(parameter => ['options', 'limits', 'parts', 'encoders', 'explainers', 'length'].includes(parameter));
		if (place < 0) {
			continue;
		}
		withOptions++;
		const put = async (option: string, value: unknown): Promise<unknown> => {
			const given = [...args()];
			given[place] = {...(given[place] as object), [option]: value};
			return failure(() => run(given));
		};
		const refused = await put('noSuchOption', 1);
		const [, names] = /expected options among (.*), got "noSuchOption"$/u.exec((refused as Error | undefined)?.message ?? '') ?? [];
		if (!(refused instanceof RetrievalError) || refused.code !== 'ERR_ARGUMENT' || names === undefined) {
			wrong.push(`${name}: noSuchOption was not refused: ${told(refused)}`);
			continue;
		}
		const accepted = await put('noSuchOption', undefined);
		if (accepted instanceof RetrievalError && accepted.message.includes('noSuchOption')) {
			wrong.push(`${name}: an unknown option that is undefined was refused`);
		}
		for (const option of names.split(', ').filter(option => !(loaders.has(name) && findModels.has(option)))) {
			for (const [value, bad] of badValues) {
				const error = await put(option, bad);
				if (!isTyped(error)) {
					wrong.push(`${name}, ${option} = ${value}: ${told(error)}`);
				} else if (option === 'signal' && bad !== undefined && error === undefined) {
					wrong.push(`${name}, ${option} = ${value} was accepted`);
				} else if (option === 'onProgress' && bad !== undefined && typeof bad !== 'function' && error === undefined) {
					wrong.push(`${name}, ${option} = ${value} was accepted`);
				}
			}
		}
	}
	t.deepEqual(wrong, []);
	t.true(withOptions > 90, `${withOptions} calls with options`);
	t.deepEqual(uncaught, []);
});
