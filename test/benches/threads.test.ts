// Tests the number of threads of a benchmark's definition, and the note about systems that use only one thread.
import {availableParallelism} from 'node:os';
import test from 'ava';
import {threadsOf} from '../../benches/qps/harness/cores.ts';
import {singleThreaded} from '../../benches/qps/report/tables/single-threaded.ts';

test('a definition uses one thread by default, or else the number that it gives; `all` means one per core', t => {
	t.is(threadsOf({}), 1);
	t.is(threadsOf({threads: 1}), 1);
	t.is(threadsOf({threads: 'all'}), availableParallelism());
});

test('more threads than cores are refused', t => {
	const cores = availableParallelism();

	const error = t.throws(() => threadsOf({threads: cores + 1}));

	t.is(error.message, `threads: expected 'all' or 1 to ${cores} (the number of cores), got ${cores + 1}`);
});

test('systems that used one thread although the definition has several are listed, except systems that failed', t => {
	const results = [{name: 'passagekit', threads: 4}, {name: 'from Node', threads: 1}, {name: 'PISA'}];

	t.deepEqual(singleThreaded(results, 4), ['measured on one thread instead of 4, because the system is single-threaded: from Node']);
	t.deepEqual(singleThreaded(results, 1), []);
});
