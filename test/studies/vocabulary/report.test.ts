// Tests the findings and reports of vocabulary studies (Ram et al., 2023), with the made-up results in
// test/support/vocabulary-study.ts.
import test from 'ava';
import {type VocabularyStudy, vocabularyFindings, vocabularyStudyHtml, vocabularyStudyMarkdown} from '../../../ts/studies/index.ts';
import {escaped} from '../../../ts/drawing/html.ts';
import type {Comparison} from '../../../ts/studies/statistics/comparison.ts';
import {pValue, percent, points} from '../../../ts/drawing/format.ts';
import {shownRank} from '../../../ts/studies/vocabulary/rank-groups.ts';
import {vocabularyStudy} from '../../support/vocabulary-study.ts';

/** Returns the verdict on each claim, by the name of its finding. */
const verdicts = (study: VocabularyStudy): Record<string, string> =>
	Object.fromEntries(vocabularyFindings(study).map(({name, verdict}) => [name, verdict]));

test('the verdicts on claims follow from the significance tests', t => {
	const made = vocabularyStudy();
	t.deepEqual(verdicts(made), {
		'shared tokens': 'holds',
		'first token': 'holds',
		'query prediction': 'holds',
		'query expansion': 'holds',
		'token amnesia': 'holds',
		'amnesia of questions': 'holds',
		enrichment: 'holds',
		'enrichment remembers': 'holds',
		'word pieces': 'holds',
		// Two of the four ablations make a significant difference in top-20: without IDF, and with static embeddings.
		ablations: 'holds in part',
	});
	t.deepEqual(
		vocabularyFindings(made)
			.filter(({source}) => source === 'study')
			.map(({name}) => name),
		['enrichment remembers'],
	);
	const changed = (change: (test: Comparison) => Comparison): VocabularyStudy =>
		vocabularyStudy({tests: {claims: made.tests.claims.map(change), amnesia: made.tests.amnesia.map(change)}});
	const names = ['shared tokens', 'first token', 'query prediction', 'query expansion', 'token amnesia', 'amnesia of questions'];
	for (const [study, verdict] of [
		[changed(test => ({...test, difference: -test.difference})), 'contradicted'],
		[changed(test => ({...test, significant: false})), 'undecided'],
	] as const) {
		const found = verdicts(study);
		names.forEach(name => t.is(found[name], verdict, name));
		t.is(found['enrichment remembers'], verdict);
	}
	const undecided = vocabularyFindings(changed(test => ({...test, significant: false})));
	t.regex(undecided.find(({name}) => name === 'first token')!.result, /not significant \(3\.2 points would have been\)/u);
	// Only one of the two later groups differs significantly from the first.
	const partial = verdicts(changed(test => ({...test, significant: test.significant && test.a !== '6–20'})));
	t.is(partial['token amnesia'], 'holds in part');
});

test('static embeddings are not an initialization, so claims that compare with one are not tested', t => {
	const made = vocabularyStudy();
	const study = vocabularyStudy({
		baseline: {kind: 'static'},
		tests: {...made.tests, claims: made.tests.claims.filter(({b}) => b !== 'baseline')},
	});
	const found = verdicts(study);
	t.is(found['shared tokens'], 'not tested');
	t.is(found['query expansion'], 'not tested');
	// Comparing shared tokens with other tokens of the passage needs no initialization.
	t.is(found['query prediction'], 'holds');
	for (const report of [vocabularyStudyHtml(study), vocabularyStudyMarkdown(study)]) {
		t.true(report.includes('Static embeddings are not the encoder’s initialization, so this is not tested.'));
		t.true(report.includes('Whether it was learned is not tested.'));
	}
});

test('groups of questions that are too small are named, and if no later group is large enough, the claims are not tested', t => {
	const made = vocabularyStudy();
	const analyses = made.analyses.map(analysis => ({
		...analysis,
		amnesia: {
			...analysis.amnesia,
			groups: analysis.amnesia.groups.map((group, i) => (i === 0 ? group : {...group, questions: 9})),
		},
	}));
	const study = vocabularyStudy({analyses, tests: {...made.tests, amnesia: []}});
	const found = verdicts(study);
	t.is(found['token amnesia'], 'not tested');
	t.is(found['amnesia of questions'], 'not tested');
	// `result` says what the study has measured about the claim of a finding.
	const {result} = vocabularyFindings(study).find(({name}) => name === 'token amnesia')!;
	t.regex(result, /Groups of fewer than 10 questions are not tested: 6–20 and beyond 20\./u);
});

test('if λ = 0 is best on development questions, the report says so and has no comparisons', t => {
	const made = vocabularyStudy();
	const {rows} = made.retrieval;
	const dense = rows.find(({condition}) => condition === 'dense')!;
	const study = vocabularyStudy({
		analyses: made.analyses.filter(({of}) => of !== 'enriched'),
		retrieval: {
			...made.retrieval,
			rows: rows.map(row => (row.condition === 'enriched' ? {...row, values: dense.values, tuning: {...row.tuning!, lambda: 0}} : row)),
			comparisons: [],
		},
	});
	const found = vocabularyFindings(study);
	for (const name of ['enrichment', 'word pieces', 'ablations']) {
		const finding = found.find(finding => finding.name === name)!;
		t.is(finding.verdict, 'undecided');
		t.regex(finding.result, /^On development questions, λ = 0 is best, which means no enrichment\./u);
		t.deepEqual(finding.evidence, []);
	}
	t.false(found.some(({name}) => name === 'enrichment remembers'));
	for (const report of [vocabularyStudyHtml(study), vocabularyStudyMarkdown(study)]) {
		t.regex(report, /On development questions, λ = 0 is best, which means no enrichment: the row has the encoder’s own vectors/u);
		t.false(/undefined|NaN/u.test(report));
	}
});

