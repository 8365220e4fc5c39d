// Tests the findings and reports of replication studies (Ma et al., 2021), with the made-up results in
// test/support/replication-study.ts. In the published numbers, `orig` is a result of Karpukhin et al. (2020), and `repl` is
// its replication by Ma et al. As span scorings, `repl` is DPR's scoring and `GAR` the normalized scoring of Mao et al.
// (2020); `*` adds the retriever's scores.
import test from 'ava';
import {type StudyComparison, findings, published, publishedFor, reportHtml, reportMarkdown} from '../../../ts/studies/index.ts';
import {lambdasOf} from '../../../ts/studies/replication/protocol/retrieval.ts';
import {escaped} from '../../../ts/drawing/html.ts';
import {curveTestsOf, study, testOf} from '../../support/replication-study.ts';

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('the published numbers agree with what the text of Ma et al. (2021) says about them, and data sets are recognized by their names', t => {
	t.deepEqual(
		published.map(({dataset}) => dataset),
		['NQ', 'TriviaQA', 'WQ', 'CuratedTREC', 'SQuAD'],
	);
	// "On average, our results represent a nearly seven-point improvement in top-20 accuracy and a nearly five-point
	// improvement for top-100 accuracy."
	const gain = (k: 20 | 100): number => mean(published.map(({retrieval: {bm25}}) => bm25.repl![k] - bm25.orig![k]));
	t.true(gain(20) > 6 && gain(20) < 7, String(gain(20)));
	t.true(gain(100) > 4 && gain(100) < 5, String(gain(100)));
	// "a three-point improvement in top-20 accuracy over the best DPR results across five standard QA test collections"
	const bestGains = published.map(({retrieval: {dense, dprHybrid, bm25, hybrid, hybridNorm}}) => {
		const orig = Math.max(dense.orig![20], dprHybrid.orig![20], bm25.orig![20]);
		return Math.max(hybrid.repl![20], hybridNorm.repl![20]) - orig;
	});
	t.true(mean(bestGains) > 2.5 && mean(bestGains) < 4, String(mean(bestGains)));
	// "Compared to the best replicated results, we obtained an improvement of approximately three points."
	const readings = published.flatMap(({reading}) => (reading ? [reading] : []));
	// Ma et al. have reading results for NQ and TriviaQA.
	t.is(readings.length, 2);
	const readingGain = mean(readings.map(({hybrid}) => hybrid['GAR*'] - hybrid.repl));
	t.true(readingGain > 2.5 && readingGain < 3.5, String(readingGain));
	// On every data set, hybrids are better than sparse retrieval, and the overlaps of dense and sparse hits are small.
	for (const {retrieval, overlap} of published) {
		t.true(Math.min(retrieval.hybrid.repl![20], retrieval.hybridNorm.repl![20]) > retrieval.bm25.repl![20]);
		t.true(Object.values(overlap).every(value => value < 10));
	}
	t.is(publishedFor('squad-open')?.dataset, 'SQuAD');
	t.is(publishedFor('Natural Questions dev')?.dataset, 'NQ');
	t.is(publishedFor('SQuAD 2.0'), undefined);
	t.is(publishedFor('encyclopedia'), undefined);
});

test('the exact match scores of Karpukhin et al. (2020) agree with the copies in Ma et al. (2021) and with the text of Karpukhin et al.', t => {
	const nq = publishedFor('NQ')!;
	const trivia = publishedFor('TriviaQA')!;
	// "For NQ, we used RetrieverNQ …; for TriviaQA, we used RetrieverMulti".
	for (const retriever of ['dense', 'bm25', 'hybrid'] as const) {
		t.is(nq.reading![retriever].orig, nq.dprReading[retriever].single);
		t.is(trivia.reading![retriever].orig, trivia.dprReading[retriever].multi ?? trivia.dprReading[retriever].single);
	}
	// Karpukhin et al., §6.2: "on smaller datasets like WQ and TREC, the multi-dataset setting has a clear advantage";
	// "in all cases except SQuAD", DPR's passages give better answers than BM25's.
	for (const {dataset, dprReading} of published) {
		t.is(dprReading.dense.single > dprReading.bm25.single, dataset !== 'SQuAD');
		t.is(dprReading.dense.multi! > dprReading.dense.single + 5, ['WQ', 'CuratedTREC'].includes(dataset));
	}
});

