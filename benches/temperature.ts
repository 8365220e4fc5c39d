// What small temperatures do to model uncertainty fusion (Yang et al., 2023, §4.2 and figure 2), over the encyclopaedia.
import {fitTemperature, fuseByConfidence, judgedScores} from '../ts/calibration/index.ts';
import {encyclopedia, readPassages, readQrels} from '../ts/corpus/index.ts';
import {OnnxEncoder} from '../ts/encoders/index.ts';
import type {Hit, Passage, Qrels, Query, Run, Vectors} from '../ts/types.ts';
import type {Benchmark} from './run.ts';

/** Scores of unit vectors, and of questions ten and a hundred times as long: exp(score / T) overflows sooner. */
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
	const models: Model[] = [];
	for (const sentences of [0, 1, 3, 5]) {
		say(`M${sentences}`);
		models.push(await model(`M${sentences}`, sentences, passages, encoder, development, test));
	}
	const accuracyOf = async (run: Run): Promise<number> => share((await judgedScores(run, judged(test), {depth: 1})).correct);
	const single = await Promise.all(models.map(async ({name, test}) => [name, await accuracyOf(test)] as const));
	const searched = await Promise.all(
		models.map(async ({name, development, test}) => {
			const {scores, correct} = await judgedScores(development, judged([...development.keys()].map(id => ({id, text: ''}))), {
				depth: DEPTH,
			});
			return {name, run: test, scores, correct, ...(await fitTemperature(scores, correct))};
		}),
	);
	const sizes = [];
	for (const size of SIZES) {
		const rows = [];
		for (const start of STARTS) {
			const row: Record<string, unknown> = {start};
			for (const way of ['safe', 'naive64', 'naive32'] as const) {
				const fitted = await Promise.all(
					searched.map(async ({name, run, scores, correct}) => {
						const grown = {...scores, data: scores.data.map(score => score * size)};
						const temperature =
							way === 'safe'
								? (await fitTemperature(grown, correct, {method: 'descent', start})).temperature
								: naiveDescent(grown, correct, start, way === 'naive32' ? Math.fround : value => value);
						return {name, run: times(run, size), temperature};
					}),
				);
				const run =
					way === 'safe'
						? (await fuseByConfidence(fitted, {depth: DEPTH})).run
						: naiveFusion(fitted, way === 'naive32' ? Math.fround : value => value);
				row[way] = {accuracy: await accuracyOf(run), temperatures: fitted.map(({temperature}) => Number(temperature.toPrecision(3)))};
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
		searched: {
			temperatures: searched.map(({name, temperature, error}) => ({name, temperature, error})),
			accuracy: await accuracyOf((await fuseByConfidence(searched, {depth: DEPTH})).run),
		},
		sizes,
	};
};

interface Model {
	readonly name: string;
	readonly development: Run;
	readonly test: Run;
}

const share = (of: readonly boolean[]): number => of.filter(Boolean).length / of.length;

const times = (run: Run, size: number): Run =>
	new Map([...run].map(([query, hits]) => [query, hits.map(({id, score}) => ({id, score: Math.fround(score * size)}))]));

/** A passage scores as the best of its phrases, which are so many sentences long; 0 is the whole passage. */
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
	const runs: Run[] = [];
	for (const asked of questions) {
		const queries = await encoder.encode(asked.map(({text}) => text));
		runs.push(
			new Map(
				asked.map(({id}, query) => {
					const best = new Float32Array(passages.length).fill(-Infinity);
					for (const [row, {passage}] of phrases.entries()) {
						best[passage] = Math.max(best[passage]!, product(vectors, row, queries, query));
					}
					const hits: Hit[] = Array.from(best, (score, passage) => ({id: passages[passage]!.id, score}));
					return [id, hits.sort((a, b) => b.score - a.score).slice(0, DEPTH)];
				}),
			),
		);
	}
	return {name, development: runs[0]!, test: runs[1]!};
}

function product(a: Vectors, row: number, b: Vectors, query: number): number {
	let sum = 0;
	for (let i = 0; i < a.dim; i++) {
		sum += a.data[row * a.dim + i]! * b.data[query * a.dim + i]!;
	}
	return sum;
}

type Rounding = (value: number) => number;

/** The formula as it stands, in which exp(score / T) may be infinite, and ∞ / ∞ is NaN. */
function naiveConfidence(scores: readonly number[], temperature: number, round: Rounding): number {
	const weights = scores.map(score => round(Math.exp(round(score / temperature))));
	return round(weights[0]! / weights.reduce((sum, weight) => round(sum + weight), 0));
}

/** Gradient descent after the formulas; a confidence that is NaN is in no bin. A temperature may fall below 0. */
function naiveDescent({data, rows, dim}: Vectors, correct: readonly boolean[], start: number, round: Rounding): number {
	let temperature = start;
	for (let step = 0; step < 100; step++) {
		const bins = Array.from({length: 10}, () => ({count: 0, confidence: 0, right: 0, slope: 0}));
		for (let row = 0; row < rows; row++) {
			const scores = [...data.subarray(row * dim, (row + 1) * dim)];
			const confidence = naiveConfidence(scores, temperature, round);
			const bin = bins[Math.min(9, Math.floor(confidence * 10))];
			if (bin) {
				const weights = scores.map(score => round(Math.exp(round(score / temperature))));
				const sum = weights.reduce((sum, weight) => round(sum + weight), 0);
				const mean = weights.reduce((all, weight, i) => all + weight * scores[i]!, 0) / sum;
				bin.count++;
				bin.confidence += confidence;
				bin.right += Number(correct[row]);
				bin.slope += (confidence * (mean - scores[0]!)) / temperature ** 2;
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

/** The model that NumPy's argmax takes: the first whose confidence is NaN, otherwise the first of the greatest. */
function naiveFusion(models: ReadonlyArray<{readonly run: Run; readonly temperature: number}>, round: Rounding): Run {
	return new Map(
		[...models[0]!.run.keys()].map(query => {
			const lists = models.map(({run}) => run.get(query)!);
			const confidences = lists.map((hits, i) =>
				naiveConfidence(
					hits.map(({score}) => score),
					models[i]!.temperature,
					round,
				),
			);
			const endless = confidences.findIndex(Number.isNaN);
			return [query, lists[endless < 0 ? confidences.indexOf(Math.max(...confidences)) : endless]!];
		}),
	);
}