test('Table 1 and Figure 2 show the tokens of the projections, and mark them by the texts that contain them', t => {
	const made = vocabularyStudy();
	const [html, markdown] = [vocabularyStudyHtml(made), vocabularyStudyMarkdown(made)];
	for (const report of [html, markdown]) {
		t.true(['Table 1.', 'Figure 2.'].every(name => report.includes(`${name}<`) || report.includes(`${name}**`)));
		t.true(
			report.includes(
				'Dense retrieval gives the passage rank 2. The shared token that P ranks worst is “forgotten”: rank 5,417 in P, 14 in Q.',
			),
		);
		t.true(report.includes('Dense retrieval does not find the passage.'));
		t.true(report.includes('seed 42'));
		// The table has ten tokens per projection, the figure twenty.
		t.true(report.includes('q9shared') && !report.includes('q10shared'));
		t.true(report.includes('p19question') && report.includes('p18other'));
	}
	t.true(html.includes('<span class="origin-shared" title="rank 1"><span class="token">q0shared</span></span>'));
	t.true(html.includes('It was <mark class="forgotten">forgotten</mark> &amp; &lt;gone&gt;.'));
	t.regex(markdown, /\| \*\*q0shared\*\*, q1shared, /u);
	t.true(markdown.includes('<ins>q0question</ins> 40.0%') && markdown.includes('*p0passage*'));
	const without = vocabularyStudy({examples: {drawn: [], found: null, missed: null}});
	t.false(/Table 1\.|Figure 2\./u.test(vocabularyStudyHtml(without) + vocabularyStudyMarkdown(without)));
});

test('the HTML and Markdown reports contain the numbers of the study and the paper, and the same study gives the same bytes', t => {
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
				[max.passage, max.question, median.passage, median.question].forEach(quantiles =>
					has(shownRank(quantiles.median), `${of} amnesia`),
				);
			}
		}
		for (const {condition, values, tuning} of made.retrieval.rows) {
			[...values, ...(tuning?.values ?? [])].forEach(value => has(percent(value), condition));
		}
		for (const {corrected, difference} of [...made.tests.claims, ...made.tests.amnesia]) {
			[points(difference), pValue(corrected).replace('<', report === html ? '&lt;' : '\\<')].forEach(value => has(value, 'tests'));
		}
		has('87 steps for each of 30,522 tokens', 'steps');
		// The numbers of the paper are next to those of the study.
		['63.0', '53.0', '16.0', '8.0', '78.0', '69.0', '26.1', '3.0', '1.4', '71'].forEach(number => has(number, 'paper'));
		[made.corpus, made.encoder, made.head, ...made.questions.files].forEach(({sha256}) => has(sha256, 'SHA-256'));
		t.false(/undefined|NaN/u.test(report));
	}
	// Enrichment is significantly better than dense retrieval, and BM25 is significantly better than enrichment.
	t.regex(html, new RegExp(`<th scope="row">Dense</th>(?:(?!</tr>).)*${percent(0.5237)}<sup>†</sup>`, 'u'));
	t.regex(html, new RegExp(`<th scope="row">BM25</th>(?:(?!</tr>).)*${percent(0.6871)}<sup>‡</sup>`, 'u'));
});

test('the report of a study without enrichment has the analyses and the retrieval results', t => {
	const made = vocabularyStudy();
	const {enrichment: _, ...rest} = vocabularyStudy();
	const study = {
		...rest,
		analyses: made.analyses.filter(({of}) => of !== 'enriched'),
		settings: {...made.settings, lambdas: []},
		retrieval: {...made.retrieval, rows: made.retrieval.rows.slice(0, 3), comparisons: []},
	};
	const names = vocabularyFindings(study).map(({name}) => name);
	t.deepEqual(names, ['shared tokens', 'first token', 'query prediction', 'query expansion', 'token amnesia', 'amnesia of questions']);
	for (const report of [vocabularyStudyHtml(study), vocabularyStudyMarkdown(study)]) {
		t.false(/undefined|NaN|Table 4|λ on development|Bonferroni’s correction for/u.test(report));
		t.true(report.includes(percent(0.5237)));
	}
});

test('the HTML report is well-formed and self-contained, and texts are escaped', t => {
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
	// Every closing tag must match the tag that was opened last.
	const open: string[] = [];
	for (const [, closing, name, selfClosing] of html
		.replaceAll(/<style>[\s\S]*?<\/style>/gu, '')
		.matchAll(/<(\/?)([a-z][\w-]*)[^>]*?(\/?)>/gu)) {
		if (closing) {
			t.is(open.pop(), name);
		} else if (!selfClosing && !['meta', 'br', 'hr', 'link'].includes(name!)) {
			open.push(name!);
		}
	}
	t.deepEqual(open, []);
});

test('an object that is not a study, or has too few values, is refused', t => {
	t.throws(() => vocabularyStudyHtml({} as never), {
		code: 'ERR_FORMAT',
		message: /expected an object of format "passagekit vocabulary study 2"/u,
	});
	const made = vocabularyStudy();
	const [first, ...rest] = made.retrieval.rows;
	const short = vocabularyStudy({retrieval: {...made.retrieval, rows: [{...first!, values: [0.5]}, ...rest]}});
	t.throws(() => vocabularyStudyMarkdown(short), {
		code: 'ERR_FORMAT',
		message: /values of bm25: expected 5 values, one for each measure, got 1/u,
	});
});
