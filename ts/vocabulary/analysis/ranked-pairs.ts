/** Ranks the tokens of questions and passages in the projections of their vectors. All analyses in this folder start from these ranks. */
import {checkArray, checkObject, checkPassage, checkString, checkStrings, hasMethods, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../../core/options.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {CallOptions, Encoder, Passage, Vectors} from '../../core/types.ts';
import type {VocabularyProjection} from '../projection/vocabulary-projection.ts';
import {englishStopWords, isContent} from './stop-words.ts';

/** A question and a passage that answers it. */
export interface QuestionPassage {
	/** Id of the question; ids in a list are distinct. */
	readonly id: string;
	readonly question: string;
	readonly passage: Passage;
}

/** A word piece of a question, of a passage, or of both, with its ranks in the two projections. */
export interface RankedToken {
	readonly token: string;
	/** Id in the vocabulary. */
	readonly id: number;
	readonly inQuestion: boolean;
	readonly inPassage: boolean;
	/** Whether the token is neither a stop word nor a punctuation mark. */
	readonly content: boolean;
	/** Rank in the question's projection Q, from 1. */
	readonly questionRank: number;
	/** Rank in the passage's projection P, from 1. */
	readonly passageRank: number;
}

/** The tokens that an analysis counts: all, or only content tokens, which exclude stop words and punctuation marks. */
export type TokenKind = 'all' | 'content';

/** A question and its passage with the ranks of their tokens. */
export interface RankedPair {
	/** Id of the question. */
	readonly id: string;
	readonly passageId: string;
	/** The distinct tokens: those of the question in text order, then those that only the passage has. */
	readonly tokens: readonly RankedToken[];
}

/** The encoders that produce the vectors, and the projection that is applied to them. */
export interface ProjectedEncoders {
	/** Encodes passages, and questions unless `questionEncoder` is given. */
	readonly encoder: Encoder;
	/** Encodes questions, for models with two encoders, such as DPR (dense passage retrieval). */
	readonly questionEncoder?: Encoder | undefined;
	/** The projection of the model that the encoder was initialized from. */
	readonly projection: Pick<VocabularyProjection, 'dim' | 'ranks' | 'tokenize'>;
}

/** Options of `rankPairs`. */
export interface RankPairsOptions extends CallOptions {
	/** Words that do not count as content, in lower case. @default englishStopWords */
	readonly stopWords?: readonly string[] | undefined;
}

const encoderOptions: OptionNames = optionNames<ProjectedEncoders>({encoder: true, questionEncoder: true, projection: true});
const rankOptions: OptionNames = optionNames<RankPairsOptions>({...callNames, stopWords: true});

/** Number of pairs projected in one call. */
const PAIRS_PER_CALL = 256;

/**
Ranks all tokens of questions and their passages in the projections of both (Ram et al., 2023, §3 and §5). All analyses take the
result. Tokens are word pieces, without special tokens. The tokens of a passage are those of its title and its whole text, even if
the encoder truncates the text. Questions are encoded one at a time, as in a search. The result takes about 10 kB of memory per pair.
Progress counts pairs.

@example
```
const pairs = await rankPairs([{id: 'q1', question: 'who built the bridge?', passage}], {encoder, projection});
pairs[0].tokens.find(({token}) => token === 'bridge');
//=> {token: 'bridge', id: 2958, inQuestion: true, inPassage: true, content: true, questionRank: 1, passageRank: 3}
```
*/
export async function rankPairs(
	pairs: readonly QuestionPassage[],
	encoders: ProjectedEncoders,
	options: RankPairsOptions = {},
): Promise<RankedPair[]> {
	checkRequiredOptions('encoders', encoders, encoderOptions);
	checkOptions('rankPairs', options, rankOptions);
	const {encoder, questionEncoder = encoder, projection} = encoders;
	if (!hasMethods(projection, 'ranks', 'tokenize')) {
		throw new RetrievalError('ERR_ARGUMENT', `projection: expected a VocabularyProjection, got ${kindOf(projection)}`);
	}
	const {stopWords = englishStopWords, signal, onProgress} = options;
	checkStrings('stopWords', stopWords);
	checkPairs(pairs);
	for (const [name, checked] of [['encoder', encoder] as const, ['questionEncoder', questionEncoder] as const]) {
		if (!hasMethods(checked, 'encode')) {
			throw new RetrievalError('ERR_ARGUMENT', `${name}: expected an encoder, got ${kindOf(checked)}`);
		}
		const {dim} = checked;
		if (dim !== projection.dim) {
			throw new RetrievalError('ERR_DIMENSION', `${name}: expected vectors of dimension ${projection.dim}, got ${dim}`);
		}
	}
	const content = new ContentTokens(stopWords);
	const ranked: RankedPair[] = [];
	for (let from = 0; from < pairs.length; from += PAIRS_PER_CALL) {
		const slice = pairs.slice(from, from + PAIRS_PER_CALL);
		const tokens: Array<ReadonlyMap<number, PairToken>> = [];
		for (const pair of slice) {
			await yieldIfOverBudget();
			tokens.push(pairTokens(pair, projection, content));
		}
		const ids = tokens.map(tokensById => [...tokensById.keys()]);
		const questions = await questionEncoder.encode(
			slice.map(({question}) => question),
			{batchTokens: 1, signal},
		);
		const passages = await encodeDistinct(slice, encoder, signal);
		const questionRanks = await projection.ranks(questions, ids, {signal});
		const passageRanks = await projection.ranks(passages, ids, {signal});
		for (const [i, {id, passage}] of slice.entries()) {
			await yieldIfOverBudget();
			ranked.push({
				id,
				passageId: passage.id,
				tokens: [...tokens[i]!.values()].map((token, j) => ({
					...token,
					questionRank: questionRanks[i]![j]!,
					passageRank: passageRanks[i]![j]!,
				})),
			});
		}
		await onProgress?.({done: ranked.length, total: pairs.length});
	}
	return ranked;
}

/** Returns the text from which a passage's tokens are taken: title and text, as encoders join them. */
export const passageText = ({title, text}: Pick<Passage, 'title' | 'text'>): string =>
	title === undefined || title === '' ? text : `${title} ${text}`;

type PairToken = Omit<RankedToken, 'questionRank' | 'passageRank'>;

/** Returns the distinct tokens of a pair by id: first those of the question, then those that only the passage has. */
function pairTokens(
	{question, passage}: QuestionPassage,
	projection: Pick<VocabularyProjection, 'tokenize'>,
	content: ContentTokens,
): ReadonlyMap<number, PairToken> {
	const [q, p] = [projection.tokenize(question), projection.tokenize(passageText(passage))];
	const [inQuestion, inPassage] = [new Set(q.ids), new Set(p.ids)];
	const found = new Map<number, PairToken>();
	for (const {ids, tokens} of [q, p]) {
		for (const [i, id] of ids.entries()) {
			if (!found.has(id)) {
				const token = tokens[i]!;
				found.set(id, {token, id, inQuestion: inQuestion.has(id), inPassage: inPassage.has(id), content: content.has(token)});
			}
		}
	}
	return found;
}

/** Encodes each distinct passage once. Returns one row per pair: questions about the same passage have equal rows. */
async function encodeDistinct(pairs: readonly QuestionPassage[], encoder: Encoder, signal: AbortSignal | undefined): Promise<Vectors> {
	const rows = new Map<string, number>();
	const distinct = pairs.filter(({passage}) => {
		const isFirst = !rows.has(passage.id);
		if (isFirst) {
			rows.set(passage.id, rows.size);
		}
		return isFirst;
	});
	const {data, dim} = await encoder.encode(
		distinct.map(({passage}) => passage),
		{signal},
	);
	const all = new Float32Array(pairs.length * dim);
	for (const [i, {passage}] of pairs.entries()) {
		const row = rows.get(passage.id)!;
		all.set(data.subarray(row * dim, (row + 1) * dim), i * dim);
	}
	return {data: all, rows: pairs.length, dim};
}

/** Tells which tokens are content tokens, as `isContent` does. Caches the answers, because the same tokens are in many texts. */
export class ContentTokens {
	readonly #stopWords: ReadonlySet<string>;
	readonly #known = new Map<string, boolean>();

	constructor(stopWords: readonly string[]) {
		this.#stopWords = new Set(stopWords);
	}

	has(token: string): boolean {
		let content = this.#known.get(token);
		if (content === undefined) {
			content = isContent(token, this.#stopWords);
			this.#known.set(token, content);
		}
		return content;
	}
}

function checkPairs(pairs: readonly QuestionPassage[]): void {
	checkArray('pairs', pairs, '{id, question, passage}');
	const ids = new Set<string>();
	for (const [i, pair] of pairs.entries()) {
		checkObject(`pairs[${i}]`, pair, '{id, question, passage}');
		checkString(`pairs[${i}]: id`, pair.id);
		checkString(`pairs[${i}]: question`, pair.question);
		checkPassage(`pairs[${i}]: passage`, pair.passage);
		if (ids.has(pair.id)) {
			throw new RetrievalError('ERR_DUPLICATE_ID', `pairs[${i}]: expected a question once, got "${pair.id}" again`);
		}
		ids.add(pair.id);
	}
}