test('the verdicts on claims follow from the significance tests', t => {
	const verdicts = new Map(findings(study()).map(({name, verdict}) => [name, verdict]));
	t.deepEqual(Object.fromEntries(verdicts), {
		// BM25 is better than dense retrieval, as in the paper on SQuAD. Both hybrids are better than either of them.
		'dense or sparse': 'holds',
		hybrids: 'holds',
		// The hybrids differ by 0.1 points, and the confidence interval lies within one point.
		'hybrids alike': 'holds',
		overlap: 'holds',
		'hybrid read': 'holds',
		// The gain of 0.3 points with BM25 is not significant, but the paper claims significance only for most
		// retrievers.
		'repl* over repl': 'holds',
		'GAR over repl': 'holds',
		'GAR* over GAR': 'holds',
		'GAR* over repl': 'holds',
		'best over best': 'holds',
		'passages read': 'holds',
	});
	// If none of their tests is significant, the four claims about retrieval are undecided.
	const {retrieval, overlapComparisons} = study();
	const insignificant = (comparisons: readonly StudyComparison[]): readonly StudyComparison[] =>
		comparisons.map(comparison => ({...comparison, significant: false, corrected: 1, smallest: 0.03, mark: ''}));
	const other = study({
		dataset: 'ours',
		retrieval: {...retrieval, comparisons: insignificant(retrieval.comparisons)},
		overlapComparisons: insignificant(overlapComparisons),
	});
	t.deepEqual(
		findings(other)
			.slice(0, 4)
			.map(({verdict}) => verdict),
		['undecided', 'undecided', 'undecided', 'undecided'],
	);
	t.true(
		findings(study()).every(({source}) => source === 'paper'),
		'all claims are made by the paper',
	);
});

test('the claim about the number of passages read has a part for each retriever', t => {
	const {reading} = study();
	/** Returns the verdict on the claim for curves with the given rises and falls. */
	const verdict = (dataset: string, ...tests: Parameters<typeof curveTestsOf>[0]): string =>
		findings(study({dataset, reading: {...reading!, curveTests: curveTestsOf(tests)}})).find(({name}) => name === 'passages read')!.verdict;
	const rising = ['bm25', 'GAR*', 0.03, 0] as const;
	const peaking = ['dense', 'GAR*', 0.03, 0.02] as const;
	t.is(verdict('NQ', rising, peaking, ['hybrid', 'GAR*', 0.03, 0.02]), 'holds');
	// If the curve of BM25 falls, the claim is contradicted, whatever the other curves do. A difference of one question
	// in 6000 is not significant, so it does not count as a fall.
	t.is(verdict('NQ', ['bm25', 'GAR*', 0.03, 0.02], peaking), 'contradicted');
	t.is(verdict('NQ', ['bm25', 'GAR*', 0.03, 1 / 6000], peaking), 'holds');
	// Nothing is significant.
	t.is(verdict('NQ', ['bm25', 'GAR*', 0.001, 0.001], ['dense', 'GAR*', 0.002, 1 / 6000]), 'undecided');
	// If the fall of the dense curve is not significant, the claim holds in part; if the dense curve keeps rising, the
	// claim is contradicted.
	t.is(verdict('NQ', rising, ['dense', 'GAR*', 0.03, 0.001]), 'holds in part');
	t.is(verdict('NQ', rising, ['dense', 'GAR*', 0.03, -0.02]), 'contradicted');
	// On TriviaQA, the paper's dense curves rise without a fall, like those of BM25.
	t.is(verdict('TriviaQA', rising, ['dense', 'GAR*', 0.03, 0]), 'holds');
	t.is(verdict('TriviaQA', rising, peaking), 'contradicted');
});

test('the claim about answers from hybrid passages depends on the data set, and a claim of no difference or no loss holds only if the confidence interval shows it', t => {
	const {reading} = study();
	const verdict = (dataset: string, difference: number, significant: boolean, smallest: number): string => {
		const textComparisons = reading!.textComparisons.map((test, i) => (i === 0 ? {...test, difference, significant, smallest} : test));
		return findings(study({dataset, reading: {...reading!, textComparisons}})).find(({name}) => name === 'hybrid read')!.verdict;
	};
	// On NQ, the claim is no difference.
	t.is(verdict('NQ', 0.002, false, 0.007), 'holds');
	t.is(verdict('NQ', -0.002, false, 0.009), 'undecided');
	t.is(verdict('NQ', 0.012, true, 0.007), 'contradicted');
	// On TriviaQA, the claim is a gain.
	t.is(verdict('TriviaQA', 0.012, true, 0.007), 'holds');
	t.is(verdict('TriviaQA', 0.002, false, 0.007), 'undecided');
	t.is(verdict('TriviaQA', -0.012, true, 0.007), 'contradicted');
	// On other data sets, the claim is no loss.
	t.is(verdict('ours', 0.05, true, 0.03), 'holds');
	t.is(verdict('ours', 0, false, 0.009), 'holds');
	t.is(verdict('ours', 0, false, 0.02), 'undecided');
	t.is(verdict('ours', -0.03, true, 0.02), 'contradicted');
});

test('for encoders whose vectors have unit length, the values 1 / α are tried for λ', t => {
	t.deepEqual(lambdasOf([0, 0.005, 0.05, 0.2, 0.05]), [200, 20, 5]);
	t.deepEqual(lambdasOf([0]), []);
});

