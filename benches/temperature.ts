// The effect of small initial temperatures on model uncertainty fusion (Yang et al., 2023, §4.2 and figure 2), on the encyclopedia.
import {type ModelOutcomes, fitFusionTemperature, fuseByConfidence, judgedScores, selectModels} from '../ts/calibration/index.ts';
import {encyclopedia, readPassages, readQrels} from '../ts/corpus/index.ts';
import {OnnxEncoder} from '../ts/encoders/index.ts';
import type {Hit, Passage, Qrels, Query, Run, Vectors} from '../ts/core/types.ts';
import type {Benchmark} from './benchmark.ts';

/** Scores of unit vectors, and the same multiplied by 10 and 100, for which exp(score / T) overflows sooner. */
const SIZES = [1, 10, 100];
const STARTS = [1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const DEPTH = 30;

export const temperature: Benchmark = async say => {
	const {articles, qrels, questions} = encyclopedia();
	const passages: Passage[] = [];
	for await (const passage of readPassages(articles)) {
		passages.push(passage);
	}
	const encoder = await OnnxEncoder.load('minilm-encoder');
	const judgements = await readQrels(qrels);
	const [development, test] = [[...(await questions('train')), ...(await questions('dev'))], await questions('test')];
	const judged = (of: readonly Query[]): Qrels => new Map(of.map(({id}) => [id, judgements.get(id)!]));
	const all: Model[] = [];
	for (const sentences of [0, 1, 3, 5]) {
		say(`M${sentences}`);
		all.push(await model(`M${sentences}`, sentences, passages, encoder, development, test));
	}
	const accuracyOf = async (run: Run): Promise<number> => share((await judgedScores(run, judged(test), {depth: 1})).correct);
	const single = await Promise.all(all.map(async ({name, test}) => [name, await accuracyOf(test.run)] as const));
	const selected = await selectModels(
		all.map(model => ({...model, run: model.development.run})),
		judged(development),
	);
	const models: Fitted[] = await Promise.all(
		selected.map(async ({name, development: {run, phrases}, test: held}) => {
			const outcomes = await judgedScores(run, judged([...run.keys()].map(id => ({id, text: ''}))), {depth: DEPTH, phrases});
			return {name, run: held.run, phrases: held.phrases, outcomes};
		}),
	);
	const fused = async (of: readonly Fitted[], temperature: number): Promise<number> =>
		accuracyOf(
			(
				await fuseByConfidence(
					of.map(({name, run, phrases}) => ({name, run, phrases})),
					{depth: DEPTH, temperature},
				)
			).run,
		);
	const searched = await fitFusionTemperature(models.map(({outcomes}) => outcomes));
	const sizes = [];
	for (const size of SIZES) {
		const grown = models.map(({name, run, phrases, outcomes: {scores, correct}}) => ({
			name,
			run,
			phrases: times(phrases, size),
			outcomes: {scores: {...scores, data: scores.data.map(score => score * size)}, correct},
		}));
		const outcomes = grown.map(model => model.outcomes);
		const rows = [];
		for (const start of STARTS) {
			const row: Record<string, unknown> = {start};
			for (const way of ['plain32', 'plain64', 'ours'] as const) {
				const round: Rounding = way === 'plain32' ? Math.fround : value => value;
				const temperature =
					way === 'ours'
						? (await fitFusionTemperature(outcomes, {method: 'descent', start})).temperature
						: plainDescent(outcomes, start, round);
				const accuracy = way === 'ours' ? await fused(grown, temperature) : await accuracyOf(plainFusion(grown, temperature, round));
				row[way] = {accuracy, temperature: Number(temperature.toPrecision(3))};
			}
			rows.push(row);
			say(`${size} ${JSON.stringify(row)}`);
		}
		sizes.push({size, rows});
	}
	return {
		development: development.length,
		test: test.length,
		single: Object.fromEntries(single),
		selected: selected.map(({name}) => name),
		searched: {...searched, accuracy: await fused(models, searched.temperature)},
		sizes,
	};
};

/** Results of a model: its best passages and its best phrases. */
interface Found {
	readonly run: Run;
	readonly phrases: Run;
}

interface Model {
	readonly name: string;
	readonly development: Found;
	readonly test: Found;
}

/** A model on test questions, and its outcomes on development questions. */
interface Fitted extends Found {
	readonly name: string;
	readonly outcomes: ModelOutcomes;
}

const share = (of: readonly boolean[]): number => of.filter(Boolean).length / of.length;

const times = (run: Run, size: number): Run =>
	new Map([...run].map(([query, hits]) => [query, hits.map(({id, score}) => ({id, score: Math.fround(score * size)}))]));

/** A passage scores as the best of its phrases of this number of sentences; 0 is the whole passage. */
async function model(
	name: string,
	sentences: number,
	passages: readonly Passage[],
	encoder: OnnxEncoder,
	...questions: ReadonlyArray<readonly Query[]>
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
	const found: Found[] = [];
	for (const asked of questions) {
		const queries = await encoder.encode(asked.map(({text}) => text));
		const [run, best]: [Map<string, Hit[]>, Map<string, Hit[]>] = [new Map(), new Map()];
		for (const [query, {id}] of asked.entries()) {
			const scores = phrases.map((_, row) => product(vectors, row, queries, query));
			const ofPassages = new Float32Array(passages.length).fill(-Infinity);
			for (const [row, {passage}] of phrases.entries()) {
				ofPassages[passage] = Math.max(ofPassages[passage]!, scores[row]!);
			}
			run.set(id, top(Array.from(ofPassages, (score, passage) => ({id: passages[passage]!.id, score}))));
			best.set(id, top(scores.map((score, row) => ({id: String(row), score: Math.fround(score)}))));
		}
		found.push({run, phrases: best});
	}
	return {name, development: found[0]!, test: found[1]!};
}

const top = (hits: Hit[]): Hit[] => hits.sort((a, b) => b.score - a.score).slice(0, DEPTH);

function product(a: Vectors, row: number, b: Vectors, query: number): number {
	let sum = 0;
	for (let i = 0; i < a.dim; i++) {
		sum += a.data[row * a.dim + i]! * b.data[query * a.dim + i]!;
	}
	return sum;
}

type Rounding = (value: number) => number;

/** The formula evaluated literally, with its derivative by T. exp(score / T) may be infinite, and ∞ / ∞ is NaN. */
function plainConfidence(scores: readonly number[], temperature: number, round: Rounding): {confidence: number; slope: number} {
	const weights = scores.map(score => round(Math.exp(round(score / temperature))));
	const sum = weights.reduce((sum, weight) => round(sum + weight), 0);
	const confidence = round(weights[0]! / sum);
	const mean = weights.reduce((all, weight, i) => all + weight * scores[i]!, 0) / sum;
	return {confidence, slope: (confidence * (mean - scores[0]!)) / temperature ** 2};
}

/** NumPy's argmax: the position of the first NaN, or else of the first maximum. */
function argmax(values: readonly number[]): number {
	const invalid = values.findIndex(Number.isNaN);
	return invalid < 0 ? values.indexOf(Math.max(...values)) : invalid;
}

/** Gradient descent by the formulas, with one temperature for all models; a NaN confidence is in no bin. T may fall below 0. */
function plainDescent(models: readonly ModelOutcomes[], start: number, round: Rounding): number {
	const {rows} = models[0]!.scores;
	let temperature = start;
	for (let step = 0; step < 100; step++) {
		const bins = Array.from({length: 10}, () => ({count: 0, confidence: 0, right: 0, slope: 0}));
		for (let row = 0; row < rows; row++) {
			const each = models.map(({scores: {data, dim}}) =>
				plainConfidence([...data.subarray(row * dim, (row + 1) * dim)], temperature, round),
			);
			const model = argmax(each.map(({confidence}) => confidence));
			const {confidence, slope} = each[model]!;
			const bin = bins[Math.min(9, Math.floor(confidence * 10))];
			if (bin) {
				bin.count++;
				bin.confidence += confidence;
				bin.right += Number(models[model]!.correct[row]);
				bin.slope += slope;
			}
		}
		let slope = 0;
		for (const {count, confidence, right, slope: of} of bins) {
			slope += count === 0 ? 0 : (2 / rows) * (confidence / count - right / count) * of;
		}
		temperature -= 100 * slope;
	}
	return temperature;
}

/** For each question, the list of the model with the highest confidence by the literal formula. */
function plainFusion(models: readonly Found[], temperature: number, round: Rounding): Run {
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
