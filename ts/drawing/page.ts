/**
Formats self-contained HTML pages, which have no scripts and load no other files. Their colors are light or dark,
according to the settings of the user's system.
*/
import {escaped} from './html.ts';
import {pageStyle} from './page-style.ts';

/** The parts of a page. */
export interface Page {
	readonly title: string;
	/** Line below the title, as HTML. */
	readonly byline: string;
	/** Paragraph below the byline, as text; it is escaped. */
	readonly abstract: string;
	/** CSS rules in addition to those of all pages. */
	readonly style?: string;
	/** Lines of HTML. */
	readonly body: readonly string[];
}

/** Returns the page as HTML. */
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

/** Returns a `details` element, whose content is hidden until the user opens it. `content` is lines of HTML. */
export function folded(summary: string, content: readonly string[]): string {
	return ['<details>', `<summary>${escaped(summary)}</summary>`, ...content, '</details>'].join('\n');
}
