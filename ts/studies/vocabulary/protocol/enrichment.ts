import type {PassageStore} from '../../../corpus/index.ts';
import {DenseSearcher, FlatIndex} from '../../../dense/index.ts';
import type {Bm25Index} from '../../../sparse/index.ts';
import type {CorpusEncoder} from '../../encoding/corpus-encoder.ts';
import {waitForTime} from '../../../core/event-loop.ts';
import type {CallOptions, Encoder, EncoderInput, Searcher, Vectors} from '../../../core/types.ts';
import {
	type LambdaObjective,
	LexicalEnrichment,
	type LexicalEnrichmentOptions,
	type VocabularyProjection,
	tuneLambda,
} from '../../../vocabulary/index.ts';
import type {EnrichmentFacts, VocabularyCondition, VocabularyRetrievalRow, VocabularySettings} from '../study.ts';

export const enrichedConditions = [
	'enriched',
	'noIdf',
	'static',
	'noWhitening',
	'noNormalisation',
] as const satisfies readonly VocabularyCondition[];
export type EnrichedCondition = (typeof enrichedConditions)[number];

/** What each condition changes of enrichment (Ram et al., 2023, §6.4). */
const changes: Readonly<Record<EnrichedCondition, LexicalEnrichmentOptions & {readonly idf?: false}>> = {
	enriched: {},
	noIdf: {idf: false},
	static: {tokens: 'static'},
	noWhitening: {whitening: false},
	noNormalisation: {normalize: false},
};

export interface EnrichedParts {
	readonly encoder: CorpusEncoder;
	readonly passages: PassageStore;
	readonly projection: VocabularyProjection;
	/** Of the head's word pieces. */
	readonly wordPieces: Bm25Index;
	/** Of development questions. */
	readonly objective: LambdaObjective;
	/** Of the search for the vectors of tokens. */
	readonly search: Pick<VocabularySettings, 'learningRate' | 'maxSteps'>;
	/** λ to try, in units that make lexical vectors as long as the encoder's in the mean. */
	readonly lambdas: readonly number[];
}

/** Enrichment with the λ that development questions choose. */
export async function tunedEnrichment(
	condition: EnrichedCondition,
	{encoder, passages, projection, wordPieces, objective, search, lambdas}: EnrichedParts,
	{signal, onProgress}: CallOptions,
): Promise<{readonly enrichment: LexicalEnrichment; readonly tuning: NonNullable<VocabularyRetrievalRow['tuning']>}> {
	const {idf = wordPieces, ...options} = changes[condition];
	const fitted = await LexicalEnrichment.fit({encoder, projection, idf}, {...search, ...options, signal, onProgress});
	const {vectors, lexical} = await fitted.parts(await passages.slice(0, SAMPLE), {signal});
	const unit = (await meanLength(vectors)) / (await meanLength(lexical));
	const scaled = lambdas.map(lambda => Number((lambda * unit).toPrecision(3)));
	const {lambda, curve} = await tuneLambda(fitted, passages, objective, {grid: scaled, signal});
	return {enrichment: fitted.withLambda(lambda), tuning: {lambda, values: curve.map(({score}) => score)}};
}

/** How the search for the vectors of tokens ended, for a threshold of 0.1 nats. */
export function enrichmentFacts({search, renormalize}: LexicalEnrichment): EnrichmentFacts {
	const {losses, bounds, steps} = search!;
	const tokens = losses.length;
	const count = (has: (loss: number, bound: number) => boolean): number =>
		losses.reduce((sum, loss, i) => sum + Number(has(loss, bounds[i]!)), 0);
	return {
		steps: steps.reduce((most, count) => Math.max(most, count), 0),
		tokens,
		reached: count(loss => loss < THRESHOLD),
		proved: count((loss, bound) => loss >= THRESHOLD && bound >= THRESHOLD),
		renormalized: renormalize,
	};
}

/** Loss in nats (Ram et al., 2023, §6.2), the default of `LexicalEnrichment`. */
const THRESHOLD = 0.1;

/** Exact search of the corpus by an encoder's vectors. */
export async function exactSearcher(encoder: Encoder, passages: PassageStore, signal: AbortSignal | undefined): Promise<Searcher> {
	const index = new FlatIndex({dim: encoder.dim});
	for (let start = 0; start < passages.size; start += PASSAGES_A_CALL) {
		const slice = await passages.slice(start, PASSAGES_A_CALL);
		const ids = slice.map(({id}) => id);
		await index.add(ids, await encoder.encode(slice, {signal}), {signal});
	}
	return new DenseSearcher({encoder, index});
}

/** The mean of a text's static embeddings, which the head has for its own words: what there is without an encoder. */
export async function staticEncoder(projection: VocabularyProjection, signal: AbortSignal | undefined): Promise<Encoder> {
	const {dim} = projection;
	const nothing: Encoder = {
		dim,
		async encode(inputs: readonly EncoderInput[]) {
			return {data: new Float32Array(inputs.length * dim), rows: inputs.length, dim};
		},
	};
	return LexicalEnrichment.fit(
		{encoder: nothing, projection, idf: false},
		{tokens: 'static', whitening: false, normalize: false, renormalize: false, lambda: 1, signal},
	);
}

const PASSAGES_A_CALL = 256;
/** Passages whose lexical vectors are measured: their lengths differ little. */
const SAMPLE = 1000;

async function meanLength({data, rows, dim}: Vectors): Promise<number> {
	let sum = 0;
	for (let row = 0; row < rows; row++) {
		await waitForTime();
		sum += Math.hypot(...data.subarray(row * dim, (row + 1) * dim));
	}
	return sum / rows;
}
