/** Reads and writes runs and relevance judgments in the formats of TREC. */
import {checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, native} from '../core/native/native.ts';
import {callOptions, checkOptions} from '../core/options.ts';
import {checkedQrels} from '../core/native/qrels.ts';
import {RetrievedRun, nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Qrels, Run} from '../core/types.ts';

/**
Reads a TREC run, which has lines `query Q0 passage rank score tag`. The hits of a query are sorted by descending score, then by rank, then
by their order in the file. Fails with `ERR_FORMAT` at an invalid line.
*/
export async function readTrecRun(path: string, options: CallOptions = {}): Promise<Run> {
	checkString('path', path);
	checkOptions('readTrecRun', options, callOptions);
	return new RetrievedRun(await callNative(options, control => native.readRun(path, control)));
}

/**
Writes a TREC run. An existing file is replaced atomically; a FIFO, a character device or `/dev/fd/N` is written line by line; `-` is
standard output. Symbolic links are followed, and the new file has the mode of the file that it replaces. A score is written as the shortest
decimal number that parses to the same 32-bit float. `tag` is the name of the run. Fails with `ERR_ARGUMENT` if an id or the tag is empty or
contains white space or control characters, because such a file could not be read again.
*/
export async function writeTrecRun(path: string, run: Run, tag = 'passagekit', options: CallOptions = {}): Promise<void> {
	checkString('path', path);
	checkString('tag', tag);
	checkOptions('writeTrecRun', options, callOptions);
	const handle = await nativeRun(run);
	await callNative(options, control => handle.write(path, tag, control));
}

/**
Reads relevance judgments (qrels) in the format of TREC, with the four columns query, iteration, passage and grade, or in that of BEIR,
with a header line and the three columns query, passage and grade.
*/
export async function readQrels(path: string, options: CallOptions = {}): Promise<Qrels> {
	checkString('path', path);
	checkOptions('readQrels', options, callOptions);
	const {queries, passages, grades} = await callNative(options, control => native.readQrels(path, control));
	const qrels = new Map<string, Map<string, number>>();
	for (const [i, query] of queries.entries()) {
		let judged = qrels.get(query);
		if (!judged) {
			judged = new Map();
			qrels.set(query, judged);
		}
		judged.set(passages[i]!, grades[i]!);
	}
	return qrels;
}

/** Writes relevance judgments (qrels) in the format of TREC. Accepts the same paths as `writeTrecRun`. */
export async function writeQrels(path: string, qrels: Qrels, options: CallOptions = {}): Promise<void> {
	checkString('path', path);
	checkOptions('writeQrels', options, callOptions);
	const columns = qrelsColumns(qrels);
	await callNative(options, control => native.writeQrels(path, columns, control));
}

/** Converts judgments to columns for the addon. */
function qrelsColumns(qrels: Qrels): {queries: string[]; passages: string[]; grades: Int32Array} {
	const queries: string[] = [];
	const passages: string[] = [];
	const grades: number[] = [];
	for (const [query, judged] of checkedQrels(qrels)) {
		for (const [passage, grade] of judged) {
			queries.push(query);
			passages.push(passage);
			grades.push(grade);
		}
	}
	return {queries, passages, grades: Int32Array.from(grades)};
}

/**
Fails with `ERR_ARGUMENT` if a value cannot be a column of a TREC file. `writeTrecRun` checks this too, but only after the run has been
computed.
*/
export function checkColumn(what: string, value: string): void {
	if (value === '' || /[\p{White_Space}\p{Cc}]/u.test(value)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${what}: expected one or more characters, none of them white space or control, got ${JSON.stringify(value)}`,
		);
	}
}
