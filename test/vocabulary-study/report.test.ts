import test from 'ava';
import {vocabularyFindings, vocabularyStudyHtml, vocabularyStudyMarkdown} from '../../ts/index.ts';
import {escaped} from '../../ts/report/html.ts';
import {percent} from '../../ts/report/words.ts';
import {shown} from '../../ts/vocabulary-study/amnesia-panel.ts';
import {vocabularyStudy} from '../support/vocabulary-study.ts';

test('findings are what the numbers and the tests say', t => {
	const holds = new Map(vocabularyFindings(vocabularyStudy()).map(finding => [finding.name, finding.holds]));
	t.deepEqual(Object.fromEntries(holds), {
		'shared tokens': true,
		'first token': true,
		'query prediction': true,
		'query expansion': true,
		'token amnesia': true,
		'amnesia of questions': true,
		enrichment: true,
		'enrichment remembers': true,
		'word pieces': true,
		// Significant are top-20 without IDF alone.
		ablations: 'partly',
	});

	// The other way round: the baseline in the place of the encoder.
	const made = vocabularyStudy();
	const [encoder, baseline] = made.analyses;
	const exchanged = vocabularyFindings({
		...made,
		analyses: [
			{
				...baseline!,
				of: 'encoder',
				amnesia: {groups: baseline!.amnesia.groups.toReversed().map((group, i) => ({...group, from: i + 1})), without: 0},
			},
			{...encoder!, of: 'baseline'},
		],
	});
	const found = new Map(exchanged.map(finding => [finding.name, finding.holds]));
	t.is(found.get('shared tokens'), false);
	t.is(found.get('first token'), false);
	// Shared tokens are still above others.
	t.is(found.get('query prediction'), 'partly');
	t.is(found.get('query expansion'), false);
	t.is(found.get('token amnesia'), false);
	t.false(found.has('enrichment remembers'));
});

test('both reports have every number of the study and the paper, and the same study gives the same bytes', t => {
	const made = vocabularyStudy();
	const [html, markdown] = [vocabularyStudyHtml(made), vocabularyStudyMarkdown(made)];
	t.is(html, vocabularyStudyHtml(vocabularyStudy()));
	t.is(markdown, vocabularyStudyMarkdown(vocabularyStudy()));
	for (const report of [html, markdown]) {
		const has = (value: string, what: string): void => {
			t.true(report.includes(value), `${what}: ${value}`);
		};
		for (const {of, analysis, amnesia} of made.analyses) {
			for (const kind of ['all', 'content'] as const) {
				const {question, passage} = analysis.coverage[kind];
				[...question, ...passage].forEach(value => has(percent(value), `${of} coverage`));
				Object.values(analysis.mrr[kind]).forEach(({mrr}) => has(percent(mrr), `${of} MRR`));
			}
			analysis.expansion.forEach(value => has(percent(value), `${of} expansion`));
			for (const {shared, expansion, other} of [...analysis.composition.question, ...analysis.composition.passage]) {
				[shared, expansion, other].forEach(value => has(percent(value), `${of} composition`));
			}
			for (const {max, median} of amnesia.groups) {
				[max.passage, max.question, median.passage, median.question].forEach(quantiles => has(shown(quantiles.median), `${of} amnesia`));
			}
		}
		for (const {condition, values, tuning} of made.retrieval.rows) {
			[...values, ...(tuning?.values ?? [])].forEach(value => has(percent(value), condition));
		}
		// The paper's own, beside them.
		['63.0', '53.0', '16.0', '8.0', '78.0', '69.0', '26.1', '3.0', '1.4', '71'].forEach(number => has(number, 'paper'));
		[made.corpus, made.encoder, made.head, ...made.questions.files].forEach(({sha256}) => has(sha256, 'SHA-256'));
		t.false(/undefined|NaN/u.test(report));
	}
	// Enrichment is significantly better than dense retrieval, and BM25 than enrichment.
	t.regex(html, new RegExp(`<th scope="row">Dense</th>(?:(?!</tr>).)*${percent(0.5237)}<sup>†</sup>`, 'u'));
	t.regex(html, new RegExp(`<th scope="row">BM25</th>(?:(?!</tr>).)*${percent(0.6871)}<sup>‡</sup>`, 'u'));
});

test('a report without enrichment has the analyses, and retrieval as it is', t => {
	const made = vocabularyStudy();
	const study = vocabularyStudy({
		analyses: made.analyses.filter(({of}) => of !== 'enriched'),
		settings: {...made.settings, lambdas: []},
		retrieval: {...made.retrieval, rows: made.retrieval.rows.slice(0, 3), comparisons: []},
	});
	const names = vocabularyFindings(study).map(({name}) => name);
	t.deepEqual(names, ['shared tokens', 'first token', 'query prediction', 'query expansion', 'token amnesia', 'amnesia of questions']);
	for (const report of [vocabularyStudyHtml(study), vocabularyStudyMarkdown(study)]) {
		t.false(/undefined|NaN|Table 4|λ on development|Bonferroni’s correction for/u.test(report));
		t.true(report.includes(percent(0.5237)));
	}
});

test('the page is well-formed, needs nothing from elsewhere, and shows texts as they are', t => {
	const html = vocabularyStudyHtml(vocabularyStudy({dataset: '<b>&"quotes"</b>', command: 'npx passagekit vocabulary --name "<i>"'}));
	t.true(html.includes(escaped('<b>&"quotes"</b>')) && !html.includes('<b>&"'));
	t.false(/<script|@import|url\(|<img|<iframe/u.test(html));
	const links = [...html.matchAll(/(?:href|src)="([^"]+)"/gu)].map(([, link]) => link!);
	t.true(
		links.every(link => link === 'data:,' || link.startsWith('https://arxiv.org/abs/')),
		links.join(' '),
	);
	const ids = [...html.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id!);
	t.is(new Set(ids).size, ids.length, 'ids are distinct');
	const open: string[] = [];
	for (const [, closing, name, own] of html.replaceAll(/<style>[\s\S]*?<\/style>/gu, '').matchAll(/<(\/?)([a-z][\w-]*)[^>]*?(\/?)>/gu)) {
		if (closing) {
			t.is(open.pop(), name);
		} else if (!own && !['meta', 'br', 'hr', 'link'].includes(name!)) {
			open.push(name!);
		}
	}
	t.deepEqual(open, []);
});

test('what is no study is refused', t => {
	t.throws(() => vocabularyStudyHtml({} as never), {
		code: 'ERR_FORMAT',
		message: /expected an object of format "passagekit vocabulary study 1"/u,
	});
	const made = vocabularyStudy();
	const [first, ...rest] = made.retrieval.rows;
	const short = vocabularyStudy({retrieval: {...made.retrieval, rows: [{...first!, values: [0.5]}, ...rest]}});
	t.throws(() => vocabularyStudyMarkdown(short), {code: 'ERR_FORMAT', message: /values of bm25: expected 5, one for each measure, got 1/u});
});
