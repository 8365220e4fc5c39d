// Tests the findings and reports of training studies (Karpukhin et al., 2020), with the made-up results in
// test/support/training-study.ts.
import test from 'ava';
import {type TrainingStudy, trainingFindings, trainingStudyHtml, trainingStudyMarkdown} from '../../../ts/studies/index.ts';
import {percent} from '../../../ts/drawing/format.ts';
import type {Comparison} from '../../../ts/studies/statistics/comparison.ts';
import {trainingStudy} from '../../support/training-study.ts';

/** Returns the verdict on each claim, by the name of its finding. */
const verdicts = (study: TrainingStudy): Record<string, string> =>
	Object.fromEntries(trainingFindings(study).map(({name, verdict}) => [name, verdict]));

/** Changes all tests of a study. */
function withTests(study: TrainingStudy, change: (test: Comparison) => Comparison): TrainingStudy {
	return {
		...study,
		tests: Object.fromEntries(
			Object.entries(study.tests).map(([family, all]) => [family, all.map(change)]),
		) as unknown as TrainingStudy['tests'],
	};
}

const gains = ['more examples', 'few examples', 'in-batch negatives', 'batch size', 'one BM25 negative', 'transfer', 'training'];
const noDifferences = ['kind of negatives', 'distant supervision', 'loss'];
const others = ['two BM25 negatives', 'similarity', 'joint training'];

test('the verdicts on claims follow from the significance tests', t => {
	const made = trainingStudy();
	const expected = (verdict: string, names: readonly string[]): Record<string, string> =>
		Object.fromEntries(names.map(name => [name, verdict]));
	t.deepEqual(verdicts(made), expected('holds', [...gains, ...noDifferences, ...others]));
	t.deepEqual(
		trainingFindings(made)
			.filter(({source}) => source === 'study')
			.map(({name}) => name),
		['training'],
	);
	const opposite = verdicts(withTests(made, test => ({...test, difference: -test.difference})));
	gains.forEach(name => t.is(opposite[name], 'contradicted', name));
	// These claims do not depend on the sign of a difference.
	noDifferences.forEach(name => t.is(opposite[name], 'holds', name));
	t.is(opposite['similarity'], 'contradicted', 'dot product and L2 are worse than cosine');

	const wide = withTests(made, test => ({...test, significant: false, smallest: 0.09}));
	t.deepEqual(verdicts(wide), expected('undecided', [...gains, ...noDifferences, ...others]));
	t.regex(trainingFindings(wide).find(({name}) => name === 'loss')!.result, /include differences of up to 9\.2 points\. The claim holds/u);
});

test('a claim that two conditions hardly differ is contradicted only by a difference that is certainly larger than in the paper', t => {
	const made = trainingStudy();
	// The margins of the claims are 3.5, 1.5 and 2.0 points; that of two BM25 negatives is 1 point.
	const measured = (difference: number, smallest: number) =>
		verdicts(withTests(made, test => ({...test, significant: true, difference, smallest})));
	for (const sign of [1, -1]) {
		t.like(measured(sign * 0.042, 0.006), {'kind of negatives': 'contradicted', loss: 'contradicted'});
		// These are significant, but within the margin, or perhaps within it.
		t.like(measured(sign * 0.009, 0.001), {'kind of negatives': 'holds', loss: 'holds', 'distant supervision': 'holds'});
		t.like(measured(sign * 0.038, 0.006), {'kind of negatives': 'undecided', loss: 'contradicted'});
	}
	// Distant supervision and fewer BM25 negatives may be better.
	t.like(measured(0.042, 0.006), {'distant supervision': 'holds', 'two BM25 negatives': 'contradicted', 'joint training': 'contradicted'});
	t.like(measured(-0.042, 0.006), {'distant supervision': 'contradicted', 'two BM25 negatives': 'holds', 'joint training': 'holds'});
	t.like(measured(-0.02, 0.006), {'distant supervision': 'undecided'});
	t.like(measured(0.012, 0.006), {'two BM25 negatives': 'undecided'});
});

test('fewer than 1,000 examples can support the claim that 1,000 are enough, but not contradict it', t => {
	const made = trainingStudy();
	const few = (name: string): string => (name === 'examples-1000' ? 'examples-500' : name);
	const curve = made.tables.curve.map(each => (each.examples === 1000 ? {examples: 500, condition: 'examples-500'} : each));
	const changed = (factor: number, significant = true) =>
		verdicts(
			withTests(
				{...made, tables: {...made.tables, curve}, rows: made.rows.map(row => ({...row, condition: few(row.condition)}))},
				test => ({
					...test,
					a: few(test.a),
					b: few(test.b),
					difference: factor * test.difference,
					significant,
				}),
			),
		)['few examples'];
	t.is(changed(1), 'holds');
	t.is(changed(-1), 'not tested');
	t.is(changed(1, false), 'not tested');
});

