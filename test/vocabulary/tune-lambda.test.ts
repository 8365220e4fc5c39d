// Tests tuning λ, the weight of the lexical vectors in lexical enrichment.
import {join} from 'node:path';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {type Encoder, FlatIndex, LexicalEnrichment, type Query, RetrievalError, VocabularyProjection, tuneLambda} from '../../ts/index.ts';

const projection = await VocabularyProjection.load(join(packageRoot, 'models/tiny-encoder'));
const DIM = 128;

const animals = ['fox', 'hen', 'horse', 'cow', 'dog', 'cat', 'bird', 'fish', 'sheep', 'bear'];
const passages = animals.map((animal, i) => ({id: `p${i}`, text: `the ${animal} by the river`}));
const queries: Query[] = animals.map((animal, i) => ({id: `q${i}`, text: `where is the ${animal}?`}));

/** An encoder that gives every question nearly the vector of the next animal's passage. Only lexical vectors find the right passage. */
const misled: Encoder = {
	dim: DIM,
	identity: 'misled',
	async encode(inputs) {
		const data = new Float32Array(inputs.length * DIM);
		for (const [row, input] of inputs.entries()) {
			const text = typeof input === 'string' ? input : input.text;
			const animal = animals.findIndex(animal => text.includes(animal));
			// Only questions start with "where".
			data[row * DIM + ((animal + (text.startsWith('where') ? 1 : 0)) % animals.length)] = 1;
			// Without this number, most scores would be equal.
			data[row * DIM + animals.length] = (animal + 1) / 1000;
		}
		return {data, rows: inputs.length, dim: DIM};
	},
};

const enriched = LexicalEnrichment.fit({encoder: misled, projection, idf: passages}, {tokens: 'static'});
const qrels = new Map(queries.map(({id}, i) => [id, new Map([[`p${i}`, 1]])]));

test('the score of each λ equals that of a search with this λ, and the best λ is chosen', async t => {
	const lambdas = [0, 0.5, 1, 2, 4];
	const progress: number[] = [];
	const found = await tuneLambda(
		await enriched,
		passages,
		{queries, qrels, measure: 'RR@3'},
		{grid: lambdas, onProgress: ({done}) => progress.push(done)},
	);
	for (const {lambda, score} of found.curve) {
		const encoder = (await enriched).withLambda(lambda);
		const index = new FlatIndex({dim: DIM});
		await index.add(
			passages.map(({id}) => id),
			await encoder.encode(passages),
		);
		const lists = await index.searchMany(await encoder.encode(queries.map(({text}) => text)), {k: 3});
		const ranks = lists.map((hits, i) => hits.findIndex(({id}) => id === `p${i}`) + 1);
		const expected = ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / queries.length;
		t.true(Math.abs(score - expected) < 1e-9, `λ ${lambda}: expected ${expected}, got ${score}`);
	}
	t.deepEqual(
		found.curve.map(({lambda}) => lambda),
		lambdas,
	);
	t.is(found.score, Math.max(...found.curve.map(({score}) => score)));
	t.is(found.curve.find(({score}) => score === found.score)!.lambda, found.lambda);
	t.true(found.lambda > 0 && found.score === 1 && found.curve[0]!.score < 0.5);
	// Progress counts ten passages, ten questions, and ten questions per λ.
	t.deepEqual(progress, [10, 20, 30, 40, 50, 60, 70]);
});

