/** Questions and passages that a report shows with their projections, as Table 1 and Figure 2 of Ram et al. (2023) do. */
import {createHash} from 'node:crypto';
import {hitsFor} from '../../../core/native/runs.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import {
	type Explainers,
	type MarkedText,
	type ProjectedToken,
	type QuestionPassage,
	type RankedToken,
	explainMatch,
} from '../../../vocabulary/index.ts';
import type {AnalysedPairs} from '../protocol/analyses.ts';
import type {QuestionValues} from '../findings/question-values.ts';

/** A question and a passage with their projections. */
export interface ProjectedExample {
	/** Of the question. */
	readonly id: string;
	readonly passageId: string;
	/** The rank that dense retrieval gives the passage, from 1; `null` if it is not among the hits. */
	readonly denseRank: number | null;
	/** The texts with marked words; that of the passage may be cut. */
	readonly marked: {readonly question: readonly MarkedText[]; readonly title: readonly MarkedText[]; readonly text: readonly MarkedText[]};
	/** The likeliest tokens of Q and of P, best first. */
	readonly question: readonly ProjectedToken[];
	readonly passage: readonly ProjectedToken[];
	/** The shared content token that P ranks worst; `null` if nothing is shared. */
	readonly worst: Pick<RankedToken, 'token' | 'questionRank' | 'passageRank'> | null;
}

export interface VocabularyExamples {
	/** Table 1: questions with their gold passages, drawn at random. */
	readonly drawn: readonly ProjectedExample[];
	/** Figure 2: a question that BM25 and dense retrieval answer, and one that BM25 answers and dense retrieval misses, if there are any. */
	readonly found: ProjectedExample | null;
	readonly missed: ProjectedExample | null;
}

/** Questions of Table 1. */
const DRAWN = 5;
/** Tokens of each projection: 10 of them in Table 1. */
const TOKENS = 20;
/** Characters of a passage that are shown. */
const MAX_TEXT = 480;

/**
Draws the examples by the seed. The question that is found is drawn from those whose passage dense retrieval has in the first group of
token amnesia, the one that is missed from the last group that has questions.
*/
export async function vocabularyExamples(
	{gold, sparse}: AnalysedPairs,
	{amnesia}: QuestionValues,
	dense: Run,
	seed: number,
	explainers: Pick<Explainers, 'encoder' | 'projection'>,
	{signal}: CallOptions,
): Promise<VocabularyExamples> {
	const example = async ({id, question, passage}: QuestionPassage): Promise<ProjectedExample> => {
		const {marked, dense: match} = await explainMatch(question, passage, explainers, {k: TOKENS, signal});
		const rank = hitsFor(dense, id).findIndex(hit => hit.id === passage.id) + 1;
		const [worst] = match.shared.toSorted((a, b) => b.passageRank - a.passageRank);
		return {
			id,
			passageId: passage.id,
			denseRank: rank === 0 ? null : rank,
			marked: {...marked, text: shortened(marked.text)},
			question: match.question,
			passage: match.passage,
			worst: worst === undefined ? null : {token: worst.token, questionRank: worst.questionRank, passageRank: worst.passageRank},
		};
	};
	const groups = new Map(amnesia.map(({id, group}) => [id, group]));
	const last = amnesia.reduce((last, {group}) => Math.max(last, group), 0);
	const first = (group: number): QuestionPassage | undefined => inOrder(sparse, seed).find(({id}) => groups.get(id) === group);
	const [found, missed] = [first(0), last === 0 ? undefined : first(last)];
	const drawn: ProjectedExample[] = [];
	for (const pair of inOrder(gold, seed).slice(0, DRAWN)) {
		drawn.push(await example(pair));
	}
	return {drawn, found: found === undefined ? null : await example(found), missed: missed === undefined ? null : await example(missed)};
}

/** In an order that the seed and the ids give. */
function inOrder(pairs: readonly QuestionPassage[], seed: number): readonly QuestionPassage[] {
	return pairs
		.map(pair => ({pair, key: createHash('sha256').update(`${seed}\0${pair.id}`).digest('hex')}))
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({pair}) => pair);
}

/** The beginning of a text, up to the end of a word, and an ellipsis if it is cut. */
function shortened(parts: readonly MarkedText[]): readonly MarkedText[] {
	const kept: MarkedText[] = [];
	let room = MAX_TEXT;
	for (const part of parts) {
		if (part.text.length > room) {
			const text = part.text.slice(0, room).replace(/\S*$/u, '');
			return [...kept, ...(part.kind === undefined ? [{text: `${text}…`}] : [{text: '…'}])];
		}
		kept.push(part);
		room -= part.text.length;
	}
	return kept;
}
