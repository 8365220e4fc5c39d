/** Chooses the examples of Table 1 and Figure 2, and projects them. */
import {createHash} from 'node:crypto';
import {hitsFor} from '../../../core/native/runs.ts';
import type {CallOptions, Run} from '../../../core/types.ts';
import {type Explainers, type MarkedText, type QuestionPassage, explainMatch} from '../../../vocabulary/index.ts';
import type {AnalyzedPairs} from '../protocol/analyses.ts';
import type {QuestionValues} from '../findings/question-values.ts';
import type {ProjectedExample, VocabularyExamples} from './projected-example.ts';

/** Number of questions in Table 1. */
const DRAWN = 5;
/** Number of tokens of each projection. Table 1 shows 10 of them. */
const TOKENS = 20;
/** Maximum number of characters of a passage. */
const MAX_TEXT = 480;

/**
Draws the examples by the seed. `found` is drawn from the questions whose passage is in the first group of token amnesia, `missed` from
the last group that has questions.
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
	const last = amnesia.reduce((last, {group}) => Math.max(last, group), 0);
	const first = (group: number): QuestionPassage | undefined => shuffled(sparse, seed).find(({id}) => groups.get(id) === group);
	const [found, missed] = [first(0), last === 0 ? undefined : first(last)];
	const drawn: ProjectedExample[] = [];
	for (const pair of shuffled(gold, seed).slice(0, DRAWN)) {
		drawn.push(await example(pair));
	}
	return {drawn, found: found === undefined ? null : await example(found), missed: missed === undefined ? null : await example(missed)};
}

/** Shuffles pairs by the seed; the order depends on nothing but the seed and the ids. */
function shuffled(pairs: readonly QuestionPassage[], seed: number): readonly QuestionPassage[] {
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
