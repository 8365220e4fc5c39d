// Tests reliability diagrams in SVG.
import test from 'ava';
import {type Prediction, RetrievalError, reliabilityDiagram} from '../../ts/index.ts';

/** With the 10 default bins, one prediction is in [0, 0.1) and four are in [0.9, 1]. */
const predictions: readonly Prediction[] = [
	{confidence: 0.05, correct: false},
	{confidence: 0.9, correct: true},
	{confidence: 0.95, correct: false},
	{confidence: 1, correct: true},
	{confidence: 0.92, correct: true},
];

test('a diagram has a bar for each bin with predictions, as high as its accuracy', t => {
	const svg = reliabilityDiagram(predictions, {title: 'M1 <on> "SQuAD"'});
	const heights = [...svg.matchAll(/<rect [^>]*height="([\d.]+)" class="accuracy"\/>/gu)].map(([, height]) => Number(height));
	// The plot is 332 units high. In one bin, 0 of 1 predictions are correct; in the other, 3 of 4 are, and 3/4 of 332 is 249.
	t.deepEqual(heights, [0, 249]);
	t.true(svg.includes('<title>confidence 0.9 to 1: 4, mean confidence 0.943, accuracy 0.750</title>'));
	// The gaps are |0.05 − 0| with weight 1/5 and |0.9425 − 0.75| with weight 4/5.
	t.true(svg.includes('5 predictions, expected calibration error 0.164'));
	t.true(svg.includes('<title>M1 &lt;on&gt; &quot;SQuAD&quot;</title>'));
});

test('a diagram is a self-contained SVG: every element is closed, and nothing is fetched', t => {
	const svg = reliabilityDiagram(predictions);
	const openElements: string[] = [];
	for (const [, slashBefore, name, slashAfter] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/gu)) {
		if (slashBefore) {
			t.is(openElements.pop(), name);
		} else if (!slashAfter) {
			openElements.push(name!);
		}
	}
	t.deepEqual(openElements, []);
	t.notRegex(svg.replace('xmlns="http://www.w3.org/2000/svg"', ''), /https?:|url\(|href/u);
	t.true(svg.startsWith('<svg xmlns=') && svg.includes('prefers-color-scheme: dark'));
	t.is(svg, reliabilityDiagram(predictions, {bins: 10, title: 'Reliability'}));
});

test('errors for invalid arguments of a diagram say what was expected and what was given', t => {
	t.is(
		t.throws(() => reliabilityDiagram(predictions, {title: 3 as unknown as string}), {instanceOf: RetrievalError}).message,
		'title: expected a string, got number',
	);
	t.is(
		t.throws(() => reliabilityDiagram([]), {instanceOf: RetrievalError}).message,
		'predictions: expected at least one {confidence, correct}, got none',
	);
});
