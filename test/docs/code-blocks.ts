/**
Reads the code blocks of Markdown pages and turns each page into a program. Also reads the examples in documentation comments.

All `ts` blocks of a page form one program, in order: a block can use what earlier blocks declare. The words after `ts` say
how a block is used:

- no words: the block is compiled and run;
- `no-run`: the block is compiled and can use what earlier blocks declare, but it does not run.

A `text output` block contains what the `ts` block before it prints. An HTML comment such as
`<!-- declare: const name: Type -->` declares a name that the reader's own program would define.
*/
import {readFileSync} from 'node:fs';

export interface CodeBlock {
	readonly code: string;
	/** The line of the file on which the code starts, counted from 1. */
	readonly line: number;
	/** Whether the code is also run, not only compiled. */
	readonly runs: boolean;
	/** The expected output, if the page states it. */
	readonly output?: string;
}

export interface Page {
	readonly path: string;
	readonly blocks: readonly CodeBlock[];
	/** TypeScript declarations of names that the page does not define, from its HTML comments. */
	readonly declarations: readonly string[];
}

const FENCE = /^```([^\n]*)\n([\s\S]*?)^```$/gmu;
const IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)';\n?/gmu;

/** The program of a page prints this after each block, to separate the outputs of the blocks. */
const SEPARATOR = '\u0001';

/** Reads the `ts` blocks of a page, with their expected outputs. */
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

/**
Joins the blocks of a page into one module: first the imports, each name once, then the declarations from HTML comments, then
the blocks. Returns undefined if the page has no `ts` blocks.
*/
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
			// The empty string removes the import from the block.
			return imports.set(from, found) && '';
		});
		const source = runs ? body : `async () => {\n${body}};\n`;
		return `// Line ${line}\n${source}console.log('${SEPARATOR}');\n`;
	});
	const heads = [...imports].map(([from, names]) => `import {${[...names].join(', ')}} from '${from}';\n`);
	return [...heads, ...declarations.map(declaration => `${declaration}\n`), ...bodies, 'export {};\n'].join('');
}

/** Splits the output of a page's program into the outputs of the blocks. */
export function outputsOf(printed: string): string[] {
	return printed.split(`${SEPARATOR}\n`).map(output => output.trim());
}

/** Reads the code after `@example` in the documentation comments of a TypeScript file. */
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
