/** The questions that the demo shows in full. */
import type {Retriever} from '../../collection/index.ts';
import {exactMatch} from '../../evaluation/index.ts';
import {marked, styled} from '../output.ts';
import {sideBySide} from '../table.ts';
import type {Outcome} from './measure.ts';

type Outcomes = ReadonlyMap<Retriever, readonly Outcome[]>;

/** Finds questions on which the retrievers disagree: one that only BM25 misses, one that dense retrieval misses, and one with different first passages. */
export function chooseThree(outcomes: Outcomes): number[] {
	const rank = (retriever: Retriever, question: number): number => outcomes.get(retriever)![question]!.rank || Number.POSITIVE_INFINITY;
	const count = outcomes.get('bm25')!.length;
	const wishes: Array<(question: number) => boolean> = [
		question => rank('bm25', question) > 5 && rank('dense', question) === 1,
		question => rank('dense', question) > 5 && rank('bm25', question) === 1,
		question => rank('hybrid', question) === 1 && rank('bm25', question) > 1 && rank('dense', question) > 1,
		question => rank('bm25', question) > 1 && rank('dense', question) === 1,
		question => rank('dense', question) > 1 && rank('bm25', question) === 1,
		() => true,
	];
	const chosen: number[] = [];
	for (const wish of wishes) {
		const question = Array.from({length: count}, (_, i) => i).find(i => !chosen.includes(i) && wish(i));
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
		`→ ${verdict(outcomes, question)}`,
	].join('\n');
}

function block(retriever: Retriever, {passages, answer, question, rank}: Outcome): string[] {
	const right = answer !== undefined && exactMatch(answer.text, question.answers);
	const lines = [
		styled('cyan', retriever.toUpperCase()),
		answer ? `reads: ${styled(right ? 'green' : 'yellow', answer.text)} ${right ? '✓' : '✗'}` : 'reads: nothing',
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

/** Returns about 35 words around a position, on one line. */
function excerpt(text: string, at: number): string {
	const before = text.slice(0, at).split(/\s+/u);
	const words = text.split(/\s+/u);
	const from = Math.max(0, Math.min(before.length - 12, words.length - 35));
	return `${from > 0 ? '… ' : ''}${words.slice(from, from + 35).join(' ')}${from + 35 < words.length ? ' …' : ''}`;
}

function verdict(outcomes: Outcomes, question: number): string {
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
	return `they disagree: ${names.join('; ')}`;
}
