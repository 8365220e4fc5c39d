// Tests how the instruction counts of benchmarks are read from the output of gungraun, which runs benchmarks in Callgrind, and how these
// counts are compared with recorded counts.
import test from 'ava';
import {type CountRecord, type Counts, compare, table} from '../../benches/instructions/compare.ts';
import {countsOf} from '../../benches/instructions/summary.ts';

const machine = {
	rustc: 'rustc 1.95.0 (59807616e 2026-04-14)',
	target: 'x86_64-unknown-linux-gnu',
	libc: 'glibc 2.36',
	valgrind: 'valgrind-3.19.0',
};

/** A record of counts; `other` replaces properties of the machine. */
const record = (instructions: Counts, other: Partial<CountRecord> = {}): CountRecord => ({...machine, ...other, instructions});

test('a count that is more than 3% above the recorded one counts as grown; one that is exactly 3% above does not', t => {
	const recorded = record({dot: 1000, search: 2000, scan: 100_000, fuse: 500});
	// 1030 / 1000 = 1.03; 2061 / 2000 = 1.0305; 99,000 / 100,000 = 0.99; 480 / 500 = 0.96.
	const now = record({dot: 1030, search: 2061, scan: 99_000, fuse: 480});

	const found = compare(recorded, now);

	t.deepEqual(
		found.rows.map(({ratio}) => ratio),
		[1.03, 1.0305, 0.99, 0.96],
	);
	t.deepEqual(found.grown, ['search']);
	t.deepEqual(found.shrunk, ['fuse'], 'a count that shrank by more than 3% is listed too');
	t.deepEqual([...found.differences, ...found.added, ...found.gone], []);
});

test('cases that are new or no longer exist are listed, and do not count as grown', t => {
	const found = compare(record({old: 10, both: 20}), record({both: 20, fresh: 1_000_000}));

	t.deepEqual(found.rows, [
		{name: 'both', recorded: 20, now: 20, ratio: 1},
		{name: 'fresh', now: 1_000_000},
		{name: 'old', recorded: 10},
	]);
	t.deepEqual([found.added, found.gone, found.grown], [['fresh'], ['old'], []]);
});

for (const [what, other] of [
	['rustc', 'rustc 1.96.0 (0123456789 2026-05-28)'],
	['target', 'aarch64-unknown-linux-gnu'],
	['libc', 'glibc 2.41'],
	['valgrind', 'valgrind-3.25.1'],
] as const) {
	test(`with another ${what}, counts are not comparable: ratios are computed, but no case counts as grown`, t => {
		const found = compare(record({dot: 1000}), record({dot: 2000}, {[what]: other}));

		t.deepEqual(found.differences, [`${what}: ${other}, recorded with ${machine[what]}`]);
		t.is(found.rows[0]!.ratio, 2);
		t.deepEqual([found.grown, found.shrunk], [[], []]);
	});
}

test('the table has a line for each case, and marks the cases that have grown', t => {
	const lines = table(compare(record({dot: 1000, gone: 5}), record({dot: 1_234_567, fresh: 7})));

	t.deepEqual(lines, [
		'case   recorded        now      ratio',
		'dot       1,000  1,234,567  1234.5670  GREW',
		'fresh         –          7        new',
		'gone          5          –       gone',
	]);
});

/** A line of gungraun's output, with only the fields that `countsOf` reads. */
const line = (path: string, id: string | undefined, instructions: number): string =>
	JSON.stringify({
		module_path: `instructions::${path}`,
		...(id === undefined ? {} : {id}),
		profiles: [{tool: 'Callgrind', data: {total: {metrics: {Ir: {values: {new: instructions, old: 1}}}}}}],
	});

test('counts are named by group, function and id, and sorted by name', t => {
	const counts = countsOf(
		`${line('top_k::best', 'random', 34)}\n${line('products::dot', 'dim_384', 12)}\n${line('top_k::all', undefined, 5)}\n`,
	);

	t.deepEqual(Object.entries(counts), [
		['products::dot::dim_384', 12],
		['top_k::all', 5],
		['top_k::best::random', 34],
	]);
});

test('output is refused if a count is missing, a case occurs twice, a line is not JSON, or there is no case', t => {
	const twice = line('top_k::best', 'random', 34);
	const refusal = (lines: string): string => t.throws(() => countsOf(lines)).message;

	t.is(refusal(`${twice}\n${twice}`), 'expected one count of instructions for top_k::best::random, got 34 after 34');
	t.is(refusal('{"module_path":"a::b","profiles":[]}'), 'expected one count of instructions for b, got undefined after none');
	t.is(refusal('no JSON'), 'expected a summary in JSON, got no JSON');
	t.is(refusal('\n'), 'expected a line for each case, got none');
});
