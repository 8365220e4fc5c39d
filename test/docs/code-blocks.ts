/**
Reads the code blocks of Markdown pages, and makes a program of each page.

All `ts` blocks of a page form one program, in their order: a block may use what an earlier one declares. The words after
`ts` say what is done with a block:

- nothing: it is compiled and run;
- `no-run`: it is compiled, and may use what the blocks before it declare, but it does not run.

A `text output` block is what the block before it prints. A line in an HTML comment, `<!-- declare: const name: Type -->`, declares
a name that the reader's own program would have.
*/
import {readFileSync} from 'node:fs';

export interface CodeBlock {
	readonly code: string;
	/** Line of the page on which the code starts, from 1. */
	readonly line: number;
	readonly runs: boolean;
	/** What the block must print, if the page says so. */
	readonly output?: string;
}

export interface Page {
	readonly path: string;
	readonly blocks: readonly CodeBlock[];
	/** Declarations of names that the page does not define. */
	readonly declarations: readonly string[];
}

const FENCE = /^```([^\n]*)\n([\s\S]*?)^```$/gmu;
const IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)';\n?/gmu;

/** Printed between two blocks, so that their outputs can be told apart. */
const SEPARATOR = '\u0001';

export function readPage(path: string): Page {
	const source = readFileSync(path, 'utf8');
	const declarations = [...source.matchAll(/<!-- declare: (.*?) -->/gu)].map(([, declaration]) => `declare ${declaration!};`);
	const blocks: CodeBlock[] = [];
	for (const {1: info, 2: code, index} of source.matchAll(FENCE)) {
		const [language, ...words] = info!.trim().split(/\s+/u);
		if (language === 'ts') {
			const line = source.slice(0, index).split('\n').length + 1;
			blocks.push({code: code!, line, runs: !words.includes('no-run')});
		} else if (language === 'text' && words.includes('output')) {
			const block = blocks.pop();
			if (block === undefined) {
				throw new Error(`${path}: expected a block of code before the output, got none`);
			}
			blocks.push({...block, output: code!.trim()});
		}
	}
	return {path, blocks, declarations};
}

/** The page as one module: imports first, each name once, then the blocks. Returns undefined if the page has no code. */
export function programOf({blocks, declarations}: Page): string | undefined {
	if (blocks.length === 0) {
		return;
	}
	const imports = new Map<string, Set<string>>();
	const bodies = blocks.map(({code, line, runs}) => {
		const body = code.replace(IMPORT, (_, type: string | undefined, names: string, from: string) => {
			const found = imports.get(from) ?? new Set();
			for (const name of names.split(',').map(each => each.trim())) {
				if (name !== '') {
					found.add(type === undefined ? name : `type ${name}`);
				}
			}
			return imports.set(from, found) && '';
		});
		const source = runs ? body : `async () => {\n${body}};\n`;
		return `// Line ${line}\n${source}console.log('${SEPARATOR}');\n`;
	});
	const heads = [...imports].map(([from, names]) => `import {${[...names].join(', ')}} from '${from}';\n`);
	return [...heads, ...declarations.map(declaration => `${declaration}\n`), ...bodies, 'export {};\n'].join('');
}

/** What each block of a page printed. */
export function outputsOf(printed: string): string[] {
	return printed.split(`${SEPARATOR}\n`).map(output => output.trim());
}

/** Code after `@example` in the documentation comments of a TypeScript file. */
export function readExamples(path: string): CodeBlock[] {
	const source = readFileSync(path, 'utf8');
	const blocks: CodeBlock[] = [];
	for (const {0: comment, index: start} of source.matchAll(/\/\*\*[\s\S]*?\*\//gu)) {
		const text = comment.replace(/^[ \t]*\* ?/gmu, '');
		for (const {1: code, index} of text.matchAll(/@example[^\n]*\n[ \t]*```\w*\n([\s\S]*?)^[ \t]*```/gmu)) {
			const line = source.slice(0, start).split('\n').length + text.slice(0, index).split('\n').length + 1;
			blocks.push({code: code!, line, runs: false});
		}
	}
	return blocks;
}
