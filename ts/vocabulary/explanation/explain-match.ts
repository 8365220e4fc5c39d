/** Explains why a dense retriever matches a question and a passage, by the projections of their vectors to the vocabulary. */
import {checkCount, checkNumber, checkPassage, checkString, hasMethods, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../../core/options.ts';
import type {Bm25Index, Explanation} from '../../sparse/index.ts';
import type {CallOptions, Encoder, Passage, Vectors} from '../../core/types.ts';
import {isExpansion} from '../analysis/expansion.ts';
import {ContentTokens, type RankedToken, rankPairs} from '../analysis/ranked-pairs.ts';
import {englishStopWords} from '../analysis/stop-words.ts';
import type {VocabularyProjection} from '../projection/vocabulary-projection.ts';

/** The texts that contain a projected token: both, the question only, the passage only, or neither. */
export type TokenOrigin = 'shared' | 'question' | 'passage' | 'other';

/** One of the likeliest tokens of a projection. */
export interface ProjectedToken {
	/** Rank in the projection, from 1. */
	readonly rank: number;
	readonly token: string;
	/** Id in the vocabulary. */
	readonly id: number;
	readonly probability: number;
	readonly origin: TokenOrigin;
	/** Whether the token is neither a stop word nor a punctuation mark. */
	readonly content: boolean;
}

/** A question and a passage as one encoder sees them: their similarity and the projections of their vectors. */
export interface ProjectedMatch {
	/** The inner product of the two vectors, by which dense retrieval ranks. */
	readonly similarity: number;
	/** The likeliest tokens of the question's projection Q, best first. */
	readonly question: readonly ProjectedToken[];
	/** The likeliest tokens of the passage's projection P, best first. */
	readonly passage: readonly ProjectedToken[];
	/** All tokens of question and passage, with their ranks in Q and P. */
	readonly ranked: readonly RankedToken[];
	/** Content tokens (neither stop words nor punctuation marks) that occur in both texts, in the order of the question. */
	readonly shared: readonly RankedToken[];
	/** Query expansion: content tokens among the first k tokens of Q that are in the passage and not in the question, best first. */
	readonly expansion: readonly RankedToken[];
	/** Token amnesia: shared tokens whose rank in P is greater than `forgottenAfter`, worst rank first. */
	readonly forgotten: readonly RankedToken[];
}

/** A part of a text. `kind` is set for words that contain a shared, forgotten or expansion token. */
export interface MarkedText {
	readonly text: string;
	readonly kind?: 'shared' | 'forgotten' | 'expansion';
}

/** Explains the score of a passage for a question in dense retrieval and, if an index is given, in BM25. */
export interface MatchExplanation {
	readonly question: string;
	readonly passage: Passage;
	/** The option `k`. */
	readonly k: number;
	/** The option `forgottenAfter`. */
	readonly forgottenAfter: number;
	/** Question and passage with their shared, forgotten and expansion tokens marked. */
	readonly marked: {readonly question: readonly MarkedText[]; readonly title: readonly MarkedText[]; readonly text: readonly MarkedText[]};
	readonly dense: ProjectedMatch;
	/** The same match with lexical enrichment; `lambda` is the weight of the added token vectors. */
	readonly enriched?: ProjectedMatch & {readonly lambda: number};
	/** BM25's score and the contribution of each term. */
	readonly bm25?: Explanation;
}

/** Options of `explainMatch`. */
export interface ExplainMatchOptions extends CallOptions {
	/** Number of tokens returned per projection. Expansion tokens are also among the first `k` tokens of Q. @default 20 */
	readonly k?: number | undefined;
	/** A shared token counts as forgotten if its rank in P is greater than this. @default 100 */
	readonly forgottenAfter?: number | undefined;
	/** Words that do not count as content, in lower case. @default englishStopWords */
	readonly stopWords?: readonly string[] | undefined;
}

/** The loaded models and indexes that an explanation uses. */
export interface Explainers {
	/** Encodes passages, and questions unless `questionEncoder` is given. */
	readonly encoder: Encoder;
	/** Encodes questions, for models with two encoders, such as DPR (dense passage retrieval). */
	readonly questionEncoder?: Encoder | undefined;
	/** The projection of the model that the encoder was initialized from. */
	readonly projection: Pick<VocabularyProjection, 'dim' | 'project' | 'ranks' | 'tokenize'>;
	/** The encoder with lexical enrichment, a `LexicalEnrichment`. */
	readonly enrichment?: (Encoder & {readonly lambda: number}) | undefined;
	/** The question encoder with lexical enrichment, for models with two encoders. */
	readonly questionEnrichment?: Encoder | undefined;
	/** A BM25 index that contains the passage. */
	readonly bm25?: Pick<Bm25Index, 'explain'> | undefined;
}

const explainerOptions: OptionNames = optionNames<Explainers>({
	encoder: true,
	questionEncoder: true,
	projection: true,
	enrichment: true,
	questionEnrichment: true,
	bm25: true,
});
const explainOptions: OptionNames = optionNames<ExplainMatchOptions>({...callNames, k: true, forgottenAfter: true, stopWords: true});

/**
Explains the match of a question and a passage by the projections of their vectors to the vocabulary, as in Figure 2 of Ram et al.
(2023). The result has the likeliest tokens of both vectors, the ranks of the shared tokens, the shared tokens that the passage's
vector has forgotten (by their ranks, see `forgottenAfter`), and the tokens of the passage that the question's vector adds. If
`enrichment` is given, the result has the same for enriched vectors; if `bm25` is given, it has the contribution of each term to
BM25's score.

@example
```
const {dense, bm25} = await explainMatch('who discovered gold?', passage, {encoder, projection, bm25: index});
dense.forgotten.map(({token, passageRank}) => [token, passageRank]);
//=> [['gold', 214]]
```
*/
export async function explainMatch(
	question: string,
	passage: Passage,
	explainers: Explainers,
	options: ExplainMatchOptions = {},
): Promise<MatchExplanation> {
	checkPassage('passage', passage);
	checkRequiredOptions('explainers', explainers, explainerOptions);
	checkOptions('explainMatch', options, explainOptions);
	const {encoder, questionEncoder, projection, enrichment, questionEnrichment, bm25} = explainers;
	checkMethods({encoder, questionEncoder, enrichment, questionEnrichment}, 'encode', 'an encoder');
	checkMethods({bm25}, 'explain', 'a Bm25Index');
	if (enrichment !== undefined) {
		checkNumber('enrichment: lambda', enrichment.lambda);
	}
	const {k = 20, forgottenAfter = 100, stopWords = englishStopWords, signal} = options;
	checkString('question', question);
	checkCount('k', k, 1);
	checkCount('forgottenAfter', forgottenAfter, 1);
	const match = async (encoder: Encoder, questionEncoder: Encoder | undefined): Promise<ProjectedMatch> => {
		const pair = {id: 'question', question, passage};
		const [ranked] = await rankPairs([pair], {encoder, questionEncoder, projection}, {stopWords, signal});
		const questionVector = await (questionEncoder ?? encoder).encode([question], {signal});
		const passageVector = await encoder.encode([passage], {signal});
		const tokensById = new Map(ranked!.tokens.map(token => [token.id, token]));
		const content = new ContentTokens(stopWords);
		const top = async (vectors: Vectors): Promise<ProjectedToken[]> => {
			const [found] = await projection.project(vectors, {k, signal});
			return found!.map(({token, id, probability}, i) => ({
				rank: i + 1,
				token,
				id,
				probability,
				origin: originOf(tokensById.get(id)),
				content: content.has(token),
			}));
		};
		const shared = ranked!.tokens.filter(({inQuestion, inPassage, content}) => inQuestion && inPassage && content);
		return {
			similarity: innerProduct(questionVector.data, passageVector.data),
			question: await top(questionVector),
			passage: await top(passageVector),
			ranked: ranked!.tokens,
			shared,
			expansion: ranked!.tokens
				.filter(token => isExpansion(token) && token.questionRank <= k)
				.toSorted((a, b) => a.questionRank - b.questionRank),
			forgotten: shared.filter(token => token.passageRank > forgottenAfter).toSorted((a, b) => b.passageRank - a.passageRank),
		};
	};
	const dense = await match(encoder, questionEncoder);
	const marked = (text: string): MarkedText[] => markedText(text, dense, projection);
	return {
		question,
		passage,
		k,
		forgottenAfter,
		marked: {question: marked(question), title: marked(passage.title ?? ''), text: marked(passage.text)},
		dense,
		...(enrichment && {enriched: {...(await match(enrichment, questionEnrichment)), lambda: enrichment.lambda}}),
		...(bm25 && {bm25: await bm25.explain(question, passage.id)}),
	};
}

/** Throws if one of the objects lacks a method. Accepts `undefined` for optional objects. */
function checkMethods(parts: Readonly<Record<string, unknown>>, method: string, expected: string): void {
	for (const [what, part] of Object.entries(parts)) {
		if (part !== undefined && !hasMethods(part, method)) {
			throw new RetrievalError('ERR_ARGUMENT', `explainers: ${what}: expected ${expected}, got ${kindOf(part)}`);
		}
	}
}

/** Returns the origin of a token; `undefined` stands for a token of neither text. */
function originOf(token: RankedToken | undefined): TokenOrigin {
	if (token === undefined) {
		return 'other';
	}
	return token.inQuestion && token.inPassage ? 'shared' : token.inQuestion ? 'question' : 'passage';
}

function innerProduct(a: Float32Array, b: Float32Array): number {
	if (a.length !== b.length) {
		throw new RetrievalError('ERR_DIMENSION', `explainMatch: expected vectors of dimension ${a.length}, got ${b.length} values`);
	}
	return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

/** Splits a text into marked words, which contain a shared, forgotten or expansion token, and the unmarked text between them. */
function markedText(
	text: string,
	{shared, expansion, forgotten}: ProjectedMatch,
	projection: Pick<VocabularyProjection, 'tokenize'>,
): MarkedText[] {
	const ids = (tokens: readonly RankedToken[]): ReadonlySet<number> => new Set(tokens.map(({id}) => id));
	const [sharedIds, expansionIds, forgottenIds] = [ids(shared), ids(expansion), ids(forgotten)];
	const parts: MarkedText[] = [];
	let end = 0;
	const addUnmarked = (to: number): void => {
		if (to > end) {
			parts.push({text: text.slice(end, to)});
		}
	};
	for (const {0: word, index} of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
		const wordIds = projection.tokenize(word).ids;
		const has = (tokens: ReadonlySet<number>): boolean => wordIds.some(id => tokens.has(id));
		const kind = has(forgottenIds) ? 'forgotten' : has(sharedIds) ? 'shared' : has(expansionIds) ? 'expansion' : undefined;
		if (kind !== undefined) {
			addUnmarked(index);
			parts.push({text: word, kind});
			end = index + word.length;
		}
	}
	addUnmarked(text.length);
	return parts;
}
