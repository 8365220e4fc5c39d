/** Chooses the examples for Table 1 and Figure 2 of Ram et al. (2023), and projects them onto the vocabulary. */
import {createHash} from 'node:crypto';
import {hitsFor} from '../../../core/native/runs.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import {type Explainers, type MarkedText, type QuestionPassage, explainMatch} from '../../../vocabulary/index.ts';
import type {AnalyzedPairs} from '../protocol/analyses.ts';
import type {QuestionValues} from '../findings/question-values.ts';
import type {ProjectedExample, VocabularyExamples} from './projected-example.ts';

/** Number of questions in Table 1. */
const TABLE_QUESTIONS = 5;
/** Number of tokens per projection. Table 1 shows 10 of them, Figure 2 all. */
const TOKENS = 20;
/** Maximum number of characters of a passage that are shown. */
const MAX_TEXT = 480;

/**
Draws the examples at random by the seed. `found` comes from the first group of token amnesia, whose passages dense
retrieval ranks best, and `missed` from the last group that has questions.
*/
export async function vocabularyExamples(
	{gold, sparse}: AnalyzedPairs,
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
	const lastGroup = amnesia.reduce((last, {group}) => Math.max(last, group), 0);
	/** The first question of a group, in shuffled order. */
	const firstOf = (group: number): QuestionPassage | undefined => shuffled(sparse, seed).find(({id}) => groups.get(id) === group);
	const [found, missed] = [firstOf(0), lastGroup === 0 ? undefined : firstOf(lastGroup)];
	const drawn: ProjectedExample[] = [];
	for (const pair of shuffled(gold, seed).slice(0, TABLE_QUESTIONS)) {
		drawn.push(await example(pair));
	}
	return {drawn, found: found === undefined ? null : await example(found), missed: missed === undefined ? null : await example(missed)};
}

/** Shuffles pairs. The order depends only on the seed and the ids of questions. */
function shuffled(pairs: readonly QuestionPassage[], seed: number): readonly QuestionPassage[] {
	return pairs
		.map(pair => ({pair, key: createHash('sha256').update(`${seed}\0${pair.id}`).digest('hex')}))
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({pair}) => pair);
}

/** Shortens a text at the end of a word, and adds an ellipsis if it was too long. */
function shortened(parts: readonly MarkedText[]): readonly MarkedText[] {
	const kept: MarkedText[] = [];
	let remaining = MAX_TEXT;
	for (const part of parts) {
		if (part.text.length > remaining) {
			const text = part.text.slice(0, remaining).replace(/\S*$/u, '');
			return [...kept, ...(part.kind === undefined ? [{text: `${text}…`}] : [{text: '…'}])];
		}
		kept.push(part);
		remaining -= part.text.length;
	}
	return kept;
}
