// Writes Rust functions that test Unicode properties of characters, for properties that our crates need and their dependencies do not have. The
// data comes from the Node that runs this script; `node -p process.versions.unicode` prints its Unicode version.
//
//     node scripts/tables/unicode.mjs          writes the tables
//     node scripts/tables/unicode.mjs --check  fails if a table differs from what the script would write
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const version = process.versions.unicode;
const maxLineLength = 118;

/** Returns the characters with a property, from the code point `from` on, as inclusive ranges of code points in ascending order. */
function ranges(property, from) {
	const pattern = new RegExp(`\\p{${property}}`, 'u');
	const found = [];
	for (let code = from; code <= 0x10_ff_ff; code++) {
		if (!pattern.test(String.fromCodePoint(code))) {
			continue;
		}
		const last = found.at(-1);
		if (last?.[1] === code - 1) {
			last[1] = code;
		} else {
			found.push([code, code]);
		}
	}
	return found;
}

/** Returns the source code of a Rust function that says whether a character, from the code point `from` on, has a property. */
function rustFunction({name, property, from, doc}) {
	const character = code => `'\\u{${code.toString(16)}}'`;
	const patterns = ranges(property, from).map(([first, last]) =>
		first === last ? character(first) : `${character(first)}..=${character(last)}`,
	);
	const lines = [];
	for (const pattern of patterns) {
		const part = `${lines.length === 0 ? '' : '| '}${pattern}`;
		if (lines.length > 0 && lines.at(-1).length + 1 + part.length <= maxLineLength) {
			lines[lines.length - 1] += ` ${part}`;
		} else {
			lines.push(`        ${part}`);
		}
	}
	return `${doc}
#[rustfmt::skip]
pub(crate) fn ${name}(character: char) -> bool {
    matches!(
        character,
${lines.join('\n')}
    )
}
`;
}

const tables = [
	{
		file: 'crates/phrases/src/sentences/sentence_terminal.rs',
		text: `//! Generated from Unicode ${version} (PropList.txt) by \`node scripts/tables/unicode.mjs\`. Do not edit.

${rustFunction({
	name: 'is_sentence_terminal',
	property: 'Sentence_Terminal',
	from: 0x5_89,
	doc: '/// Whether a character from U+0589 on has the property `Sentence_Terminal`.',
})}`,
	},
];

for (const {file, text} of tables) {
	const path = join(root, file);
	if (!process.argv.includes('--check')) {
		writeFileSync(path, text);
	} else if (readFileSync(path, 'utf8') !== text) {
		console.error(`${file} is not what scripts/tables/unicode.mjs writes with Unicode ${version}`);
		process.exitCode = 1;
	}
}
