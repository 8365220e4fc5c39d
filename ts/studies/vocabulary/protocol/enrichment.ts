/**
Lexical enrichment and its ablations (Ram et al., 2023, §6.2 to §6.4). `tunedEnrichment` fits an enrichment and chooses
its weight λ on development questions; `exactSearcher` searches with the enriched vectors.
*/
import type {PassageStore} from '../../../corpus/index.ts';
import {DenseSearcher, FlatIndex} from '../../../dense/index.ts';
import type {Bm25Index} from '../../../sparse/index.ts';
import type {CorpusEncoder} from '../../encoding/corpus-encoder.ts';
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {CallOptions, Encoder, EncoderInput, Searcher, Vectors} from '../../../core/types.ts';
import {
	type LambdaObjective,
	LexicalEnrichment,
	type LexicalEnrichmentOptions,
	type VocabularyProjection,
	tuneLambda,
} from '../../../vocabulary/index.ts';
import type {EnrichmentOutcome, VocabularyCondition, VocabularyRetrievalRow, VocabularySettings} from '../study.ts';

/** The conditions with enriched vectors: lexical enrichment and its ablations. */
export const enrichedConditions = [
	'enriched',
	'noIdf',
	'static',
	'noWhitening',
	'noNormalisation',
] as const satisfies readonly VocabularyCondition[];
export type EnrichedCondition = (typeof enrichedConditions)[number];

/** The options of enrichment that each condition changes (Ram et al., 2023, §6.4). */
const changes: Readonly<Record<EnrichedCondition, LexicalEnrichmentOptions & {readonly idf?: false}>> = {
	enriched: {},
	noIdf: {idf: false},
	static: {tokens: 'static'},
	noWhitening: {whitening: false},
	noNormalisation: {normalize: false},
};

/** What an enrichment is made from. */
export interface EnrichmentParts {
	readonly encoder: CorpusEncoder;
	readonly passages: PassageStore;
	readonly projection: VocabularyProjection;
	/** The BM25 index of the head's word pieces. */
	readonly wordPieces: Bm25Index;
	/** The development questions, and the measure that the chosen λ maximizes on them. */
	readonly objective: LambdaObjective;
	/** Options of the search for the vectors of single tokens. */
	readonly search: Pick<VocabularySettings, 'learningRate' | 'maxSteps'>;
	/**
	The values to try for λ, relative to the λ at which λ times the lexical vectors are on average as long as the
	encoder's vectors.
	*/
	readonly lambdas: readonly number[];
}

/** Fits the enrichment of a condition, with the λ that is best on development questions. */
export async function tunedEnrichment(
	condition: EnrichedCondition,
	{encoder, passages, projection, wordPieces, objective, search, lambdas}: EnrichmentParts,
	{signal, onProgress}: CallOptions,
): Promise<{readonly enrichment: LexicalEnrichment; readonly tuning: NonNullable<VocabularyRetrievalRow['tuning']>}> {
	const {idf = wordPieces, ...options} = changes[condition];
	const fitted = await LexicalEnrichment.fit({encoder, projection, idf}, {...search, ...options, signal, onProgress});
	const {vectors, lexical} = await fitted.parts(await passages.slice(0, SAMPLE_SIZE), {signal});
	const lengthRatio = (await meanLength(vectors)) / (await meanLength(lexical));
	// Converts the values to absolute weights. Three significant digits are enough.
	const grid = lambdas.map(lambda => Number((lambda * lengthRatio).toPrecision(3)));
	const {lambda, curve} = await tuneLambda(fitted, passages, objective, {grid, signal});
	return {enrichment: fitted.withLambda(lambda), tuning: {lambda, values: curve.map(({score}) => score)}};
}

/** Summarizes the search for the vectors of single tokens. `bounds` are lower bounds on the losses of these vectors. */
export function enrichmentOutcome({search, renormalize}: LexicalEnrichment): EnrichmentOutcome {
	const {losses, bounds, steps} = search!;
	const tokens = losses.length;
	const countTokens = (condition: (loss: number, bound: number) => boolean): number =>
		losses.reduce((sum, loss, i) => sum + Number(condition(loss, bounds[i]!)), 0);
	return {
		steps: steps.reduce((max, count) => Math.max(max, count), 0),
		tokens,
		reached: countTokens(loss => loss < LOSS_THRESHOLD),
		proved: countTokens((loss, bound) => loss >= LOSS_THRESHOLD && bound >= LOSS_THRESHOLD),
		renormalized: renormalize,
	};
}

/**
The search for the vector of a token succeeds if the vector's loss, in nats, is below this (Ram et al., 2023, §6.2). The
option `loss` of `LexicalEnrichment.fit` has the same default.
*/
const LOSS_THRESHOLD = 0.1;

/** Builds an exact vector index of the corpus with an encoder's vectors, and returns its searcher. */
export async function exactSearcher(encoder: Encoder, passages: PassageStore, signal: AbortSignal | undefined): Promise<Searcher> {
	const index = new FlatIndex({dim: encoder.dim});
	for (let start = 0; start < passages.size; start += PASSAGES_PER_CALL) {
		const slice = await passages.slice(start, PASSAGES_PER_CALL);
		const ids = slice.map(({id}) => id);
		await index.add(ids, await encoder.encode(slice, {signal}), {signal});
	}
	return new DenseSearcher({encoder, index});
}

/** Returns an encoder for which the vector of a text is the mean of the head's word embeddings of its tokens. */
export async function staticEncoder(projection: VocabularyProjection, signal: AbortSignal | undefined): Promise<Encoder> {
	const {dim} = projection;
	// Enrichment adds the word embeddings to the vectors of an encoder. If the encoder's vectors are zero, only the
	// embeddings remain.
	const zeroEncoder: Encoder = {
		dim,
		async encode(inputs: readonly EncoderInput[]) {
			return {data: new Float32Array(inputs.length * dim), rows: inputs.length, dim};
		},
	};
	return LexicalEnrichment.fit(
		{encoder: zeroEncoder, projection, idf: false},
		{tokens: 'static', whitening: false, normalize: false, renormalize: false, lambda: 1, signal},
	);
}

/** Number of passages that are encoded by one call. */
const PASSAGES_PER_CALL = 256;
/**
Number of passages, the first of the corpus, from which the mean length of vectors is computed. A sample suffices,
because lengths differ little.
*/
const SAMPLE_SIZE = 1000;

/** Returns the mean Euclidean length of vectors. */
async function meanLength({data, rows, dim}: Vectors): Promise<number> {
	let sum = 0;
	for (let row = 0; row < rows; row++) {
		await yieldIfOverBudget();
		sum += Math.hypot(...data.subarray(row * dim, (row + 1) * dim));
	}
	return sum / rows;
}
