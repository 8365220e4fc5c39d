// Measures how the initial temperature of the gradient descent affects the accuracy of model uncertainty fusion (Yang et al., 2023, §4.2
// and figure 2), on the bundled encyclopedia. This fusion returns the hits of the most confident model. The confidences depend on a
// temperature T, which is fitted on development questions. The benchmark compares passagekit's descent (`ours`) with the formulas of Yang
// et al. evaluated literally in 32-bit (`plain32`) and 64-bit (`plain64`) arithmetic, where exp(score / T) can overflow.
// docs/calibration.md has the results.
//
// A "model" is one encoder with phrases of a certain length: M1, M3 and M5 have phrases of 1, 3 and 5 sentences, M0 whole passages.
import {type ModelOutcomes, fitFusionTemperature, fuseByConfidence, judgedScores, selectModels} from '../../ts/calibration/index.ts';
import {encyclopedia, readPassages, readQrels} from '../../ts/corpus/index.ts';
import {OnnxEncoder} from '../../ts/encoders/index.ts';
import type {Hit, Passage, Qrels, Query, Run, Vectors} from '../../ts/core/types.ts';
import type {Benchmark} from '../support/benchmark.ts';

/** Factors that all scores are multiplied by. A larger factor makes exp(score / T) overflow at higher temperatures T, too. */
const SCALES = [1, 10, 100];
/** Initial temperatures. */
const STARTS = [1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
/** Number of best phrases per question whose scores determine the confidence of a model. The lists of passages have the same length. */
const DEPTH = 30;

export const temperature: Benchmark = async say => {
	const {articles, qrels, questions} = encyclopedia();
	const passages: Passage[] = [];
	for await (const passage of readPassages(articles)) {
		passages.push(passage);
	}
	const encoder = await OnnxEncoder.load('minilm-encoder');
	const judgments = await readQrels(qrels);
	const [development, test] = [[...(await questions('train')), ...(await questions('dev'))], await questions('test')];
	const qrelsOf = (queries: readonly Query[]): Qrels => new Map(queries.map(({id}) => [id, judgments.get(id)!]));
	const models: Model[] = [];
	for (const sentences of [0, 1, 3, 5]) {
		say(`M${sentences}`);
		models.push(await searchPhrases(`M${sentences}`, sentences, passages, encoder, development, test));
	}
	const accuracyOf = async (run: Run): Promise<number> => share((await judgedScores(run, qrelsOf(test), {depth: 1})).correct);
	const singleAccuracies = await Promise.all(models.map(async ({name, test}) => [name, await accuracyOf(test.run)] as const));
	const selected = await selectModels(
		models.map(model => ({...model, run: model.development.run})),
		qrelsOf(development),
	);
	const candidates: EvaluatedModel[] = await Promise.all(
		selected.map(async ({name, development: {run, phrases}, test: testResults}) => {
			const outcomes = await judgedScores(run, qrelsOf(development), {depth: DEPTH, phrases});
			return {name, run: testResults.run, phrases: testResults.phrases, outcomes};
		}),
	);
	const fusedAccuracy = async (models: readonly EvaluatedModel[], temperature: number): Promise<number> =>
		accuracyOf(
			(
				await fuseByConfidence(
					models.map(({name, run, phrases}) => ({name, run, phrases})),
					{depth: DEPTH, temperature},
				)
			).run,
		);
	// Without options, `fitFusionTemperature` searches for the temperature instead of using gradient descent.
	const searched = await fitFusionTemperature(candidates.map(({outcomes}) => outcomes));
	const results = [];
	for (const scale of SCALES) {
		const scaled = candidates.map(({name, run, phrases, outcomes: {scores, correct}}) => ({
			name,
			run,
			phrases: multiplied(phrases, scale),
			outcomes: {scores: {...scores, data: scores.data.map(score => score * scale)}, correct},
		}));
		const outcomes = scaled.map(model => model.outcomes);
		const rows = [];
		for (const start of STARTS) {
			const row: Record<string, unknown> = {start};
			for (const variant of ['plain32', 'plain64', 'ours'] as const) {
				const round: Rounding = variant === 'plain32' ? Math.fround : value => value;
				const temperature =
					variant === 'ours'
						? (await fitFusionTemperature(outcomes, {method: 'descent', start})).temperature
						: plainDescent(outcomes, start, round);
				const accuracy =
					variant === 'ours' ? await fusedAccuracy(scaled, temperature) : await accuracyOf(plainFusion(scaled, temperature, round));
				row[variant] = {accuracy, temperature: Number(temperature.toPrecision(3))};
			}
			rows.push(row);
			say(`scores × ${scale}: ${JSON.stringify(row)}`);
		}
		results.push({size: scale, rows});
	}
	return {
		development: development.length,
		test: test.length,
		single: Object.fromEntries(singleAccuracies),
		selected: selected.map(({name}) => name),
		searched: {...searched, accuracy: await fusedAccuracy(candidates, searched.temperature)},
		sizes: results,
	};
};

/** A model's results on a set of questions: the best passages and the best phrases for each question. */
interface Results {
	readonly run: Run;
	readonly phrases: Run;
}

/** A model's results on the development questions and on the test questions. */
interface Model {
	readonly name: string;
	readonly development: Results;
	readonly test: Results;
}

/**
A model's results on the test questions. `outcomes` is about the development questions: for each of them, it has the scores of the model's
best phrases, and whether the model's best passage is relevant. Temperatures are fitted to these outcomes.
*/
interface EvaluatedModel extends Results {
	readonly name: string;
	readonly outcomes: ModelOutcomes;
}

/** The share of values that are true. */
const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;

/** Returns a copy of a run with all scores multiplied by `factor` and rounded to 32 bits. */
const multiplied = (run: Run, factor: number): Run =>
	new Map([...run].map(([query, hits]) => [query, hits.map(({id, score}) => ({id, score: Math.fround(score * factor)}))]));

/**
Cuts passages into phrases of `sentences` sentences, or leaves them whole if `sentences` is 0. Searches the phrases exhaustively for
development and test questions. The score of a passage is that of its best phrase.
*/
async function searchPhrases(
	name: string,
	sentences: number,
	passages: readonly Passage[],
	encoder: OnnxEncoder,
	development: readonly Query[],
	test: readonly Query[],
): Promise<Model> {
	const splitter = new Intl.Segmenter('en', {granularity: 'sentence'});
	const phrases = passages.flatMap(({text, title}, passage) => {
		const parts = sentences === 0 ? [text] : Array.from(splitter.segment(text), ({segment}) => segment.trim()).filter(part => part !== '');
		const length = sentences === 0 ? 1 : sentences;
		return Array.from({length: Math.ceil(parts.length / length)}, (_, i) => ({
			passage,
			input: {text: parts.slice(i * length, (i + 1) * length).join(' '), ...(title === undefined ? {} : {title})},
		}));
	});
	const vectors = await encoder.encode(phrases.map(({input}) => input));
	const results: Results[] = [];
	for (const queries of [development, test]) {
		const queryVectors = await encoder.encode(queries.map(({text}) => text));
		const [run, bestPhrases]: [Map<string, Hit[]>, Map<string, Hit[]>] = [new Map(), new Map()];
		for (const [query, {id}] of queries.entries()) {
			const scores = phrases.map((_, row) => innerProduct(vectors, row, queryVectors, query));
			const passageScores = new Float32Array(passages.length).fill(-Infinity);
			for (const [row, {passage}] of phrases.entries()) {
				passageScores[passage] = Math.max(passageScores[passage]!, scores[row]!);
			}
			run.set(id, top(Array.from(passageScores, (score, passage) => ({id: passages[passage]!.id, score}))));
			bestPhrases.set(id, top(scores.map((score, row) => ({id: String(row), score: Math.fround(score)}))));
		}
		results.push({run, phrases: bestPhrases});
	}
	return {name, development: results[0]!, test: results[1]!};
}

/** Returns the `DEPTH` best hits, best first. */
const top = (hits: Hit[]): Hit[] => hits.sort((a, b) => b.score - a.score).slice(0, DEPTH);

/** Returns the inner product of a row of `a` and a row of `b`. */
function innerProduct(a: Vectors, row: number, b: Vectors, query: number): number {
	let sum = 0;
	for (let i = 0; i < a.dim; i++) {
		sum += a.data[row * a.dim + i]! * b.data[query * a.dim + i]!;
	}
	return sum;
}

/** Rounds a number to 32 bits, or returns it unchanged for 64-bit arithmetic. */
type Rounding = (value: number) => number;

/**
Returns the confidence exp(p₁ / T) / Σ exp(p / T) of the highest score p₁, evaluated literally, and its derivative with respect to T
(`slope`). The scores p are in descending order. exp(p / T) may be infinite, and ∞ / ∞ is NaN.
*/
function plainConfidence(scores: readonly number[], temperature: number, round: Rounding): {confidence: number; slope: number} {
	const weights = scores.map(score => round(Math.exp(round(score / temperature))));
	const sum = weights.reduce((total, weight) => round(total + weight), 0);
	const confidence = round(weights[0]! / sum);
	const mean = weights.reduce((total, weight, i) => total + weight * scores[i]!, 0) / sum;
	return {confidence, slope: (confidence * (mean - scores[0]!)) / temperature ** 2};
}

/** Returns the position of the first NaN, or else of the first maximum, as NumPy's argmax does. */
function argmax(values: readonly number[]): number {
	const firstNan = values.findIndex(Number.isNaN);
	return firstNan < 0 ? values.indexOf(Math.max(...values)) : firstNan;
}

/**
Returns the temperature at which gradient descent on the squared calibration error ends, by the formulas of Yang et al.: one temperature for
all models, 10 bins, 100 steps, a step size of 100. A confidence that is NaN is in no bin. The temperature may become negative.
*/
function plainDescent(models: readonly ModelOutcomes[], start: number, round: Rounding): number {
	const {rows} = models[0]!.scores;
	let temperature = start;
	for (let step = 0; step < 100; step++) {
		const bins = Array.from({length: 10}, () => ({count: 0, confidence: 0, correctCount: 0, slope: 0}));
		for (let row = 0; row < rows; row++) {
			const confidences = models.map(({scores: {data, dim}}) =>
				plainConfidence([...data.subarray(row * dim, (row + 1) * dim)], temperature, round),
			);
			const model = argmax(confidences.map(({confidence}) => confidence));
			const {confidence, slope} = confidences[model]!;
			const bin = bins[Math.min(9, Math.floor(confidence * 10))];
			if (bin) {
				bin.count++;
				bin.confidence += confidence;
				bin.correctCount += Number(models[model]!.correct[row]);
				bin.slope += slope;
			}
		}
		let slope = 0;
		for (const bin of bins) {
			slope += bin.count === 0 ? 0 : (2 / rows) * (bin.confidence / bin.count - bin.correctCount / bin.count) * bin.slope;
		}
		temperature -= 100 * slope;
	}
	return temperature;
}

/** Returns, for each question, the passages of the model with the highest confidence. The confidences are evaluated literally. */
function plainFusion(models: readonly Results[], temperature: number, round: Rounding): Run {
	return new Map(
		[...models[0]!.run.keys()].map(query => {
			const confidences = models.map(({phrases}) => {
				const scores = phrases.get(query)!.map(({score}) => score);
				return plainConfidence(scores, temperature, round).confidence;
			});
			return [query, models[argmax(confidences)]!.run.get(query)!];
		}),
	);
}
