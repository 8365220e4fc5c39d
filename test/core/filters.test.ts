// Tests how filters are converted from the short form, such as `{price: {lt: 50}}`, to the long form that the addon reads, such as
// `{range: {field: 'price', lt: 50}}`, and which filters are refused.
import test from 'ava';
import {normalizedFilter} from '../../ts/core/filters/normalize.ts';
import {type Filter, RetrievalError} from '../../ts/index.ts';

/** Returns the long form of a filter, as the addon receives it. */
function longForm(filter: unknown): unknown {
	return JSON.parse(normalizedFilter(filter as Filter)!.json);
}

test('every filter is converted to the long form', t => {
	const price = {range: {field: 'price', lt: 50}};
	const light = {equals: {field: 'category', value: 'light'}};
	/** The field has the name `__proto__`. `JSON.parse` makes it an own property. */
	const protoField = JSON.parse('{"__proto__": {"exists": true}}') as object;
	const cases: [unknown, unknown][] = [
		[{}, {and: []}],
		[{category: 'light'}, light],
		[{price: {lt: 50}, category: 'light'}, {and: [price, light]}],
		[{price: {lt: 50, equals: 5}}, {and: [{equals: {field: 'price', value: 5}}, price]}],
		[{price: {lt: 50, gte: 5}}, {range: {field: 'price', gte: 5, lt: 50}}],
		[{price: {exists: false}}, {not: {exists: {field: 'price'}}}],
		[{price: {not: {lt: 50}}}, {not: price}],
		[{price: {not: {lt: 50, exists: true}}}, {not: {and: [{exists: {field: 'price'}}, price]}}],
		[{not: {category: 'light', price: {lt: 50}}}, {not: {and: [light, price]}}],
		[{name: {prefix: 'lam'}}, {prefix: {field: 'name', value: 'lam'}}],
		[{prefix: {field: 'name', value: ''}}, {prefix: {field: 'name', value: ''}}],
		[{documents: ['doc-1', 'doc-2']}, {documents: ['doc-1', 'doc-2']}],
		[{documents: ['doc-1'], category: 'light'}, {and: [{documents: ['doc-1']}, light]}],
		[{and: [light, {or: []}]}, {and: [light, {or: []}]}],
		[{or: [{}, {ids: []}]}, {or: [{and: []}, {ids: []}]}],
		[protoField, {exists: {field: '__proto__'}}],
		[Object.assign(Object.create(null), {constructor: 5}), {equals: {field: 'constructor', value: 5}}],
		[{added: new Date(0)}, {equals: {field: 'added', value: '1970-01-01T00:00:00.000Z'}}],
		[{range: {field: 'added', gt: new Date(0)}}, {range: {field: 'added', gt: '1970-01-01T00:00:00.000Z'}}],
		[{lt: 5, where: 'x'}, {and: [{equals: {field: 'lt', value: 5}}, {equals: {field: 'where', value: 'x'}}]}],
	];
	for (const [filter, expected] of cases) {
		t.deepEqual(longForm(filter), expected);
		t.deepEqual(longForm(expected), expected, 'a filter in the long form is not changed');
	}
	t.is(normalizedFilter(undefined), undefined);
});

test('methods that the caller overrides, such as toJSON, do not change what the addon reads', t => {
	const ids = Object.assign(['a'], {toJSON: () => ['b']});
	t.deepEqual(longForm({ids}), {ids: ['a']});
	class Instant extends Date {
		override toISOString(): string {
			return 'never';
		}
	}
	t.deepEqual(longForm({added: new Instant(0)}), {equals: {field: 'added', value: '1970-01-01T00:00:00.000Z'}});
});

