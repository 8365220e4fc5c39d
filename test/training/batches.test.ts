// The batches of an encoder's training.
import test from 'ava';
import {type TrainingExample} from '../../ts/index.ts';
import {Batches, makeBatch} from '../../ts/training/encoder/batches.ts';
import {seededRandom} from '../../ts/training/run/random-order.ts';

/** Makes examples from a pool of few passages, so that positives of one question are negatives of others, and texts repeat. */
function randomExamples(seed: number, count: number): TrainingExample[] {
	const random = seededRandom(seed);
	const pool = Array.from({length: 12}, (_, i) => ({id: `p${i}`, title: `title ${i}`, text: `text ${i % 9}`}));
	const some = (least: number): typeof pool => {
		const length = least + Math.floor(random() * 3);
		return Array.from({length}, () => pool[Math.floor(random() * pool.length)]!);
	};
	return Array.from({length: count}, (_, i) => ({
		question: `question ${i}`,
		answers: [],
		positives: some(1),
		hardNegatives: some(0),
		negatives: some(0),
	}));
}

test('no passage is a positive and a negative of the same question in a batch, and each passage is in the batch once', t => {
	for (let seed = 0; seed < 200; seed += 1) {
		const examples = randomExamples(seed, 6);
		const batch = makeBatch(examples, {hardNegatives: 2, negatives: 1, inBatch: true}, seededRandom(seed, 1));
		const passages = batch.texts.map((text, i) => `${batch.titles[i]} ${text}`);
		t.is(new Set(passages).size, passages.length);
		for (const [question, {positives}] of examples.entries()) {
			const excluded = new Set(batch.excluded.filter((_, i) => i % 2 === 1 && batch.excluded[i - 1] === question));
			const positive = batch.positives[question]!;
			t.is(passages[positive], `${positives[0]!.title} ${positives[0]!.text}`);
			t.false(excluded.has(positive));
			const texts = new Set(positives.map(({text}) => text));
			for (const [passage, text] of batch.texts.entries()) {
				if (passage !== positive) {
					t.is(excluded.has(passage), texts.has(text), `seed ${seed}, question ${question}, passage ${passage}`);
				}
			}
		}
	}
});

test('repeat uses the examples of a data set as often as it says in each epoch', async t => {
	const examples = ['a', 'b', 'c'].flatMap(dataset =>
		randomExamples(1, 4).map((each, i) => ({...each, dataset, question: `${dataset}${i}`})),
	);
	const options = {batchSize: 2, hardNegatives: 0, negatives: 0, inBatch: true, repeat: {a: 3, b: 0}, seed: 1};
	const batches = new Batches(examples, options);
	t.is(batches.batchCount, 8);
	for (const epoch of [1, 2]) {
		const used = new Map<string, number>();
		for (let number = 0; number < batches.batchCount; number += 1) {
			for (const question of (await batches.batch(epoch, number)).questions) {
				used.set(question, (used.get(question) ?? 0) + 1);
			}
		}
		t.deepEqual(Object.fromEntries([...used].sort()), {a0: 3, a1: 3, a2: 3, a3: 3, c0: 1, c1: 1, c2: 1, c3: 1});
	}
});
