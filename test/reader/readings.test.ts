// Tests readings, the stored outputs of a reader: reading the passages of a run (`readRun`), caches on disk, and tuning evidence fusion.
import {appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises';
import {execFile} from 'node:child_process';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {
	ExtractiveReader,
	type Passage,
	PassageStore,
	type Progress,
	type Question,
	ReadingCache,
	type Run,
	encyclopedia,
	exactMatch,
	readPassages,
	readRun,
	tuneEvidence,
} from '../../ts/index.ts';

const passages = new Map<string, Passage>(
	[
		{id: 'piano', title: 'Piano', text: 'Bartolomeo Cristofori built the first pianos in Florence.'},
		{id: 'suez', title: 'Suez Canal', text: '🚀 The Suez Canal was opened to shipping in November 1869 after ten years of digging.'},
		{id: 'panama', text: 'The Panama Canal was opened in August 1914. It took ten years to dig.'},
		{id: 'blank', text: ' '},
		{id: 'forth', title: 'Forth Bridge', text: 'The Forth Bridge in Scotland was opened in 1890 by the Prince of Wales.'},
	].map(passage => [passage.id, passage]),
);
/** The question `nobody` has no accepted answers, and `lost` has no hits in the run. */
const questions: Question[] = [
	{id: 'canal', text: 'In which month and year was the Suez Canal opened?', answers: ['November 1869', '1869']},
	{id: 'builder', text: 'Who built the first pianos?', answers: ['Bartolomeo Cristofori']},
	{id: 'nobody', text: 'Who knows?', answers: []},
	{id: 'lost', text: 'Where is it?', answers: ['here']},
];
const run: Run = new Map([
	['canal', hits('panama', 'suez', 'blank', 'forth', 'piano')],
	['builder', hits('forth', 'suez', 'piano')],
	['nobody', hits('blank')],
]);

/** Makes a list of hits with the scores 10, 8, 6, …. */
function hits(...ids: string[]): Array<{id: string; score: number}> {
	return ids.map((id, i) => ({id, score: 10 - 2 * i}));
}

async function loadReader(): Promise<ExtractiveReader> {
	return ExtractiveReader.load('tiny-reader');
}

/** The path of a cache in a temporary folder. */
async function cachePath(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-readings-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return join(folder, 'tiny.readings');
}

test('readRun gives the same answers as reading each question alone', async t => {
	const reader = await loadReader();
	const readings = await readRun(reader, questions, run, passages);
	t.deepEqual(readings.questions, ['canal', 'builder', 'nobody', 'lost']);
	t.is(readings.depth, 5);
	for (const scoring of ['original', 'normalized', 'probability', 'summedProbability'] as const) {
		for (const merge of ['text', 'normalized'] as const) {
			for (const evidence of [
				{beta: 1, gamma: 0},
				{beta: 0.5, gamma: 0.3},
			]) {
				const answers = await readings.answers({scoring, merge, evidence});
				t.deepEqual([...answers.keys()], ['canal', 'builder']);
				for (const [id, answer] of answers) {
					const {text} = questions.find(question => question.id === id)!;
					const retrieved = run.get(id)!.map(hit => ({...passages.get(hit.id)!, score: hit.score}));
					const [expected] = await reader.read(text, retrieved, {scoring, merge, evidence});
					t.deepEqual(answer, expected);
					t.is(passages.get(answer.passageId)!.text.slice(answer.start, answer.end), answer.text);
				}
			}
		}
	}
});

test('`depth` limits the number of passages that are read per question, and `passages` the number that is used', async t => {
	const reader = await loadReader();
	const readings = await readRun(reader, questions, run, passages);
	// Reading only the first passage gives the same answers as reading all and using the first.
	const shallow = await readRun(reader, questions, run, passages, {depth: 1});
	const first = await readings.answers({passages: 1});
	t.is(first.get('canal')!.passageId, 'panama');
	t.is(first.get('builder')!.passageId, 'forth');
	t.deepEqual(
		[...(await shallow.answers()).values()].map(({text}) => text),
		[...first.values()].map(({text}) => text),
	);
	t.is(shallow.depth, 1);
});

test('exactMatch judges the best answers; questions without accepted answers are left out, and those without hits are wrong', async t => {
	const readings = await readRun(await loadReader(), questions, run, passages);
	for (const scoring of ['original', 'normalized', 'probability', 'summedProbability'] as const) {
		const options = {scoring, evidence: {beta: 1, gamma: 0.1}, merge: 'normalized'} as const;
		const right = await readings.exactMatch(questions, {...options, passages: [5, 1, 2, 1]});
		t.deepEqual([...right.keys()], [1, 2, 5]);
		for (const [count, matches] of right) {
			t.deepEqual([...matches.keys()], ['canal', 'builder', 'lost']);
			const answers = await readings.answers({...options, passages: count});
			for (const {id, answers: accepted} of questions.filter(question => question.answers.length > 0)) {
				t.is(matches.get(id), exactMatch(answers.get(id)?.text ?? 'no answer', accepted) ? 1 : 0, `${scoring}, ${count}, ${id}`);
			}
		}
	}
	await t.throwsAsync(readings.exactMatch([{id: 'x', text: 'y', answers: ['z']}], {passages: [1]}), {
		code: 'ERR_ARGUMENT',
		message: 'questions: expected at least one that was read, got none: the readings begin with "canal", the questions with "x"',
	});
});

test('accepted answers can be patterns, for exact match and for tuning', async t => {
	const readings = await readRun(await loadReader(), questions, run, passages);
	const patterns: Question[] = [
		{id: 'canal', text: 'In which month and year was the Suez Canal opened?', answers: [String.raw`(in )?Aug\w+|november`, '(']},
		{id: 'builder', text: 'Who built the first pianos?', answers: ['.*(cristofori|Forth|bridge)']},
	];
	let right = 0;
	for (const scoring of ['original', 'normalized', 'probability'] as const) {
		for (const merge of ['text', 'normalized'] as const) {
			const matches = await readings.exactMatch(patterns, {scoring, merge, answerKind: 'pattern', passages: [1, 2, 3, 5]});
			for (const [count, matchesOfCount] of matches) {
				const answers = await readings.answers({scoring, merge, passages: count});
				for (const {id, answers: accepted} of patterns) {
					// These patterns mean the same in JavaScript and Python. The invalid one matches nothing.
					const expected = accepted.filter(one => one !== '(').some(one => new RegExp(`^(?:${one})`, 'iu').test(answers.get(id)!.text));
					t.is(matchesOfCount.get(id), expected ? 1 : 0, `${scoring}, ${merge}, ${count}, ${id}: ${answers.get(id)!.text}`);
					t.is(exactMatch(answers.get(id)!.text, accepted, 'pattern'), expected);
					right += Number(expected);
				}
			}
		}
	}
	t.true(right > 0, 'some answers match');
	const tuned = await tuneEvidence(readings, patterns, {scoring: 'original', answerKind: 'pattern', passages: [1, 5]});
	// Checks only every 17th trial, to keep the test short.
	for (const {beta, gamma, passages: count, exactMatch: share} of tuned.trials.filter((_, i) => i % 17 === 0)) {
		const matches = await readings.exactMatch(patterns, {
			scoring: 'original',
			answerKind: 'pattern',
			evidence: {beta, gamma},
			passages: [count],
		});
		t.is(share, [...matches.get(count)!.values()].reduce((sum: number, value) => sum + value, 0) / 2);
	}
	await t.throwsAsync(readings.exactMatch(patterns, {answerKind: 'regex' as 'pattern', passages: [1]}), {
		code: 'ERR_ARGUMENT',
		message: /^answerKind: /u,
	});
});

test('passages with cached readings are not read again, even if the passages come from a store or the reader is closed', async t => {
	const path = await cachePath(t);
	const reader = await loadReader();
	const store = `${path}.pkstore`;
	await PassageStore.write(passages.values(), store);
	await using openStore = await PassageStore.open(store);
	{
		await using cache = await ReadingCache.open(path, reader);
		// The first question has five passages, and all questions together have nine.
		await readRun(reader, questions.slice(0, 1), run, passages, {cache});
		t.is(cache.size, 5);
		await readRun(reader, questions, run, passages, {cache});
		t.is(cache.size, 9);
	}
	const expected = await readRun(reader, questions, run, passages);
	await using cache = await ReadingCache.open(path, reader);
	reader.close();
	const progress: Progress[] = [];
	const readings = await readRun(reader, questions, run, openStore, {cache, onProgress: each => progress.push(each)});
	t.deepEqual(progress.at(-1), {done: 9, total: 9});
	const options = {evidence: {beta: 1, gamma: 0.2}};
	const texts = (answers: ReadonlyMap<string, {text: string}>): string[] => [...answers.values()].map(({text}) => text);
	t.deepEqual(texts(await readings.answers(options)), texts(await expected.answers(options)));
	// One more passage must be read, but the reader is closed.
	const more = new Map([['builder', hits('piano', 'panama')]]);
	await t.throwsAsync(readRun(reader, questions, more, openStore, {cache}), {code: 'ERR_CLOSED', message: 'this reader was closed'});
	cache.close();
	await t.throwsAsync(readRun(reader, questions, run, openStore, {cache}), {
		code: 'ERR_CLOSED',
		message: 'this cache of readings was closed',
	});
});

test('a truncated cache keeps its complete readings, and the others are computed again', async t => {
	const path = await cachePath(t);
	const reader = await loadReader();
	/** Reads the run and returns the number of readings that were in the cache before. */
	const read = async (): Promise<number> => {
		await using cache = await ReadingCache.open(path, reader);
		const sizeBefore = cache.size;
		await readRun(reader, questions, run, passages, {cache});
		return sizeBefore;
	};
	t.is(await read(), 0);
	const whole = (await stat(path)).size;
	await truncate(path, whole - 1);
	t.is(await read(), 8);
	t.is((await stat(path)).size, whole);
	await appendFile(path, 'half a reading');
	t.is(await read(), 9);
	t.is((await stat(path)).size, whole);
});

test('if the length of a record in a cache is damaged, only its reading is lost; the damaged bytes are counted, and the reading is computed again', async t => {
	const path = await cachePath(t);
	const reader = await loadReader();
	let size = 0;
	{
		await using cache = await ReadingCache.open(path, reader);
		await readRun(reader, questions, run, passages, {cache});
		size = cache.size;
		t.is(cache.damagedBytes, 0);
	}
	const bytes = await readFile(path);
	// The file begins with a magic number and a version (12 bytes), the length of the reader's identity, the identity and a checksum. The
	// length of the first record follows.
	const first = 16 + bytes.readUInt32LE(12) + 4;
	const length = bytes.readUInt32LE(first);
	bytes.writeUInt32LE(length + 16, first);
	await writeFile(path, bytes);
	{
		await using cache = await ReadingCache.open(path, reader);
		t.is(cache.size, size - 1);
		// A record is a length (4 bytes), a checksum (4), a key (16) and `length` bytes of the reading. All of them are skipped.
		t.is(cache.damagedBytes, 24 + length);
		await readRun(reader, questions, run, passages, {cache});
		t.is(cache.size, size);
	}
	await using cache = await ReadingCache.open(path, reader);
	t.is(cache.size, size);
});

test('a cache of another reader or of other settings is refused, and its file is not changed', async t => {
	const path = await cachePath(t);
	const reader = await loadReader();
	{
		await using cache = await ReadingCache.open(path, reader, {spansPerPassage: 3});
		await readRun(reader, questions, run, passages, {cache});
		await t.throwsAsync(readRun(reader, questions, run, passages, {cache, spansPerPassage: 4}), {
			code: 'ERR_READER_MISMATCH',
			message: /^readRun: expected a cache of readings of model [0-9a-f]{64}, .*, spansPerPassage 4, .* got one of .*, spansPerPassage 3,/u,
		});
	}
	const before = await readFile(path);
	for (const opening of [
		async () => ReadingCache.open(path, reader),
		async () => ReadingCache.open(path, await ExtractiveReader.load('minilm-reader'), {spansPerPassage: 3}),
		async () => ReadingCache.open(path, await ExtractiveReader.load('tiny-reader', {maxTokens: 100}), {spansPerPassage: 3}),
	]) {
		await t.throwsAsync(opening(), {code: 'ERR_READER_MISMATCH', message: /expected readings of model .* got those of model/u});
	}
	t.deepEqual(await readFile(path), before);
	await writeFile(path, 'something else altogether');
	await t.throwsAsync(ReadingCache.open(path, reader), {code: 'ERR_INDEX_CORRUPT', message: /a file that begins with "somethin"/u});
});

test('a cache that is open cannot be opened again, in the same process or in another one', async t => {
	const path = await cachePath(t);
	const reader = await loadReader();
	const cache = await ReadingCache.open(path, reader);
	await t.throwsAsync(ReadingCache.open(path, reader), {code: 'ERR_INDEX_LOCKED'});
	/** Opens the cache in another process. Returns "opened", or the code of the error. */
	const openElsewhere = async (): Promise<string> => {
		const source = `
			import {ExtractiveReader, ReadingCache} from ${JSON.stringify(join(packageRoot, 'ts/index.ts'))};
			const reader = await ExtractiveReader.load('tiny-reader');
			await ReadingCache.open(${JSON.stringify(path)}, reader).then(() => console.log('opened'), error => console.log(error.code));
		`;
		const {stdout} = await promisify(execFile)(process.execPath, ['--import=tsx', '--input-type=module', '--eval', source], {
			cwd: packageRoot,
		});
		return stdout.trim();
	};
	t.is(await openElsewhere(), 'ERR_INDEX_LOCKED');
	cache.close();
	t.is(await openElsewhere(), 'opened');
});

test('a canceled call keeps the readings that were completed', async t => {
	const path = await cachePath(t);
	const reader = await ExtractiveReader.load('tiny-reader', {batchTokens: 100});
	const {articles, questions: questionsOf} = encyclopedia();
	const texts = new Map<string, Passage>();
	for await (const {id, text} of readPassages(articles)) {
		texts.set(id, {id, text});
	}
	const testQuestions = await questionsOf('test');
	// For every question, all passages of the encyclopedia are read, which takes a long time.
	const long = new Map(testQuestions.map(({id}) => [id, hits(...texts.keys())]));
	await using cache = await ReadingCache.open(path, reader);
	const controller = new AbortController();
	const reason = new Error('enough');
	const reading = readRun(reader, testQuestions, long, texts, {
		cache,
		signal: controller.signal,
		onProgress({done}) {
			if (done > 100) {
				controller.abort(reason);
			}
		},
	});
	t.is(await t.throwsAsync(reading), reason);
	t.true(cache.size > 50 && cache.size < testQuestions.length * texts.size, `${cache.size} readings kept`);
});

test('tuning gives the same trials on any number of threads, and each trial has the exact match of its answers', async t => {
	const readings = await readRun(await loadReader(), questions, run, passages);
	const answerable = questions.filter(({answers}) => answers.length > 0);
	for (const scoring of ['original', 'normalized'] as const) {
		const progress: Progress[] = [];
		const tuned = await tuneEvidence(readings, questions, {
			scoring,
			passages: [1, 2, 5],
			threads: 2,
			onProgress: each => progress.push(each),
		});
		t.deepEqual(tuned, await tuneEvidence(readings, questions, {scoring, passages: [1, 2, 5], threads: 1}));
		t.is(progress.at(-1)!.done, progress.at(-1)!.total);
		const first = tuned.trials.slice(0, 3).map(({beta, gamma, passages: count}) => [beta, gamma, count]);
		t.deepEqual(
			first,
			[1, 2, 5].map(count => [scoring === 'original' ? 1 : 0.2, 0, count]),
		);
		// Checks only every 41st trial, to keep the test short.
		for (const {beta, gamma, passages: count, exactMatch: share} of tuned.trials.filter((_, i) => i % 41 === 0)) {
			const answers = await readings.answers({scoring, evidence: {beta, gamma}, passages: count});
			const right = answerable.filter(({id, answers: accepted}) => exactMatch(answers.get(id)?.text ?? 'no answer', accepted));
			t.is(share, right.length / answerable.length, `${scoring}: β ${beta}, γ ${gamma}, ${count} passages`);
		}
		const best = Math.max(...tuned.trials.map(trial => trial.exactMatch));
		t.is(tuned.exactMatch, best);
		t.is(tuned.passages, Math.min(...tuned.trials.filter(trial => trial.exactMatch === best).map(trial => trial.passages)));
	}
});

test('tuning tries γ in coarse and then in fine steps, and by default uses all passages if fewer than 20 were read', async t => {
	const readings = await readRun(await loadReader(), questions, run, passages);
	// No answer is correct, so the smallest γ, the weight of retrieval scores, wins: 0. Tuning tries γ at intervals of 0.05, and then at
	// intervals of 0.01 up to 0.04 above and below the best value. Here, there are no values below it.
	const lost = questions.filter(({id}) => id === 'lost');
	const {trials, evidence} = await tuneEvidence(readings, lost, {scoring: 'original', gamma: {from: 0, to: 0.1}});
	t.deepEqual(
		trials.map(({gamma}) => gamma),
		[0, 0.05, 0.1, 0.01, 0.02, 0.03, 0.04],
	);
	t.deepEqual(evidence, {beta: 1, gamma: 0});
	t.true(
		trials.every(({passages: count}) => count === 5),
		'fewer than 20 passages were read, so all of them are used',
	);
});

test('invalid arguments are refused', async t => {
	const reader = await loadReader();
	await t.throwsAsync(readRun(reader, [questions[0]!, questions[0]!], run, passages), {
		code: 'ERR_DUPLICATE_ID',
		message: 'questions: expected distinct ids, got "canal" twice',
	});
	await t.throwsAsync(readRun(reader, questions, new Map([['canal', hits('atlantis')]]), passages), {
		code: 'ERR_ARGUMENT',
		message: 'readRun: expected the text of every passage of the run, got none for "atlantis"',
	});
	await t.throwsAsync(readRun(reader, questions, new Map([['canal', [{id: 'suez', score: Number.NaN}]]]), passages), {
		code: 'ERR_ARGUMENT',
		message: 'run: hits[0] of query "canal": score: expected a finite 32-bit number, got NaN',
	});
	const readings = await readRun(reader, questions, run, passages);
	await t.throwsAsync(readings.answers({scoring: 'best' as 'original'}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(readings.exactMatch(questions, {passages: []}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(tuneEvidence(readings, questions, {delta: {from: 1, to: 0}}), {
		message: 'delta: expected a range that does not end below its start, got 1 to 0',
	});
	await t.throwsAsync(tuneEvidence(readings, questions, {beta: {from: -1, to: 0}}), {
		code: 'ERR_ARGUMENT',
		message: /for beta, one above 0/u,
	});
	await t.throwsAsync(tuneEvidence(readings, [questions[2]!]), {
		message: 'tuneEvidence: expected questions with accepted answers, got none',
	});
});
