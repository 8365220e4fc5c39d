/** Formats an explanation for a terminal. */
import type {ReportTable} from '../drawing/table.ts';
import type {MarkedText, MatchExplanation, ProjectedMatch, ProjectedToken, TokenOrigin} from '../vocabulary/explanation/explain-match.ts';
import {summary} from '../vocabulary/explanation/explanation-html.ts';
import {share} from '../vocabulary/explanation/projections-html.ts';
import {bm25Table, expansionTable, sharedTable} from '../vocabulary/explanation/explanation-tables.ts';
import {styled} from './output.ts';
import {table, wrapped} from './table.ts';

/** Formats the passage with its marked words, both projections side by side, and the tables, `columns` characters wide. */
export function shownExplanation(explanation: MatchExplanation, heading: string, columns: number): string {
	const {passage, marked, dense, enriched, bm25} = explanation;
	const title = passage.title ? `${styled('bold', passage.title)} · ` : '';
	return [
		`${styled('bold', heading)}  ${styled('dim', passage.id)}`,
		'',
		wrapped(texts(marked.question), columns),
		'',
		wrapped(`${title}${texts(marked.text)}`, columns),
		'',
		wrapped(summary(explanation), columns),
		'',
		projections(dense, ''),
		...(enriched ? ['', projections(enriched, ` enriched, λ = ${Number(enriched.lambda.toPrecision(3))}`)] : []),
		...[sharedTable(explanation), expansionTable(explanation), ...(bm25 ? [bm25Table({bm25})] : [])].flatMap(of => ['', shownTable(of)]),
		'',
	].join('\n');
}

/** The legend of the marks and colors. */
export const legend = (): string =>
	styled(
		'dim',
		`marked: ${mark('shared', 'shared')}, ${mark('forgotten', 'forgotten')} by P, ${mark('expansion', 'expansion')} by Q; in projections ${origins.shared} shared, ${origins.question} of the question, ${origins.passage} of the passage`,
	);

const origins: Readonly<Record<TokenOrigin, string>> = {shared: '=', question: 'q', passage: 'p', other: ' '};

function projections({question, passage}: ProjectedMatch, what: string): string {
	const width = 35;
	const block = (tokens: readonly ProjectedToken[]): string[] =>
		tokens.map(({rank, token, probability, origin}) => {
			const line = `${String(rank).padStart(3)} ${origins[origin]} ${token.padEnd(18)} ${share(probability).padStart(7)}`.padEnd(width);
			return origin === 'other' ? styled('dim', line) : origin === 'passage' ? styled('green', line) : line;
		});
	const [left, right] = [block(question), block(passage)];
	const rows = Array.from({length: Math.max(left.length, right.length)}, (_, i) =>
		`${left[i] ?? ' '.repeat(width)} │ ${right[i] ?? ''}`.trimEnd(),
	);
	const headings = ['Q, of the question', 'P, of the passage'].map(name => styled('bold', `${name}${what}`.padEnd(width)));
	return [headings.join(' │ ').trimEnd(), ...rows].join('\n');
}

function shownTable({name, caption, stub, columns, blocks}: ReportTable): string {
	const rows = blocks.flatMap(({rows}) => rows);
	const headings = columns.map(({group, heading}) => (group === undefined ? heading : `${heading}, ${group.split(',')[0]!.toLowerCase()}`));
	return [
		`${styled('bold', name)}  ${styled('dim', caption)}`,
		...(rows.length === 0
			? []
			: [
					table(
						[stub, ...headings],
						rows.map(({heading, cells}) => [heading.text, ...cells.map(({text, markers = ''}) => `${text}${markers}`)]),
					),
				]),
	].join('\n');
}

const texts = (parts: readonly MarkedText[]): string =>
	parts.map(({text, kind}) => (kind === undefined ? text : mark(kind, text))).join('');

function mark(kind: NonNullable<MarkedText['kind']>, text: string): string {
	const colour = {shared: 'cyan', forgotten: 'yellow', expansion: 'green'} as const;
	const [before, after] = {shared: ['[', ']'], forgotten: ['[-', '-]'], expansion: ['[+', '+]']}[kind] as [string, string];
	const coloured = styled(colour[kind], text);
	return coloured === text ? `${before}${text}${after}` : coloured;
}
