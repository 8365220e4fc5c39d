// Tests the findings and reports of phrase studies (Yang et al., 2023), with the made-up results in
// test/support/phrase-study.ts. M1, M3 and M5 are searches in indexes of phrases of 1, 3 and 5 sentences, and M0 a search in an
// index of whole passages. MUF (model uncertainty fusion) returns the hits of the model with the highest confidence.
import test from 'ava';
import {
	type PhraseStudy,
	phraseFindings,
	phraseStudyHtml,
	phraseStudyMarkdown,
	publishedPhrases,
	publishedPhrasesFor,
} from '../../../ts/studies/index.ts';
import {escaped} from '../../../ts/drawing/html.ts';
import {phraseStudy} from '../../support/phrase-study.ts';

const percent = (share: number): string => (100 * share).toFixed(1);

test('the published numbers agree with the text of Yang et al. (2023), and data sets are recognized by their names', t => {
	t.deepEqual(
		publishedPhrases.map(({dataset}) => dataset),
		['NQ', 'SQuAD', 'PubMedQA', 'SCOTUS', 'NFCorpus'],
	);
	// `general` has the numbers of the paper's "general evaluation", Table 3; `models` and `muf` are those of Table 2.
	for (const {dataset, models, muf, general} of publishedPhrases) {
		// The shortest phrases are best on every data set. MUF is better than DPR (Karpukhin et al., 2020) on every
		// data set, and better than each of its models except on NFCorpus.
		const [shortest, ...longer] = Object.values(models);
		t.true(
			longer.every(value => value < shortest!),
			dataset,
		);
		t.true(general.muf > general.dpr, dataset);
		t.is(muf > shortest!, dataset !== 'NFCorpus');
		// The two tables give slightly different numbers for MUF.
		t.true(Math.abs(muf - general.muf) < 1, dataset);
		t.is(general.bm25 > general.muf, !['NQ', 'NFCorpus'].includes(dataset));
	}
	t.is(publishedPhrasesFor('squad-dev')?.dataset, 'SQuAD');
	t.is(publishedPhrasesFor('dev-v2.0'), undefined);
	t.is(publishedPhrasesFor('SQuAD 2.0')?.dataset, 'SQuAD');
	t.is(publishedPhrasesFor('pqal')?.dataset, 'PubMedQA');
	t.is(publishedPhrasesFor('nfcorpus-preprocessed')?.dataset, 'NFCorpus');
	t.is(publishedPhrasesFor('encyclopedia'), undefined);
});

test("for NQ, Table 2 of the report has the paper's numbers for the development set and for the training set", t => {
	t.deepEqual(publishedPhrasesFor('nq')?.training, {models: {M75t: 70.2, M125t: 69, M250t: 65.3}, muf: 83});
	const nq = phraseStudy({dataset: 'NQ'});
	const [table] = phraseStudyMarkdown(nq).match(/(?:\|.*\n)*\| MUF (?:\|.*\n)/u)!;
	t.regex(table, /\| MUF \| 86\.7 \| 83\.0 \|/u);
});

test('the shortest phrases are those with the fewest words, regardless of the order of the models', t => {
	const study = phraseStudy();
	const short = (models: PhraseStudy['models']) => phraseFindings({...study, models}).find(({name}) => name === 'short phrases');
	// A finding is about a claim; its `result` states what the study measured.
	t.regex(short(study.models)!.result, /^M1 differs/u);
	t.deepEqual(short(study.models.toReversed())!.verdict, short(study.models)!.verdict);
	t.regex(short(study.models.toReversed())!.result, /^M1 differs/u);
});

test('the verdicts on claims follow from the significance tests, and a claim without tests has no finding', t => {
	const verdicts = Object.fromEntries(phraseFindings(phraseStudy()).map(({name, verdict}) => [name, verdict]));
	t.deepEqual(verdicts, {
		'phrases or passages': 'holds',
		// M1 is better than M3 and M5, but only the difference from M5 is significant.
		'short phrases': 'holds in part',
		'MUF over its models': 'holds',
		'MUF over passages': 'holds',
		// BM25 is better than MUF in this study, as in the paper on SQuAD.
		'MUF or BM25': 'holds',
		// Fitting the temperature lowers all Brier scores except that of M5, which rises.
		calibration: 'holds in part',
		// For the initial temperature T0, values below 0.1 are worse, and larger ones make no difference.
		T0: 'holds in part',
		// MUF is better than the mean of scores and than RRF (reciprocal rank fusion), but not significantly.
		'confidence or scores': 'undecided',
		// BM25 is significantly better than MUF.
		'whole corpus': 'contradicted',
	});
	const sources = new Map(phraseFindings(phraseStudy()).map(({name, source}) => [name, source]));
	t.deepEqual(
		[...sources].filter(([, source]) => source === 'study').map(([name]) => name),
		['confidence or scores', 'whole corpus'],
	);
	const nothing = {comparisons: [], extensions: [], startTests: [], calibrationTests: []};
	const withoutTests = phraseStudy({
		candidates: {...phraseStudy().candidates, ...nothing},
		retrieval: {...phraseStudy().retrieval, ...nothing},
	});
	t.deepEqual(phraseFindings(withoutTests), []);
});

