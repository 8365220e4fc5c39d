/** Tests the commands that work with a cluster. */
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createWriteStream} from 'node:fs';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {Collection, encyclopedia} from '../../../ts/index.ts';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {OpenSearchCollection} from '../../../ts/remote/index.ts';
import {passagekit} from '../../support/command.ts';
import {cluster, newName} from './support.ts';

const questions = join(packageRoot, 'examples/encyclopedia/questions.dev.jsonl');

/** Runs a command that must succeed, and returns what it prints as JSON. */
async function json(t: ExecutionContext, ...args: string[]): Promise<Record<string, unknown>> {
	const {status, stdout, stderr} = await passagekit([...args, '--json']);
	t.is(status, 0, stderr);
	return JSON.parse(stdout) as Record<string, unknown>;
}

export function cliTests(): void {
	test.serial('push writes a built collection once, and search and evaluate then print what they print for the collection', async t => {
		const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
		t.teardown(async () => rm(folder, {recursive: true, force: true}));
		const collection = join(folder, 'collection');
		await json(t, 'index', encyclopedia().articles, '--output', collection);
		const index = newName();
		const to = cluster().urls.join(',');
		t.teardown(async () => cluster().request(`/${index}`, undefined, 'DELETE'));
		const push = ['push', collection, '--to', to, '--index', index, '--shards', '3'] as const;
		const {passages, written, verified} = await json(t, ...push);
		t.is(written, passages);
		t.deepEqual(verified, {texts: 20, rankings: 20, denseRankings: 20, deletedPassages: 0});
		// A second call finds everything in place.
		t.is((await json(t, ...push))['written'], 0);
		const resized = await passagekit(['push', collection, '--to', to, '--index', index, '--shards', '2']);
		t.is(resized.status, 0, resized.stderr);
		t.regex(resized.stderr, new RegExp(`--shards 2 has no effect, because ${index} exists with shards 3`, 'u'));
		for (const [flags, message] of [
			[['--encoder', 'minilm-encoder'], /--encoder has no effect with a collection/u],
			[['--question-encoder', 'x'], /--question-encoder has no effect with a collection/u],
			[['--format', 'auto'], /--format has no effect with a collection/u],
			[['--words', '50'], /--words has no effect with a collection/u],
			[['--overlap', '5'], /--overlap has no effect with a collection/u],
			[['--skip-bad-lines'], /--skip-bad-lines has no effect with a collection/u],
			[['--analyzer', 'english'], /--analyzer has no effect with a collection that `passagekit index` built/u],
			[['--similarity', 'dot'], /--similarity has no effect with a collection that `passagekit index` built/u],
		] as const) {
			const {status, stderr} = await passagekit([...push, ...flags]);
			t.is(status, 2, stderr);
			t.regex(stderr, message);
		}

		const remote = ['--url', to, '--index', index] as const;
		for (const [retriever, exact] of [
			['bm25', []],
			['dense', ['--vector-index', 'flat']],
		] as const) {
			const [runOfCluster, runOfFolder] = [join(folder, `${retriever}.cluster`), join(folder, `${retriever}.folder`)];
			const search = ['search', '--queries', questions, '--retriever', retriever, '-k', '50', ...exact] as const;
			await json(t, ...search, ...remote, '--output', runOfCluster);
			await json(t, ...search, '--collection', collection, '--output', runOfFolder);
			const idsOf = (run: string): string[] => run.split('\n').map(line => line.split(' ').slice(0, 4).join(' '));
			const [actual, expected] = await Promise.all([runOfCluster, runOfFolder].map(async path => readFile(path, 'utf8')));
			t.true(expected!.length > 1000);
			if (retriever === 'bm25') {
				t.is(actual, expected);
			} else {
				t.deepEqual(idsOf(actual!), idsOf(expected!));
			}
			const evaluate = ['evaluate', '--run', runOfCluster, '--questions', questions] as const;
			t.deepEqual(await json(t, ...evaluate, ...remote), await json(t, ...evaluate, '--passages', collection));
		}

		const one = ['search', 'who built the bridge', '-k', '3', '--retriever', 'bm25'] as const;
		const [shown, expected] = await Promise.all([passagekit([...one, ...remote]), passagekit([...one, '--collection', collection])]);
		t.is(shown.status, 0, shown.stderr);
		t.is(shown.stdout, expected.stdout);

		// A passage that another program deleted is noticed.
		await using opened = await OpenSearchCollection.open(index, {url: cluster().urls});
		const [first] = (await opened.search('bridge', {k: 1, retriever: 'bm25'})).hits;
		await opened.add({id: 'other', text: 'another document', vector: new Float32Array(384).fill(0.01)});
		const failed = await passagekit(push);
		t.is(failed.status, 1);
		t.regex(
			failed.stderr,
			/push: verification: expected \d+ passages in the index, got \d+; another program may have changed it \(ERR_REMOTE\)/u,
		);
		await opened.delete(['other', first!.document]);
		const again = await json(t, ...push);
		t.true(Number(again['written']) > 0);
		// Deleted passages still count in the statistics, so the rankings could not be compared.
		const {texts, rankings, deletedPassages} = again['verified'] as Record<string, number>;
		t.deepEqual({texts, rankings}, {texts: 20, rankings: 0});
		t.true(deletedPassages! > 0);
	});

	test.serial('a push that is killed is continued by the same command, and nothing is missing or written twice', async t => {
		const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
		t.teardown(async () => rm(folder, {recursive: true, force: true}));
		const total = 20_000;
		const corpus = join(folder, 'corpus.jsonl');
		const lines = Array.from({length: total}, (_, i) => `${JSON.stringify({id: `p${i}`, text: `passage number ${i}`})}\n`);
		// At first, the corpus is a FIFO that gets only some of the passages, so the command cannot end before it is killed.
		execFileSync('mkfifo', [corpus]);
		const index = newName();
		t.teardown(async () => cluster().request(`/${index}`, undefined, 'DELETE'));
		const push = ['push', corpus, '--to', cluster().urls.join(','), '--index', index, '--shards', '3', '--no-encoder'] as const;
		const child = spawn(process.execPath, [join(packageRoot, 'bin/passagekit.js'), ...push], {stdio: 'ignore'});
		t.teardown(() => child.kill('SIGKILL'));
		const exited = once(child, 'exit');
		const input = createWriteStream(corpus);
		// The command may be killed before it has read everything.
		input.on('error', () => {});
		t.teardown(() => input.destroy());
		input.write(lines.slice(0, 15_000).join(''));
		const stored = async (): Promise<number> => {
			await cluster().request(`/${index}/_refresh`, {});
			return (await cluster().request<{count?: number}>(`/${index}/_count`)).count ?? 0;
		};
		while ((await stored()) < 512) {
			t.is(child.exitCode, null, 'the command ended before it was killed');
			await delay(20);
		}
		child.kill('SIGKILL');
		t.deepEqual(await exited, [null, 'SIGKILL']);
		await rm(corpus);
		await writeFile(corpus, lines.join(''));
		const before = await stored();
		t.true(before >= 512 && before < total, `${before}`);
		const {passages, written, verified} = await json(t, ...push);
		t.is(passages, total);
		// The cluster may have carried out the last requests after the command was killed.
		t.true(Number(written) > 0 && Number(written) <= total - before, `${String(written)}`);
		t.deepEqual(verified, {texts: 20, rankings: 0, denseRankings: 0, deletedPassages: 0});
		t.is(await stored(), total);
	});

	test.serial('push keeps the similarity of a collection, and notices vectors that another program changed', async t => {
		const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
		t.teardown(async () => rm(folder, {recursive: true, force: true}));
		const collection = await Collection.open(folder, {create: true, encoder: false, vectors: {dim: 2, similarity: 'l2'}});
		const vectorOf = (i: number): [number, number] => [Math.cos(i) * (1 + i), Math.sin(i) * (1 + i)];
		await collection.add(Array.from({length: 30}, (_, i) => ({id: `d${i}`, text: `text ${i}`, vector: vectorOf(i)})));
		await collection.commit();
		await collection.close();
		const index = newName();
		const to = cluster().urls.join(',');
		t.teardown(async () => cluster().request(`/${index}`, undefined, 'DELETE'));
		const push = ['push', folder, '--to', to, '--index', index, '--sample', '5', '--seed', '7'] as const;
		const wrong = await passagekit([...push, '--similarity', 'dot']);
		t.is(wrong.status, 2);
		t.regex(wrong.stderr, /expected --similarity l2, as .* has, or none, got dot/u);
		t.deepEqual((await json(t, ...push))['verified'], {texts: 5, rankings: 5, denseRankings: 5, deletedPassages: 0});
		await using opened = await OpenSearchCollection.open(index, {url: cluster().urls});
		const nearest = (await opened.search('x', {retriever: 'dense', vector: vectorOf(20), exact: true, k: 1})).hits;
		t.deepEqual(nearest, [{id: 'd20#0', document: 'd20', score: 0}]);
		// The passages keep the marks of the push, so the second push does not write them again.
		const url = `/${index}/_doc/${encodeURIComponent('d3#0')}?routing=d3&refresh=true`;
		for (let i = 0; i < 30; i++) {
			const one = url.replaceAll('d3', `d${i}`);
			const {_source} = await cluster().request<{_source: object}>(one.replace('&refresh=true', ''));
			await cluster().request(one, {..._source, vector: [i, 0], terms: `text ${i}`}, 'PUT');
		}
		await opened.optimize();
		const changed = await passagekit(push);
		t.is(changed.status, 1);
		t.regex(changed.stderr, /expected the hits of the embedded index for the vector of "d\d+#0", got others/u);
	});

	test.serial('replicate over a cluster has the results of replicate over a folder', async t => {
		const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
		t.teardown(async () => rm(folder, {recursive: true, force: true}));
		const {articles} = encyclopedia();
		const index = newName();
		t.teardown(async () => cluster().request(`/${index}`, undefined, 'DELETE'));
		const to = cluster().urls.join(',');
		await json(t, 'push', articles, '--to', to, '--index', index, '--shards', '3', '--workers', '1');
		const test = join(packageRoot, 'examples/encyclopedia/questions.test.jsonl');
		const files = [
			'--dataset',
			join(packageRoot, 'examples/encyclopedia'),
			'--corpus',
			articles,
			'--development',
			questions,
			'--test',
			test,
		];
		const study = [
			'replicate',
			...files,
			'--no-reader',
			'--depth',
			'100',
			'--max-development-questions',
			'40',
			'--max-test-questions',
			'40',
		];
		const remote = await json(t, ...study, '--url', to, '--index', index, '--output', join(folder, 'cluster'));
		const embedded = await json(t, ...study, '--output', join(folder, 'embedded'));
		const rows = (results: Record<string, unknown>): unknown => (results['retrieval'] as {readonly rows: unknown}).rows;
		t.deepEqual(rows(remote), rows(embedded));
		const wrong = await passagekit([...study, '--url', to, '--output', join(folder, 'wrong')]);
		t.regex(wrong.stderr, /expected both url and index, or neither, got url/u);
	});

	test.serial('flags that need each other are usage errors', async t => {
		for (const [args, message] of [
			[['search', 'x', '--url', 'http://localhost:1'], /--url needs --index NAME/u],
			[['search', 'x', '--index', 'x'], /--index needs --url URL/u],
			[['search', 'x', '--url', 'http://localhost:1', '--index', 'x', '--k1', '1'], /--k1 has no effect with --url/u],
			[['push', 'x', '--to', 'http://localhost:1', '--index', 'x', '--similarity', 'l2'], /--similarity has no effect with a corpus/u],
			[
				['replicate', '--dataset', 'x', '--url', 'http://localhost:1', '--index', 'x', '--encoder', 'minilm-encoder'],
				/--encoder has no effect with --url/u,
			],
			[['push', 'x', '--index', 'x'], /required option '--to/u],
			[['evaluate', '--run', 'x', '--questions', 'y', '--ca', 'z'], /--ca needs --url URL/u],
		] as const) {
			const {status, stderr} = await passagekit(args);
			t.is(status, 2, stderr);
			t.regex(stderr, message);
		}
	});
}