test('accuracy must grow with every batch size, and it is said which kinds of negatives were compared', t => {
	const made = trainingStudy();
	const one = withTests(made, test => (test.a === 'in-batch-128' && test.measure === 'top-20' ? {...test, significant: false} : test));
	t.is(verdicts(one)['batch size'], 'holds in part');
	const schemes = made.tests.schemes.filter(({a, b}) => ![a, b].includes('gold-7'));
	const kinds = trainingFindings({...made, tests: {...made.tests, schemes}}).find(({name}) => name === 'kind of negatives')!;
	t.regex(kinds.result, /Only “7 random negatives” and “7 BM25 negatives” were compared/u);
});

test('negatives that are missing are shown, and all trained encoders are counted', t => {
	const made = trainingStudy();
	const rows = made.rows.map(row =>
		row.condition === 'bm25-7'
			? {...row, training: {...row.training!, meanNegatives: 5.25}}
			: row.condition === 'in-batch-32-bm25-2'
				? {...row, training: {...row.training!, meanNegatives: 1.5}}
				: row,
	);
	const markdown = trainingStudyMarkdown(trainingStudy({rows}));
	t.true(markdown.includes('| 7 BM25 negatives | 7 (mean 5.3) |'));
	t.true(markdown.includes('| In-batch 32 + 2 BM25 | 31+64 (mean 79.0) |'));
	// 17 on the study's own data set, one of them on all data sets, and one on WQ alone.
	t.is(made.rows.filter(({training}) => training).length, 17);
	t.true(markdown.includes('18 encoders were trained'));
});

test('the margins of claims that something matters little are the largest such differences in the paper', t => {
	const findings = trainingFindings(trainingStudy());
	const marginOf = (name: string): string | undefined =>
		/holds if they include no (?:difference|loss) above (\d\.\d) points/u.exec(
			findings.find(finding => finding.name === name)!.result,
		)?.[1];
	// Table 3, top-100: gold 78.3 − BM25 74.8. Table 5, top-5: 66.8 − 65.3. Table 6: L2 against dot product, top-5,
	// 66.8 − 64.7; triplet loss against NLL with L2, top-20, 78.1 − 76.1.
	t.deepEqual(['kind of negatives', 'distant supervision', 'similarity', 'loss'].map(marginOf), ['3.5', '1.5', '2.1', '2.0']);
});

test('claims about parts that the study does not have are left out, and without few examples, that claim is not tested', t => {
	const made = trainingStudy();
	const training = made.tests.curve.filter(({b}) => b === 'untrained');
	const empty = {schemes: [], schemesLeftOut: [], curve: [], supervision: [], similarities: []};
	const bare = trainingStudy({
		tables: empty,
		transfer: [],
		joint: undefined as never,
		tests: {schemes: [], curve: training, supervision: [], similarities: [], transfer: [], joint: []},
	});
	t.deepEqual(verdicts(bare), {training: 'holds'});
	for (const report of [trainingStudyHtml(bare), trainingStudyMarkdown(bare)]) {
		t.false(/undefined|NaN|Table [2356]|Figure 1|Appendix D/u.test(report));
		t.true(report.includes('Tests of training'));
		t.true(report.includes('None of the paper’s claims can be judged by this study.'));
	}
	const curve = made.tables.curve.slice(1);
	const large = trainingStudy({tables: {...made.tables, curve}});
	t.is(verdicts(large)['few examples'], 'not tested');
});

test('tables have all values of the study and, next to them, those of the paper', t => {
	const made = trainingStudy();
	const [html, markdown] = [trainingStudyHtml(made), trainingStudyMarkdown(made)];
	for (const report of [html, markdown]) {
		t.false(/undefined|NaN/u.test(report));
		for (const {condition, values} of [...made.rows, ...made.transfer[0]!.rows]) {
			values.forEach(value => t.true(report.includes(percent(value)), `${condition} ${percent(value)}`));
		}
		for (const name of [
			'Table 3',
			'Figure 1',
			'Table 5',
			'Table 6',
			'Table 2',
			'Appendix D',
			'Training runs',
			'Tests of Table 3',
			'Tests of Table 2',
			'Tests of Appendix D',
		]) {
			t.true(report.includes(name), name);
		}
		t.regex(report, /trained once, with one seed\. The tests therefore say whether a difference would also be found with other questions/u);
		t.true(report.includes('npx passagekit training-study --dataset nq'));
	}
	/** Returns the cells of the first row in the Markdown page that starts with these cells. */
	const rowOf = (...start: readonly string[]): readonly string[] => {
		const line = markdown.split('\n').find(line => line.startsWith(`| ${start.join(' | ')} |`));
		return line!.split(' | ').slice(start.length);
	};
	const valuesOf = (condition: string): readonly string[] => made.rows.find(row => row.condition === condition)!.values.map(percent);
	t.deepEqual(rowOf('In-batch 32 + 2 BM25', '31+64', 'yes'), [...valuesOf('in-batch-32-bm25-2'), '64.5', '76.4', '84.0 |']);
	t.deepEqual(rowOf('7 gold negatives', '7', ''), [...valuesOf('gold-7'), '42.6', '63.1', '78.3 |']);
	t.deepEqual(rowOf('Distant supervision'), [...valuesOf('distant-positives'), '43.9', '65.3', '77.1', '84.4 |']);
	t.deepEqual(rowOf('L2', 'triplet'), [...valuesOf('l2-triplet'), '42.2', '66.0', '78.1', '84.9 |']);
	t.deepEqual(rowOf('Cosine', 'NLL'), [...valuesOf('cosine-nll'), '–', '–', '–', '– |']);
	t.deepEqual(rowOf('Trained on NQ'), [...made.transfer[0]!.rows[2]!.values.map(percent), '69.9', '– |']);
	const joint = made.joint!.rows[1]!;
	t.deepEqual(rowOf('Joint'), [...joint.values.map(percent), '42.2', '39.8 |']);
	t.deepEqual(rowOf('1,000'), [...valuesOf('examples-1000').slice(0, -1), `${valuesOf('examples-1000').at(-1)!} |`]);
});