test('a malformed filter is refused with the path of the invalid part', t => {
	const value = 'expected a string, a finite number, a boolean or a Date';
	const condition = 'expected a string, a finite number, a boolean, a Date, an array of these or an object of operators';
	const bound = 'expected a finite number, a string or a Date';
	const operators = 'equals, in, not, lt, lte, gt, gte, exists, prefix';
	const filter = 'expected a filter such as {price: {lt: 50}}';
	const hint = (name: string): string => `; for a field with the name "${name}", write {equals: {field: "${name}", value: …}}`;
	const year = (range: object): unknown => ({and: [{ids: []}, {range: {field: 'year', ...range}}]});
	const sparse: unknown[] = [];
	sparse.length = 1;
	class Query {
		price = 5;
	}
	const cases: [unknown, string][] = [
		[null, `filter: ${filter}, got null`],
		['year > 2000', `filter: ${filter}, got string`],
		[[{ids: []}], `filter: ${filter}, got an array`],
		[new Map([['ids', []]]), `filter: ${filter}, got a Map`],
		[new Date(0), `filter: ${filter}, got a Date`],
		[new Query(), `filter: ${filter}, got a Query`],
		[{or: [{price: 5}, undefined]}, `filter.or[1]: ${filter}, got undefined`],
		[{and: sparse}, `filter.and[0]: ${filter}, got undefined`],
		[{not: null}, `filter.not: ${filter}, got null`],
		[{not: {and: {}}}, 'filter.not.and: expected an array of filters, got an object'],
		[{and: undefined, price: 5}, 'filter.and: expected an array of filters, got undefined'],
		[{ids: new Set(['a'])}, 'filter.ids: expected an array of strings, got a Set'],
		[{ids: ['a', 7]}, 'filter.ids[1]: expected a string, got 7'],
		[{documents: undefined}, 'filter.documents: expected an array of strings, got undefined'],
		[{documents: [null]}, 'filter.documents[0]: expected a string, got null'],
		[{documents: ['\ud800']}, 'filter.documents[0]: expected well-formed Unicode, got a lone surrogate'],
		// Reserved names with a condition, as if they were fields.
		[{ids: 'a'}, `filter.ids: expected an array of strings, got string${hint('ids')}`],
		[{documents: {lt: 5}}, `filter.documents: expected an array of strings, got an object${hint('documents')}`],
		[{or: true}, `filter.or: expected an array of filters, got boolean${hint('or')}`],
		[{not: 'light'}, `filter.not: ${filter}, got string${hint('not')}`],
		[{not: ['light', 'desk']}, `filter.not: ${filter}, got an array${hint('not')}`],
		[{equals: 5}, `filter.equals: expected {field, value}, got 5${hint('equals')}`],
		[{in: ['a', 'b']}, `filter.in: expected {field, values}, got an array${hint('in')}`],
		[{range: {lt: 5}}, `filter.range: expected {field, gte or gt, lte or lt}, got an object${hint('range')}`],
		[{exists: true}, `filter.exists: expected {field}, got boolean${hint('exists')}`],
		[{prefix: new Date(0)}, `filter.prefix: expected {field, value}, got a Date${hint('prefix')}`],
		[{equals: {}}, 'filter.equals: expected {field, value}, got an object'],
		// Conditions of the short form.
		[{price: undefined}, `filter.price: ${condition}, got undefined`],
		[{price: null}, `filter.price: ${condition}, got null`],
		[{price: 5n}, `filter.price: ${condition}, got 5n`],
		[{price: Number.NaN}, `filter.price: ${condition}, got NaN`],
		[{price: () => true}, `filter.price: ${condition}, got function`],
		[{price: new Map()}, `filter.price: ${condition}, got a Map`],
		[{price: new Query()}, `filter.price: ${condition}, got a Query`],
		[{price: [1, null]}, `filter.price[1]: ${value}, got null`],
		[{price: sparse}, `filter.price[0]: ${value}, got undefined`],
		[{price: [[1]]}, `filter.price[0]: ${value}, got an array`],
		[{'a.b': [{}]}, 'filter["a.b"]: expected an array of strings, finite numbers, booleans and Dates, got an array of objects'],
		[
			{$and: [{price: 5}]},
			'filter.$and: expected an array of strings, finite numbers, booleans and Dates, got an array of objects; did you mean and?',
		],
		[{größe: {in: 5}}, 'filter.größe.in: expected an array of strings, finite numbers, booleans and Dates, got 5'],
		[{price: {}}, `filter.price: expected at least one operator among ${operators}, got none`],
		[{price: {lt: undefined}}, `filter.price: expected at least one operator among ${operators}, got none`],
		[{price: {equals: undefined, lt: 5}}, `filter.price.equals: ${value}, got undefined`],
		[{price: {equals: ['x']}}, `filter.price.equals: ${value}, got an array`],
		[{price: {in: undefined, lt: 5}}, 'filter.price.in: expected an array of strings, finite numbers, booleans and Dates, got undefined'],
		[{price: {not: undefined}}, `filter.price.not: ${condition}, got undefined`],
		[{price: {not: {not: {lt: false}}}}, `filter.price.not.not.lt: ${bound}, got boolean`],
		[{price: {lt: null}}, `filter.price.lt: ${bound}, got null`],
		[{price: {lt: Infinity}}, `filter.price.lt: ${bound}, got Infinity`],
		[{price: {gte: true}}, `filter.price.gte: ${bound}, got boolean`],
		[{price: {gte: [1]}}, `filter.price.gte: ${bound}, got an array`],
		[{price: {gt: 1, gte: 1}}, 'filter.price: expected one of gte and gt, got both'],
		[{price: {lt: 1, lte: 1}}, 'filter.price: expected one of lte and lt, got both'],
		[{price: {gt: new Date(0), lt: 1}}, 'filter.price: expected bounds that are both numbers or both strings, got a string and a number'],
		[{price: {exists: 'yes'}}, 'filter.price.exists: expected true or false, got string'],
		[{price: {exists: undefined}}, 'filter.price.exists: expected true or false, got undefined'],
		[{name: {prefix: 5}}, 'filter.name.prefix: expected a string, got 5'],
		[{name: {prefix: '\udc00'}}, 'filter.name.prefix: expected well-formed Unicode, got a lone surrogate'],
		[{name: '\ud800'}, 'filter.name: expected well-formed Unicode, got a lone surrogate'],
		[{added: new Date(Number.NaN)}, 'filter.added: expected a Date in the years 0000 to 9999, got an invalid Date'],
		[{added: {lt: new Date(8e15)}}, 'filter.added.lt: expected a Date in the years 0000 to 9999, got +255479-11-28T14:13:20.000Z'],
		[
			{added: [new Date('-000001-01-01T00:00:00Z')]},
			'filter.added[0]: expected a Date in the years 0000 to 9999, got -000001-01-01T00:00:00.000Z',
		],
		[{'': 5}, 'filter: expected field names of 1 to 255 bytes, got 0 bytes'],
		[{['é'.repeat(128)]: 5}, 'filter: expected field names of 1 to 255 bytes, got 256 bytes'],
		[{'\ud800': 5}, 'filter: name: expected well-formed Unicode, got a lone surrogate'],
		// Unknown operators.
		[{price: {ltt: 5}}, `filter.price: expected operators among ${operators}, got "ltt"; did you mean lt?`],
		[{price: {$gte: 5}}, `filter.price: expected operators among ${operators}, got "$gte"; did you mean gte?`],
		[
			{name: {startsWith: 'x'}},
			`filter.price: expected operators among ${operators}, got "startsWith"; did you mean prefix?`.replace('price', 'name'),
		],
		[{price: {ne: 5}}, `filter.price: expected operators among ${operators}, got "ne"; did you mean not?`],
		[{price: {or: [{lt: 5}]}}, `filter.price: expected operators among ${operators}, got "or"`],
		[{price: {constructor: 5}}, `filter.price: expected operators among ${operators}, got "constructor"`],
		[{price: {approximately: undefined}}, `filter.price: expected operators among ${operators}, got "approximately"`],
		// The long form.
		[{exists: {field: 5}}, 'filter.exists.field: expected a string, got 5'],
		[{exists: {field: ''}}, 'filter.exists: expected field names of 1 to 255 bytes, got 0 bytes'],
		[{equals: {field: 'year'}}, `filter.equals.value: ${value}, got undefined`],
		[{equals: {field: 'tags', value: ['x']}}, `filter.equals.value: ${value}, got an array`],
		[{equals: {field: 'year', value: 1, boost: 2}}, 'filter.equals: expected {field, value}, got "boost" too'],
		[{in: {field: 'year', values: [1, Number.NaN]}}, `filter.in.values[1]: ${value}, got NaN`],
		[{equals: {field: 'x', value: '\ud800'}}, 'filter.equals.value: expected well-formed Unicode, got a lone surrogate'],
		[{prefix: {field: 'x', value: 5}}, 'filter.prefix.value: expected a string, got 5'],
		[{exists: {field: 'x', value: true}}, 'filter.exists: expected {field}, got "value" too'],
		[year({}), 'filter.and[1].range: expected at least one of gte, gt, lte and lt, got none'],
		[year({gte: 1, gt: 1}), 'filter.and[1].range: expected one of gte and gt, got both'],
		[year({gte: 1, lt: 'x'}), 'filter.and[1].range: expected bounds that are both numbers or both strings, got a number and a string'],
		[year({lte: Infinity}), `filter.and[1].range.lte: ${bound}, got Infinity`],
		[year({from: 1}), 'filter.and[1].range: expected {field, gte or gt, lte or lt}, got "from" too'],
	];
	for (const [bad, message] of cases) {
		t.throws(() => longForm(bad), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
	}
});

test('filters that are too deep, cyclic or unreadable are refused', t => {
	const nest = (levels: number, inner: object, wrap: (part: object) => object): object => {
		let filter = inner;
		for (let level = 1; level < levels; level++) {
			filter = wrap(filter);
		}
		return filter;
	};
	const not = (part: object): object => ({not: part});
	t.notThrows(() => longForm(nest(32, {ids: []}, not)));
	t.throws(() => longForm(nest(33, {ids: []}, not)), {
		message: /^filter(\.not){32}: expected at most 32 levels of nested filters, got more$/u,
	});
	// Each level has two parts, so it becomes two levels of the long form: an `and`, and the `not` in it.
	const both = (part: object): object => ({a: 1, not: part});
	t.notThrows(() => longForm(nest(16, {ids: []}, both)));
	t.throws(() => longForm(nest(17, {ids: []}, both)), {code: 'ERR_ARGUMENT', message: /^filter(\.not){16}: expected at most 32 levels/u});
	t.notThrows(() => longForm({price: nest(32, {lt: 5}, not)}));
	t.throws(() => longForm({price: nest(33, {lt: 5}, not)}), {
		code: 'ERR_ARGUMENT',
		message: /^filter\.price(\.not){32}: expected at most 32/u,
	});
	t.throws(() => longForm({price: nest(32, {lt: 5, exists: true}, not)}), {code: 'ERR_ARGUMENT', message: /expected at most 32 levels/u});
	const cyclic: {not?: unknown} = {};
	cyclic.not = cyclic;
	t.throws(() => longForm(cyclic), {code: 'ERR_ARGUMENT', message: /expected at most 32 levels of nested filters, got more$/u});
	t.throws(() => longForm({price: cyclic}), {code: 'ERR_ARGUMENT', message: /expected at most 32 levels of nested filters, got more$/u});
	const throwing = Object.defineProperty({}, 'price', {
		enumerable: true,
		get() {
			throw new TypeError('no');
		},
	});
	const message = 'filter: expected a filter that can be read, got an object that throws';
	for (const bad of [throwing, {or: [throwing]}, {price: throwing}]) {
		const error = t.throws(() => longForm(bad), {instanceOf: RetrievalError, message});
		t.true(error.cause instanceof TypeError);
	}
	const {proxy, revoke} = Proxy.revocable({}, {});
	revoke();
	for (const bad of [proxy, {price: proxy}, {ids: proxy}, {ids: [proxy]}, {not: proxy}, {equals: proxy}, {price: {in: proxy}}]) {
		t.throws(() => longForm(bad), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'});
	}
});
