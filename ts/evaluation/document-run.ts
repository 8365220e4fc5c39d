/** Turns rankings of passages into rankings of documents. */
import {checkString} from '../core/checks.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import {documentOf} from '../core/filters/document-id.ts';
import {signalOption, checkOptions} from '../core/options.ts';
import {checkRun, hitsFor} from '../core/native/runs.ts';
import type {CallOptions, Hit, Run} from '../core/types.ts';

/**
Returns a run of documents for a run of passages: each document has the score of its best passage (MaxP; Dai and Callan, "Deeper Text
Understanding for IR with Contextual Neural Language Modeling", 2019). Documents come in the order of their scores, and those with equal
scores in the order of their first passages. Passages `d#0`, `d#1`, … belong to the document `d`; a passage without `#` in its id is a
document of its own. A list of `k` passages may have fewer than `k` documents, so search for more passages than you need documents.

@example
```
const documents = await documentRun(run);
const {mean} = await evaluate(documents, qrels, ['nDCG@10']);
```
*/
export async function documentRun(run: Run, options: Pick<CallOptions, 'signal'> = {}): Promise<Run> {
	checkRun('run', run);
	checkOptions('documentRun', options, signalOption);
	const documents = new Map<string, readonly Hit[]>();
	for (const query of run.keys()) {
		checkString('run: query id', query);
		documents.set(query, documentsOf(hitsFor(run, query)));
		await yieldIfOverBudget();
		options.signal?.throwIfAborted();
	}
	return documents;
}

function documentsOf(hits: readonly Hit[]): Hit[] {
	const best = new Map<string, Hit>();
	for (const {id, score} of hits) {
		const document = documentOf(id);
		const previous = best.get(document);
		if (previous === undefined || score > previous.score) {
			best.set(document, {id: document, score});
		}
	}
	// The hits of a run may be in any order. Sorting is stable, and `best` has the order of the first passages.
	return [...best.values()].toSorted((a, b) => b.score - a.score);
}
