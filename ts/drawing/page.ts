/** A self-contained HTML page, without network access or scripts, in light or dark colors as the reader prefers. */
import {escaped} from './html.ts';
import {pageStyle} from './page-style.ts';

export interface Page {
	readonly title: string;
	/** HTML, like `body`. */
	readonly byline: string;
	readonly abstract: string;
	/** CSS rules in addition to those of all pages. */
	readonly style?: string;
	readonly body: readonly string[];
}

export function page({title, byline, abstract, style = '', body}: Page): string {
	return [
		'<!doctype html>',
		'<html lang="en">',
		'<head>',
		'<meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1">',
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
		'<meta name="color-scheme" content="light dark">',
		'<link rel="icon" href="data:,">',
		`<title>${escaped(title)}</title>`,
		`<style>${pageStyle}${style}</style>`,
		'</head>',
		'<body>',
		'<main>',
		`<h1>${escaped(title)}</h1>`,
		`<p class="byline">${byline}</p>`,
		`<p class="abstract">${escaped(abstract)}</p>`,
		...body,
		'</main>',
		'</body>',
		'</html>',
		'',
	].join('\n');
}

/** Content that is hidden until the reader opens it. */
export function folded(summary: string, inside: readonly string[]): string {
	return ['<details>', `<summary>${escaped(summary)}</summary>`, ...inside, '</details>'].join('\n');
}
