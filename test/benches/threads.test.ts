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

	t.is(error.message, `threads: expected all, or 1 to ${cores}, which are the cores here, got ${cores + 1}`);
});

test('what has one of several threads is named, what failed is not', t => {
	const results = [{name: 'passagekit', threads: 4}, {name: 'from Node', threads: 1}, {name: 'PISA'}];

	t.deepEqual(singleThreaded(results, 4), ['on one of 4 threads, for it has no more: from Node']);
	t.deepEqual(singleThreaded(results, 1), []);
});
