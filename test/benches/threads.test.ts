import {availableParallelism} from 'node:os';
import test from 'ava';
import {singleThreaded} from '../../benches/qps/single-threaded.ts';
import {threadsOf} from '../../benches/qps/system.ts';

test('a definition has one thread, as many as it says, or one for each core', t => {
	t.is(threadsOf({}), 1);
	t.is(threadsOf({threads: 1}), 1);
	t.is(threadsOf({threads: 'all'}), availableParallelism());
});

test('more threads than cores are refused', t => {
	const cores = availableParallelism();

	const error = t.throws(() => threadsOf({threads: cores + 1}));

	t.is(error.message, `threads: expected 'all' or 1 to ${cores} (the number of cores), got ${cores + 1}`);
});

test('what has one of several threads is named, what failed is not', t => {
	const results = [{name: 'passagekit', threads: 4}, {name: 'from Node', threads: 1}, {name: 'PISA'}];

	t.deepEqual(singleThreaded(results, 4), ['measured on one thread instead of 4, because the system is single-threaded: from Node']);
	t.deepEqual(singleThreaded(results, 1), []);
});
