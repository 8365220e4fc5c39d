/** Chooses three questions on which retrievers differ, and formats their results for the demo. */
import type {Retriever} from '../../collection/index.ts';
import {exactMatch} from '../../evaluation/index.ts';
import {marked, styled} from '../output.ts';
import {sideBySide} from '../table.ts';
import type {Outcome} from './measure.ts';

/** Retriever → its outcome for each question. */
type Outcomes = ReadonlyMap<Retriever, readonly Outcome[]>;

/**
Returns the positions of up to three questions on which the retrievers differ: one for which dense retrieval ranks a
passage with an answer first and BM25 has none among its first 5 passages; one for which it is the other way around; and
one for which only hybrid retrieval ranks such a passage first. If no question meets one of these conditions, a question
that meets a weaker condition, or else any question, takes its place.
*/
export function chooseThree(outcomes: Outcomes): number[] {
	const rank = (retriever: Retriever, question: number): number => outcomes.get(retriever)![question]!.rank || Number.POSITIVE_INFINITY;
	const count = outcomes.get('bm25')!.length;
	const conditions: Array<(question: number) => boolean> = [
		question => rank('bm25', question) > 5 && rank('dense', question) === 1,
		question => rank('dense', question) > 5 && rank('bm25', question) === 1,
		question => rank('hybrid', question) === 1 && rank('bm25', question) > 1 && rank('dense', question) > 1,
		question => rank('bm25', question) > 1 && rank('dense', question) === 1,
		question => rank('dense', question) > 1 && rank('bm25', question) === 1,
		() => true,
	];
	const chosen: number[] = [];
	for (const isWanted of conditions) {
		const question = Array.from({length: count}, (_, i) => i).find(i => !chosen.includes(i) && isWanted(i));
		if (question !== undefined && chosen.length < 3) {
			chosen.push(question);
		}
	}
	return chosen;
}

/** Formats one question with the hits and the answer of each retriever side by side. */
export function showcase(outcomes: Outcomes, question: number, columns: number): string {
	const {text, answers, kind} = outcomes.get('bm25')![question]!.question;
	const blocks = [...outcomes].map(([retriever, all]) => block(retriever, all[question]!));
	return [
		`${styled('bold', text)}  ${styled('dim', `(${kind}; accepted: ${answers.join(' / ')})`)}`,
		'',
		sideBySide(blocks, columns),
		'',
		`→ ${firstPassages(outcomes, question)}`,
	].join('\n');
}

/**
Formats the results of one retriever: the answer, the rank of the first passage with an answer, and the first three
passages.
*/
function block(retriever: Retriever, {passages, answer, question, rank}: Outcome): string[] {
	const isRight = answer !== undefined && exactMatch(answer.text, question.answers);
	const lines = [
		styled('cyan', retriever.toUpperCase()),
		answer ? `answer: ${styled(isRight ? 'green' : 'yellow', answer.text)} ${isRight ? '✓' : '✗'}` : 'no answer',
		rank > 0 ? `first passage with an answer: ${rank}` : 'no passage with an answer',
	];
	for (const [i, {id, title, text, score}] of passages.slice(0, 3).entries()) {
		const shown =
			answer?.passageId === id
				? `${text.slice(0, answer.start)}${marked(text.slice(answer.start, answer.end))}${text.slice(answer.end)}`
				: text;
		lines.push(
			'',
			`${i + 1}. ${styled('bold', title ?? id)} ${styled('dim', score.toFixed(2))}${id === question.passage ? styled('green', ' gold') : ''}`,
			excerpt(shown, answer?.passageId === id ? answer.start : 0),
		);
	}
	return lines;
}

/** Number of words of an excerpt, and how many of them come before the answer. */
const [EXCERPT_WORDS, WORDS_BEFORE] = [35, 12];

/** Returns the words around the position `at`, on one line. */
function excerpt(text: string, at: number): string {
	const before = text.slice(0, at).split(/\s+/u);
	const words = text.split(/\s+/u);
	const from = Math.max(0, Math.min(before.length - WORDS_BEFORE, words.length - EXCERPT_WORDS));
	return `${from > 0 ? '… ' : ''}${words.slice(from, from + EXCERPT_WORDS).join(' ')}${from + EXCERPT_WORDS < words.length ? ' …' : ''}`;
}

/** Says which passage each retriever ranks first. */
function firstPassages(outcomes: Outcomes, question: number): string {
	const first = new Map<string, Retriever[]>();
	for (const [retriever, all] of outcomes) {
		const id = all[question]!.passages[0]?.id ?? 'nothing';
		first.set(id, [...(first.get(id) ?? []), retriever]);
	}
	const gold = outcomes.get('bm25')![question]!.question.passage;
	if (first.size === 1) {
		return `all three put ${[...first.keys()][0]} first`;
	}
	const names = [...first].map(
		([id, retrievers]) =>
			`${retrievers.join(' and ')} ${retrievers.length > 1 ? 'put' : 'puts'} ${id}${id === gold ? ' (gold)' : ''} first`,
	);
	return `the retrievers differ: ${names.join('; ')}`;
}
