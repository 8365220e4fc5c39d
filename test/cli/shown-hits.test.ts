// Tests how `passagekit search` formats hits, and how it parses the flag --fields of `passagekit add`.
import test from 'ava';
import {InvalidArgumentError} from 'commander';
import {fieldList} from '../../ts/cli/add/field-list.ts';
import {shownHits} from '../../ts/cli/search/shown-hits.ts';
import type {CollectionHit} from '../../ts/index.ts';

/** Makes a hit with this text, and with `parts` instead of the default values. */
const hit = (text: string, parts: Partial<CollectionHit> = {}): CollectionHit => ({id: 'd#0', document: 'd', score: 0.5, text, ...parts});

test.before(() => {
	process.env['FORCE_COLOR'] = '1';
	delete process.env['NO_COLOR'];
});

/** Removes the ANSI codes of styles. */
// oxlint-disable-next-line no-control-regex -- colors are control characters
const plain = (text: string): string => text.replaceAll(/\u001B\[\d+m/gu, '');

test('hits are numbered, and their passages are wrapped and indented', t => {
	const shown = plain(shownHits([hit('one two three four five', {title: 'Numbers'}), hit('six')], 23));
	t.is(shown, '1. Numbers  d · 0.500\n   one two three four\n   five\n\n2. d · 0.500\n   six\n');
});

test('a long passage is cut around its first highlight', t => {
	const text = `${'before '.repeat(100)}needle ${'after '.repeat(200)}`;
	const start = text.indexOf('needle');
	const shown = shownHits([hit(text, {highlights: [{start, end: start + 6}]})], 1000);
	t.true(shown.includes('\u001B[1mneedle\u001B[22m'));
	const [, passage] = plain(shown).split('\n');
	t.regex(passage!, /^ {3}… (?:before ){20,22}needle (?:after )+…$/u);
	t.true(passage!.length < 730);
});

test('a long passage without highlights is cut at its end, even if it has no spaces', t => {
	const [, words] = plain(shownHits([hit('word '.repeat(300))], 2000)).split('\n');
	t.regex(words!, /^ {3}(?:word )+…$/u);
	const [, letters] = plain(shownHits([hit('x'.repeat(5000))], 2000)).split('\n');
	t.is(letters, `   ${'x'.repeat(700)} …`);
});

test('control characters of a passage do not reach the terminal', t => {
	const shown = plain(shownHits([hit('a\u001B]0;title\u0007b\r\nc\u009B31m', {title: 'T\u001B[2J', document: 'd\n1'})], 100));
	t.is(shown, '1. T [2J  d 1 · 0.500\n   a ]0;title b c 31m\n');
});

test('an entry of --fields names a field, and can also give its type and the name that it has in the file', t => {
	t.deepEqual(fieldList('category, price:number,writer=author.name,tag=tags:strings'), {
		category: {from: 'category'},
		price: {from: 'price', type: 'number'},
		writer: {from: 'author.name'},
		tag: {from: 'tags', type: 'strings'},
	});
	for (const invalid of ['', 'a,', '=a', 'a=', ':number', 'a:', 'a:float', 'a,a', 'a,a=b']) {
		t.throws(() => fieldList(invalid), {instanceOf: InvalidArgumentError}, invalid);
	}
});
