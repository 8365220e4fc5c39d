// Tests how tables and blocks of text are formatted for the terminal.
import test from 'ava';
import {sideBySide, table} from '../../ts/cli/table.ts';

/** Colors a text green with ANSI codes. */
const green = (text: string): string => `\u001B[32m${text}\u001B[39m`;

test('the first column is left-aligned, the others are right-aligned, and a rule separates the header', t => {
	t.is(
		table(
			['measure', 'mean'],
			[
				['R@100', '0.5000'],
				['nDCG@10', '1'],
			],
		),
		['measure    mean', '───────  ──────', 'R@100    0.5000', 'nDCG@10       1'].join('\n'),
	);
});

test('a heading that is wider than its cells sets the column width', t => {
	t.is(table(['k', 'accuracy'], [['1', '0.5']]), ['k  accuracy', '─  ────────', '1       0.5'].join('\n'));
});

test('a table without rows has only the header', t => {
	t.is(table(['k', 'accuracy'], []), 'k  accuracy\n─  ────────');
});

test('missing cells are empty, and no line ends with a space', t => {
	t.is(table(['a', 'b', 'c'], [['1', '2'], ['1']]), 'a  b  c\n─  ─  ─\n1  2\n1');
});

test('ANSI codes of colors do not count as width', t => {
	t.is(table(['name', 'n'], [[green('ab'), green('1')]]), `name  n\n────  ─\n${green('ab')}    ${green('1')}`);
});

test('a letter of two UTF-16 code units has a width of one', t => {
	t.is(table(['𝔸𝔹', 'n'], [['x', '1']]), '𝔸𝔹  n\n──  ─\nx   1');
});

test('a table can have 200,000 rows', t => {
	const rows = Array.from({length: 200_000}, (_, i) => [String(i), '1']);

	t.is(table(['q', 'n'], rows).split('\n').length, 200_002);
});

test('blocks are placed side by side and wrapped between words', t => {
	// Each block is (13 − 3) / 2 = 5 columns wide, because ' │ ' between the blocks takes 3.
	t.is(sideBySide([['one two six'], ['a b c']], 13), ['one   │ a b c', 'two   │', 'six   │'].join('\n'));
});

test('a line that fits exactly is not wrapped', t => {
	t.is(sideBySide([['ab cd']], 5), 'ab cd');
	t.is(sideBySide([['ab cd']], 4), 'ab\ncd');
});

test('blocks without lines give no lines', t => {
	t.is(sideBySide([[], []], 20), '');
	t.is(sideBySide([], 20), '');
});

test('an empty line is kept', t => {
	t.is(sideBySide([['a', '', 'b']], 10), 'a\n\nb');
});

test('a word that is wider than its column is truncated', t => {
	t.is(sideBySide([['abcdefgh ij']], 5), 'abcd…\nij');
});

test('a word whose letters have two code units is truncated between letters', t => {
	t.is(sideBySide([['𝔸𝔹ℂ𝔻𝔼𝔽']], 4), '𝔸𝔹ℂ…');
});

test('a colored word is truncated by its visible width, and the color is reset', t => {
	t.is(sideBySide([[`${green('abcdefgh')} ij`]], 5), `\u001B[32mabcd…\u001B[39m\nij`);
});

test('a color continues after a line break, but not into the next block', t => {
	const [first, second] = sideBySide([[green('one two')], ['x']], 11).split('\n');

	// Each block is (11 − 3) / 2 = 4 columns wide.
	t.is(first, '\u001B[32mone\u001B[0m  │ x');
	t.is(second, '\u001B[32mtwo\u001B[39m  │');
});
