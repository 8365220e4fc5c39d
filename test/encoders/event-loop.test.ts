// Tests that encoding and loading models do not block the event loop.
import test, {type ExecutionContext} from 'ava';
import {ExtractiveReader, OnnxEncoder} from '../../ts/index.ts';

const TICK_MS = 5;

/** Runs a 5 ms timer during `work`. Resolves to the times between its ticks (`gaps`) and the duration of the work, in milliseconds. */
async function ticksDuring(work: () => Promise<unknown>): Promise<{gaps: number[]; tookMs: number}> {
	const gaps: number[] = [];
	let last = performance.now();
	const timer = setInterval(() => {
		const now = performance.now();
		gaps.push(now - last);
		last = now;
	}, TICK_MS);
	// Discards the first ticks, because the first intervals of a timer are irregular.
	await new Promise(resolve => setTimeout(resolve, 5 * TICK_MS));
	gaps.length = 0;
	const start = performance.now();
	await work();
	const tookMs = performance.now() - start;
	clearInterval(timer);
	return {gaps, tookMs};
}

/**
Asserts that the timer ticks throughout the work: at least a tenth of the expected number of ticks, and no gap as long as a quarter of the
work. If the event loop were blocked, the timer would tick at most once, after the work. On a busy machine, it often ticks late even if
the loop is not blocked. So the limits are loose, and only one of ten attempts must succeed.
*/
async function assertTimerTicks(t: ExecutionContext, work: () => Promise<unknown>): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		const {gaps, tookMs} = await ticksDuring(work);
		const longest = Math.max(...gaps);
		t.log(`${gaps.length} ticks in ${tookMs.toFixed(0)} ms, the longest gap ${longest.toFixed(1)} ms`);
		const isUnblocked = gaps.length >= tookMs / TICK_MS / 10 && longest < tookMs / 4;
		if (isUnblocked || attempt === 10) {
			t.true(isUnblocked, `${gaps.length} ticks in ${tookMs.toFixed(0)} ms, a gap of ${longest.toFixed(0)} ms`);
			return;
		}
	}
}

test.serial('a timer keeps ticking while a long batch is encoded', async t => {
	const encoder = await OnnxEncoder.load('minilm-encoder');
	const texts = Array.from({length: 200}, (_, i) => `${'the river bends north beyond the old stone bridge '.repeat(12)}${i}`);
	await assertTimerTicks(t, async () => encoder.encode(texts));
	encoder.close();
});

test.serial('a timer keeps ticking while models load', async t => {
	// Encoders and readers with the same file and the same number of threads share an open model. The other test uses one thread per core
	// and closes its model, so these calls share no session and really load the models.
	await assertTimerTicks(t, async () => {
		const encoder = await OnnxEncoder.load('minilm-encoder', {threads: 1});
		const reader = await ExtractiveReader.load('minilm-reader', {threads: 1});
		encoder.close();
		reader.close();
	});
});