test('the finding about MUF and its models names every model that is better than MUF', t => {
	const {candidates} = phraseStudy();
	/** Returns the study with this difference between MUF and the model `b`, and this outcome of its test. */
	const change = (b: string, difference: number, significant: boolean): PhraseStudy =>
		phraseStudy({
			candidates: {
				...candidates,
				comparisons: candidates.comparisons.map(test =>
					test.a === 'muf' && test.b === b ? {...test, difference, significant, corrected: significant ? 0.001 : 0.4} : test,
				),
			},
		});
	const over = (study: PhraseStudy) => phraseFindings(study).find(({name}) => name === 'MUF over its models')!;
	const below = over(change('M0', -0.0271, false));
	t.is(below.verdict, 'holds in part');
	t.true(below.result.endsWith('It is below M0 by 2.7 points.'), below.result);
	const worse = over(change('M0', -0.0271, true));
	t.is(worse.verdict, 'contradicted');
	// In the study without changes, MUF is better than all of its models.
	t.false(over(phraseStudy()).result.includes('below'));
});

test('the verdict on the initial temperature T0 follows from the tests of T0 = 0.1 against other values, not from the curve', t => {
	const {candidates} = phraseStudy();
	const [first, ...others] = candidates.startTests;
	const verdict = (startTests: PhraseStudy['candidates']['startTests']) =>
		phraseFindings(phraseStudy({candidates: {...candidates, startTests}})).find(({name}) => name === 'T0')!.verdict;
	t.is(verdict([{...first!, difference: -0.03}, ...others]), 'contradicted');
	t.is(verdict(candidates.startTests.map(test => ({...test, significant: false}))), 'undecided');
	t.is(verdict(candidates.startTests.map(test => ({...test, difference: 0.02, significant: true}))), 'holds');
});

test('the HTML and the Markdown report contain the numbers of the study and the paper, and the same study gives the same bytes', t => {
	const made = phraseStudy();
	const [html, markdown] = [phraseStudyHtml(made), phraseStudyMarkdown(made)];
	t.is(html, phraseStudyHtml(phraseStudy()));
	t.is(markdown, phraseStudyMarkdown(phraseStudy()));
	for (const report of [html, markdown]) {
		for (const {rows, models, fused} of [made.candidates, made.retrieval]) {
			for (const {condition, values} of rows) {
				t.true(
					values.every(value => report.includes(percent(value))),
					condition,
				);
			}
			for (const {before, after, own} of [...models, fused]) {
				t.true(
					[before, after, own].every(({absolute, squared}) => report.includes(percent(absolute)) && report.includes(percent(squared))),
				);
			}
		}
		for (const {accuracy} of made.candidates.curve) {
			t.true(report.includes(percent(accuracy)));
		}
		// The numbers of the paper are next to those of the study.
		t.true(['53.4', '44.7', '47.0', '54.5', '75.4', '48.3', '54.4', '128.5', '151.4', '12.9'].every(number => report.includes(number)));
		for (const {sha256} of [made.corpus, made.encoder, ...made.questions.files]) {
			t.true(report.includes(sha256));
		}
		t.false(/undefined|NaN/u.test(report));
	}
	// MUF is significantly better than M5, and BM25 is significantly better than MUF.
	t.regex(html, new RegExp(`<th scope="row">M5</th>(?:(?!</tr>).)*${percent(0.47)}<sup>†</sup>`, 'u'));
	t.regex(html, new RegExp(`<th scope="row">BM25</th>(?:(?!</tr>).)*${percent(0.754)}<sup>‡</sup>`, 'u'));
});

test('the HTML report is well-formed and self-contained, and texts are escaped', t => {
	const html = phraseStudyHtml(phraseStudy({dataset: '<b>&"quotes"</b>', command: 'npx passagekit phrases --name "<i>"'}));
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
	t.throws(() => phraseStudyHtml({} as never), {code: 'ERR_FORMAT', message: /^study: expected an object of format/u});
	const made = phraseStudy();
	const [row] = made.candidates.rows;
	const short: PhraseStudy = {...made, candidates: {...made.candidates, rows: [{...row!, values: [0.5]}]}};
	t.throws(() => phraseStudyMarkdown(short), {
		code: 'ERR_FORMAT',
		message: 'study: values of bm25: expected 2 values, one for each measure, got 1',
	});
});
