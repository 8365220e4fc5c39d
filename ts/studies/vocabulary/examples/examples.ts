/**
Chooses the examples for the report's Table 1 and Figure 2, which follow those of Ram et al. (2023), and projects them
onto the vocabulary.
*/
import {createHash} from 'node:crypto';
import {hitsFor} from '../../../core/native/runs.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import {type Explainers, type MarkedText, type QuestionPassage, explainMatch} from '../../../vocabulary/index.ts';
import type {AnalyzedPairs} from '../protocol/analyses.ts';
import type {QuestionValues} from '../findings/question-values.ts';
import type {ProjectedExample, VocabularyExamples} from './projected-example.ts';

/** Number of questions in Table 1. */
const TABLE_QUESTIONS = 5;
/** Number of tokens per projection. Table 1 shows the first 10 of them, Figure 2 all. */
const TOKENS_PER_PROJECTION = 20;
/** Maximum number of characters shown of a passage's text. */
const MAX_TEXT_LENGTH = 480;

/**
Draws the examples at random; the seed determines which. Token amnesia is measured in groups of questions, by the rank
that dense retrieval gives to the question's passage. The example `found` comes from the first group, in which these
ranks are best. The example `missed` comes from the last group that has questions; it is `null` if that is the first
group.
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
		const {marked, dense: match} = await explainMatch(question, passage, explainers, {k: TOKENS_PER_PROJECTION, signal});
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

/** Shuffles pairs. Their new order depends only on the seed and the ids of the questions. */
function shuffled(pairs: readonly QuestionPassage[], seed: number): readonly QuestionPassage[] {
	return pairs
		.map(pair => ({pair, key: createHash('sha256').update(`${seed}\0${pair.id}`).digest('hex')}))
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({pair}) => pair);
}

/** Cuts a text that has more than `MAX_TEXT_LENGTH` characters at the end of a word, and adds an ellipsis. */
function shortened(parts: readonly MarkedText[]): readonly MarkedText[] {
	const kept: MarkedText[] = [];
	let remaining = MAX_TEXT_LENGTH;
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
