/** A report as one HTML page that needs nothing else: no network, no scripts, light or dark as the reader's screen is. */
import {escaped} from './html.ts';
import {reportStyle} from './page-style.ts';

export interface Page {
	readonly title: string;
	/** HTML, as `body` is. */
	readonly byline: string;
	readonly abstract: string;
	/** Rules beside those that all reports have. */
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
		`<style>${reportStyle}${style}</style>`,
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

/** Shown when it is asked for. */
export function folded(summary: string, inside: readonly string[]): string {
	return ['<details>', `<summary>${escaped(summary)}</summary>`, ...inside, '</details>'].join('\n');
}
