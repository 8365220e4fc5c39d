/**
Formats the explanation of a match for the terminal. Q is the projection of the question's vector onto the vocabulary, P
is the projection of the passage's vector.
*/
import type {ReportTable} from '../drawing/table.ts';
import type {MarkedText, MatchExplanation, ProjectedMatch, ProjectedToken, TokenOrigin} from '../vocabulary/explanation/explain-match.ts';
import {summary} from '../vocabulary/explanation/explanation-html.ts';
import {share} from '../vocabulary/explanation/projections-html.ts';
import {bm25Table, expansionTable, sharedTable} from '../vocabulary/explanation/explanation-tables.ts';
import {styled} from './output.ts';
import {table, wrapped} from './table.ts';

/**
Formats the texts with marked words, both projections side by side, and the tables. Texts are wrapped at `columns`
characters.
*/
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
		...[sharedTable(explanation), expansionTable(explanation), ...(bm25 ? [bm25Table({bm25})] : [])].flatMap(table => [
			'',
			tableText(table),
		]),
		'',
	].join('\n');
}

/** Explains the brackets or colors of words, and the symbols in front of tokens. */
export const legend = (): string =>
	styled(
		'dim',
		`words: ${mark('shared', 'shared')}, ${mark('forgotten', 'forgotten')} by P, ${mark('expansion', 'added')} by Q; tokens: ${origins.shared} in both texts, ${origins.question} in the question only, ${origins.passage} in the passage only`,
	);

/** The symbol in front of a token of a projection, which shows the text that contains the token. */
const origins: Readonly<Record<TokenOrigin, string>> = {shared: '=', question: 'q', passage: 'p', other: ' '};

/** Formats Q and P side by side. `suffix` is added to their headings. */
function projections({question, passage}: ProjectedMatch, suffix: string): string {
	// A line takes 32 columns (rank, symbol, token and probability) unless the token has more than 18 characters.
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
	const headings = ['Q, of the question', 'P, of the passage'].map(name => styled('bold', `${name}${suffix}`.padEnd(width)));
	return [headings.join(' │ ').trimEnd(), ...rows].join('\n');
}

/** Formats a table with its name and caption above it. */
function tableText({name, caption, firstHeading, columns, blocks}: ReportTable): string {
	const rows = blocks.flatMap(({rows}) => rows);
	// The part of a group's name after a comma is left out, to keep the columns narrow.
	const headings = columns.map(({group, heading}) => (group === undefined ? heading : `${heading}, ${group.split(',')[0]!.toLowerCase()}`));
	return [
		`${styled('bold', name)}  ${styled('dim', caption)}`,
		...(rows.length === 0
			? []
			: [
					table(
						[firstHeading, ...headings],
						rows.map(({heading, cells}) => [heading.text, ...cells.map(({text, markers = ''}) => `${text}${markers}`)]),
					),
				]),
	].join('\n');
}

const texts = (parts: readonly MarkedText[]): string =>
	parts.map(({text, kind}) => (kind === undefined ? text : mark(kind, text))).join('');

/** Marks a word with a color, or with brackets if standard output shows no colors. */
function mark(kind: NonNullable<MarkedText['kind']>, text: string): string {
	const colors = {shared: 'cyan', forgotten: 'yellow', expansion: 'green'} as const;
	const [before, after] = {shared: ['[', ']'], forgotten: ['[-', '-]'], expansion: ['[+', '+]']}[kind] as [string, string];
	const colored = styled(colors[kind], text);
	return colored === text ? `${before}${text}${after}` : colored;
}
