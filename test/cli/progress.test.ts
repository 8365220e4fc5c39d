// Tests the progress bar, and how durations and sizes are formatted.
import test from 'ava';
import {ProgressBar, bytes, duration, progressLine} from '../../ts/cli/progress.ts';

/** A bar of 24 characters. The first `filled` of them are filled. */
const bar = (filled: number): string => `[${'█'.repeat(filled)}${' '.repeat(24 - filled)}]`;

test('a line shows the bar, the amount, the rate and the time left', t => {
	// 120 passages in 2 s are 60/s, so the remaining 360 take 6 s. A quarter of 24 characters is 6.
	t.is(progressLine('encode', 'passages', {done: 120, total: 480}, 2), `encode   ${bar(6)} 120/480 passages · 60/s · 6.0 s left`);
});

test('a line shows a rate and a time left that are given', t => {
	const speed = {rate: '5.0 questions/s', secondsLeft: 72};
	t.is(progressLine('train', 'steps', {done: 12, total: 48}, speed), `train    ${bar(6)} 12/48 steps · 5.0 questions/s · 72 s left`);
	t.is(progressLine('train', 'steps', {done: 48, total: 48}, speed), `train    ${bar(24)} 48/48 steps · 5.0 questions/s`);
});

test('the line of a finished call omits the time left', t => {
	t.is(progressLine('encode', 'passages', {done: 480, total: 480}, 8), `encode   ${bar(24)} 480/480 passages · 60/s`);
});

test('with an unknown total, the bar stays empty and the time left is omitted', t => {
	t.is(progressLine('read', 'passages', {done: 12_000, total: 0}, 1), `read     ${bar(0)} 12,000 passages · 12,000/s`);
});

test('a line omits the rate if nothing is done or no time has passed', t => {
	t.is(progressLine('encode', 'passages', {done: 0, total: 480}, 3), `encode   ${bar(0)} 0/480 passages`);
	t.is(progressLine('encode', 'passages', {done: 5, total: 10}, 0), `encode   ${bar(12)} 5/10 passages`);
});

test('the bar is never longer than its width', t => {
	t.is(progressLine('encode', 'passages', {done: 600, total: 480}, 10), `encode   ${bar(24)} 600/480 passages · 60/s`);
});

test('a rate below ten has one decimal', t => {
	t.is(progressLine('ask', 'questions', {done: 3, total: 4}, 2), `ask      ${bar(18)} 3/4 questions · 1.5/s · 667 ms left`);
});

test('bytes are shown in units such as MB', t => {
	t.is(
		progressLine('fetch', 'bytes', {done: 30_000_000, total: 90_000_000}, 3),
		`fetch    ${bar(8)} 30.0 MB/90.0 MB · 10.0 MB/s · 6.0 s left`,
	);
});

const durations: ReadonlyArray<readonly [number, string]> = [
	[-1, '0 ms'],
	[0, '0 ms'],
	[0.0004, '0 ms'],
	[0.25, '250 ms'],
	[0.9996, '1.0 s'],
	[1, '1.0 s'],
	[9.94, '9.9 s'],
	[9.96, '10 s'],
	[89.4, '89 s'],
	[89.6, '1 min 30 s'],
	[90, '1 min 30 s'],
	[119.6, '2 min 0 s'],
	[3600, '60 min 0 s'],
];
for (const [seconds, text] of durations) {
	test(`a duration of ${seconds} s is formatted as ${text}`, t => {
		t.is(duration(seconds), text);
	});
}

const sizes: ReadonlyArray<readonly [number, string]> = [
	[0, '0.0 kB'],
	[1500, '1.5 kB'],
	[999_949, '999.9 kB'],
	[999_960, '1.0 MB'],
	[1_000_000, '1.0 MB'],
	[90_500_000, '90.5 MB'],
];
for (const [count, text] of sizes) {
	test(`${count} bytes are formatted as ${text}`, t => {
		t.is(bytes(count), text);
	});
}

/** A stream that records what is written to it. */
function fakeStream(isTTY: boolean): {readonly stream: NodeJS.WriteStream; readonly written: string[]} {
	const written: string[] = [];
	const stream = {isTTY, write: (text: string) => written.push(text)} as unknown as NodeJS.WriteStream;
	return {stream, written};
}

test('a bar overwrites its line and is erased only once', t => {
	const {stream, written} = fakeStream(true);
	const progress = new ProgressBar('encode', 'passages', stream);

	progress.update({done: 0, total: 4});
	progress.end();
	progress.end();

	t.deepEqual(written, [`\r\u001B[2Kencode   ${bar(0)} 0/4 passages`, '\r\u001B[2K']);
});

test('a bar writes nothing unless the stream is a terminal', t => {
	const {stream, written} = fakeStream(false);
	const progress = new ProgressBar('encode', 'passages', stream);

	progress.update({done: 1, total: 4});
	progress.end();

	t.deepEqual(written, []);
});

test('a detail is shown at the end of the line', t => {
	const {stream, written} = fakeStream(true);

	new ProgressBar('add', 'bytes', stream).update({done: 0, total: 2000}, '12 documents');

	t.deepEqual(written, [`\r\u001B[2Kadd      ${bar(0)} 0.0 kB/2.0 kB · 12 documents`]);
});