test('the report names the schemes that were left out, and why', t => {
	const made = trainingStudy();
	const schemes = made.tables.schemes.filter(name => !name.startsWith('in-batch-128') && name !== 'gold-7');
	const schemesLeftOut = [
		{condition: 'in-batch-128', because: 'examples'},
		{condition: 'in-batch-128-bm25-1', because: 'examples'},
		{condition: 'gold-7', because: 'passages'},
	] as const;
	const markdown = trainingStudyMarkdown(trainingStudy({tables: {...made.tables, schemes, schemesLeftOut}}));
	t.true(markdown.includes('“In-batch 128” and “In-batch 128 + 1 BM25” are left out, because there are only 3,911 training examples.'));
	t.true(markdown.includes('“7 gold negatives” is left out, because such negatives are missing.'));
});

test('Figure 1 has a panel per cut-off, with a point per number of examples and lines for BM25 and the model before training', t => {
	const made = trainingStudy();
	const html = trainingStudyHtml(made);
	for (const measure of ['top-1', 'top-5', 'top-20', 'top-100']) {
		const [, drawing] = new RegExp(`<svg[^>]*curve-${measure}-title(.*?)</svg>`, 'su').exec(html) ?? [];
		t.truthy(drawing, measure);
		t.is(drawing!.match(/class="dot"/gu)?.length, 3);
		t.is(drawing!.match(/class="level"/gu)?.length, 2);
		const at = made.measures.indexOf(measure);
		const value = percent(made.rows.find(({condition}) => condition === 'examples-2000')!.values[at]!);
		t.true(drawing!.includes(`2,000 examples: ${value}%`));
	}
	// The names of data sets are not markup.
	t.true(trainingStudyHtml(trainingStudy({dataset: 'a<b'})).includes('a&lt;b'));
});

test('what is not the result of a training study is refused', t => {
	for (const wrong of [{}, {format: 'passagekit training study 0'}, null]) {
		for (const call of [trainingFindings, trainingStudyHtml, trainingStudyMarkdown]) {
			t.throws(() => call(wrong as never), {code: 'ERR_FORMAT'});
		}
	}
	const [first, ...rest] = trainingStudy().rows;
	const short = trainingStudy({rows: [{...first!, values: [0.5]}, ...rest]});
	t.throws(() => trainingFindings(short), {code: 'ERR_FORMAT', message: /values of bm25: expected 5 values/u});
});

test('Table 2 has the numbers of the paper for the data sets that it uses, whose names have several spellings', t => {
	const made = trainingStudy();
	const other = made.transfer[0]!;
	// The table is between a heading and its caption.
	const table = (dataset: string): {readonly rows: string; readonly caption: string} => {
		const report = trainingStudyMarkdown({...made, dataset: 'mine', transfer: [{...other, dataset}]});
		const [before, after] = report.split('**Table 2.**');
		return {rows: before!.slice(before!.lastIndexOf('\n## ')), caption: after!.split('\n', 1)[0]!};
	};
	const numbers = /55\.0|73\.2|70\.9|79\.8|66\.9|79\.4/gu;
	// Table 2 and §5.2: top-20 accuracy of BM25, and of an encoder that was trained on the data set itself.
	for (const [dataset, expected] of [
		['WebQuestions', ['55.0', '73.2']],
		['curatedtrec-test', ['70.9', '79.8']],
		['TriviaQA', ['66.9', '79.4']],
		['trec-covid', []],
		// Not comparable: the paper's encoder for all data sets was not trained on SQuAD.
		['squad', []],
	] as const) {
		const {rows, caption} = table(dataset);
		t.deepEqual(rows.match(numbers) ?? [], [...expected], dataset);
		t.is(caption.includes('for the test sets of NQ, TriviaQA, WQ and CuratedTREC'), expected.length > 0, dataset);
	}
});