test('for an encoder with unit vectors, passages are ranked by the cosine similarity of enriched vectors', async t => {
	const unit: Encoder = {
		...misled,
		async encode(inputs) {
			const {data, ...rest} = await misled.encode(inputs);
			for (let row = 0; row < rest.rows; row++) {
				const vector = data.subarray(row * DIM, (row + 1) * DIM);
				// Texts without an animal, such as those with which `fit` tests the encoder, have a direction of their own.
				vector[DIM - 1] = 0;
				vector[DIM - 1] = vector.some(value => value !== 0) ? 0 : 1;
				const length = Math.hypot(...vector);
				vector.forEach((value, i) => (vector[i] = value / length));
			}
			return {data, ...rest};
		},
	};
	const fitted = await LexicalEnrichment.fit({encoder: unit, projection, idf: passages}, {tokens: 'static'});
	t.true(fitted.renormalize);
	const sums = await LexicalEnrichment.fit({encoder: unit, projection, idf: passages}, {tokens: 'static', renormalize: false});
	const lambdas = [0, 0.3, 0.6, 1, 2];
	let testedLambdas = 0;
	// With `renormalize: false`, passages are ranked by the inner products of e + λ · lex, where e is the encoder's vector of a text and lex
	// its lexical vector.
	for (const enrichment of [fitted, sums]) {
		const {curve} = await tuneLambda(enrichment, passages, {queries, qrels, measure: 'RR'}, {grid: lambdas});
		for (const {lambda, score} of curve) {
			const {vectors: q, lexical: lexQ} = await enrichment.parts(queries.map(({text}) => text));
			const {vectors: p, lexical: lexP} = await enrichment.parts(passages);
			const row = ({data}: {data: Float32Array}, at: number): number[] => [...data.subarray(at * DIM, (at + 1) * DIM)];
			const enrich = (e: readonly number[], lex: readonly number[]): number[] => {
				const sum = e.map((value, i) => value + lambda * lex[i]!);
				const length = enrichment.renormalize ? Math.hypot(...sum) : 1;
				return sum.map(value => value / length);
			};
			let expected = 0;
			for (const i of queries.keys()) {
				const question = enrich(row(q, i), row(lexQ, i));
				const scores = passages.map((_, j) => enrich(row(p, j), row(lexP, j)).reduce((dot, value, at) => dot + value * question[at]!, 0));
				// The reciprocal rank of passage i, which is the relevant one.
				expected += 1 / (scores.filter(value => value > scores[i]!).length + 1) / queries.length;
			}
			t.true(Math.abs(score - expected) < 1e-9, `λ ${lambda}: expected ${expected}, got ${score}`);
			testedLambdas++;
		}
	}
	t.is(testedLambdas, 2 * lambdas.length);
});

test('each fold of the questions is measured with the λ that is best for the other folds', async t => {
	const found = await tuneLambda(await enriched, passages, {queries, qrels, measure: 'Success@1'}, {grid: [0, 4], folds: 5});
	t.deepEqual(
		found.folds,
		Array.from({length: 5}, () => ({lambda: 4, score: 1})),
	);
	t.is(found.heldOut, 1);
	// For question q0, the relevant passage is now the one that the encoder itself finds, so lexical vectors are misleading. Each of the
	// ten folds has one question. The other nine always prefer λ = 4, with which q0 fails.
	const otherQrels = new Map(qrels);
	otherQrels.set('q0', new Map([['p1', 1]]));
	const mixed = await tuneLambda(await enriched, passages, {queries, qrels: otherQrels, measure: 'Success@1'}, {grid: [0, 4], folds: 10});
	t.is(mixed.lambda, 4);
	t.is(mixed.score, 0.9);
	t.is(mixed.heldOut, 0.9);
	// The folds are deterministic.
	t.deepEqual(
		await tuneLambda(await enriched, passages, {queries, qrels: otherQrels, measure: 'Success@1'}, {grid: [0, 4], folds: 10}),
		mixed,
	);
});

test('answers in passages can be the objective, and the first of several equally good values of λ wins', async t => {
	const questions = queries.map((query, i) => ({...query, answers: [animals[i]!]}));
	const unanswerable = {id: 'none', text: 'where is it?', answers: []};
	const found = await tuneLambda(await enriched, passages, {questions: [...questions, unanswerable], k: 1}, {grid: [4, 5, 0]});
	t.deepEqual([found.lambda, found.score], [4, 1]);
	t.true(found.curve[2]!.score < 0.5);
});

test('invalid arguments are refused', async t => {
	const refused = async (work: Promise<unknown>, message: RegExp): Promise<void> => {
		const error = (await t.throwsAsync(work, {instanceOf: RetrievalError})) as RetrievalError;
		t.is(error.code, 'ERR_ARGUMENT');
		t.regex(error.message, message);
	};
	const objective = {queries, qrels, measure: 'RR@3'} as const;
	await refused(tuneLambda(await enriched, passages, objective, {grid: []}), /^grid: expected numbers of at least 0, got \[\]$/u);
	await refused(tuneLambda(await enriched, passages, objective, {grid: [1, -1]}), /got \[1, -1\]$/u);
	await refused(tuneLambda(await enriched, passages, objective, {folds: 1}), /^folds: expected a whole number of at least 2, got 1$/u);
	await refused(
		tuneLambda(await enriched, passages, objective, {folds: 11}),
		/^questions: expected at least one for each of 11 folds, got 10$/u,
	);
	await refused(tuneLambda(misled as never, passages, objective), /^tuneLambda: expected a LexicalEnrichment/u);
});