test('the HTML and Markdown reports contain the numbers and markers of the study, and the same study gives the same bytes', t => {
	const made = study();
	const [html, markdown] = [reportHtml(made), reportMarkdown(made)];
	t.is(html, reportHtml(study()));
	t.is(markdown, reportMarkdown(study()));
	const percent = (share: number): string => (100 * share).toFixed(1);
	for (const report of [html, markdown]) {
		for (const {accuracy} of made.retrieval.rows) {
			t.true(accuracy.every(value => report.includes(percent(value))));
		}
		for (const {jaccard} of made.overlap) {
			t.true(report.includes(percent(jaccard)));
		}
		for (const cell of made.reading!.rows.flatMap(({cells}) => cells)) {
			t.true(report.includes(percent(cell.exactMatch)) && report.includes(percent(cell.f1!)));
		}
		// The numbers of the paper are next to those of the study.
		t.true(['71.1', '81.8', '75.1', '52.0'].every(number => report.includes(number)));
		for (const {sha256} of [made.corpus, made.questions.test, made.models.encoder]) {
			t.true(report.includes(sha256));
		}
		t.true(report.includes('†') && report.includes('‡'));
		// Table 4 of Karpukhin et al. includes SQuAD, for which Ma et al. have no reading results.
		t.true(['29.8', '24.1', '35.8'].every(number => report.includes(number)));
		// The report states which hybrid's passages were read, the BM25 parameters, how the weights of Figure 1 were
		// chosen, and how many hits Hybrid-orig fuses.
		for (const text of ['Hybrid-norm with α = 1.30', 'k1 = 0.9, b = 0.4', 'together with a number of passages', 'up to 2,000']) {
			t.true(report.includes(text), text);
		}
		for (const line of made.retrieval.curves.lines) {
			t.true(report.includes(percent(line.accuracy[49]!)));
		}
		t.true(
			report.includes('corrected for 12 tests') && report.includes('corrected for 14 tests') && report.includes('corrected for 4 tests'),
		);
	}
	t.is(testOf(made.retrieval.comparisons, 'bm25', 'dense', 'top-20').mark, '†');
	t.regex(html, /<td[^>]*>84\.1<sup>†<\/sup>/u);
	t.regex(html, /<td[^>]*>87\.4<sup>‡<\/sup>/u);
});

test('the HTML report is well-formed and self-contained, and texts are escaped', t => {
	const made = study({dataset: '<b>&"quotes"</b>', command: 'npx passagekit replicate --name "<i>"'});
	const html = reportHtml(made);
	t.true(html.includes(escaped('<b>&"quotes"</b>')) && !html.includes('<b>&"'));
	t.false(/<script[^>]+src|@import|url\(|<img|<iframe/u.test(html));
	const links = [...html.matchAll(/(?:href|src)="([^"]+)"/gu)].map(([, link]) => link!);
	t.true(
		links.every(link => link.startsWith('#') || link === 'data:,' || link.startsWith('https://arxiv.org/abs/')),
		links.join(' '),
	);
	// Every closing tag must match the tag that was opened last.
	const open: string[] = [];
	for (const [, closing, name, selfClosing] of html
		.replaceAll(/<(style|script)>[\s\S]*?<\/\1>/gu, '')
		.matchAll(/<(\/?)([a-z][\w-]*)[^>]*?(\/?)>/gu)) {
		if (closing) {
			t.is(open.pop(), name);
		} else if (!selfClosing && !['meta', 'br', 'hr', 'link'].includes(name!)) {
			open.push(name!);
		}
	}
	t.deepEqual(open, []);
});

test('a study whose accepted answers are regular expressions has no F1', t => {
	const made = study();
	const rows = made.reading!.rows.map(row => ({...row, cells: row.cells.map(cell => ({...cell, f1: undefined}))})) as never;
	const patterns = study({settings: {...made.settings, answers: 'pattern'}, reading: {...made.reading!, rows}});
	for (const report of [reportHtml(patterns), reportMarkdown(patterns)]) {
		t.true(report.includes('F1 is not defined') && report.includes('regular expressions'));
		t.false(report.includes('undefined') || report.includes('NaN'));
	}
});

test('the report of a study without reading has no Table 3, and an invalid study is refused', t => {
	const {reading: _, ...rest} = study();
	const made = {...rest, models: {...rest.models, reader: null}};
	for (const report of [reportHtml(made), reportMarkdown(made)]) {
		t.true(report.includes('Table 2') && !report.includes('Table 3'));
		t.false(report.includes('undefined') || report.includes('NaN'));
	}
	t.throws(() => reportHtml({} as never), {code: 'ERR_FORMAT', message: /^study: expected an object of format/u});
	const {retrieval} = study();
	const short = {...study(), retrieval: {...retrieval, ks: [20]}};
	t.throws(() => reportMarkdown(short), {
		code: 'ERR_FORMAT',
		message: 'study: accuracy of dense: expected 1 values, one for each cut-off, got 2',
	});
});
