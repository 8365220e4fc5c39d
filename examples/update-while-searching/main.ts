/**
Adds, replaces and deletes documents while searches run, checks that no search sees only a part of a commit, and opens the collection again.
*/
import {strict as assert} from 'node:assert';
import {rm} from 'node:fs/promises';
import {Collection, type Document} from 'passagekit';

const rounds = 20;
await rm('./departures', {recursive: true, force: true});
let board = await Collection.open('./departures', {create: true, encoder: false});

/** The departures of a round. Each round deletes one departure and adds one, so that there are always 100. */
function departures(round: number): Document[] {
	return Array.from({length: 100}, (_, i) => ({id: `train-${round + i}`, text: `Train ${round + i} departs on time.`, fields: {round}}));
}

await board.upsert(departures(0));
await board.commit();

const done = new AbortController();
let searches = 0;
const searching = (async () => {
	while (!done.signal.aborted) {
		const {hits} = await board.search('train', {k: 1000, include: ['fields']});
		// All hits come from the same commit.
		assert.equal(hits.length, 100);
		assert.equal(new Set(hits.map(({fields}) => fields['round'])).size, 1);
		searches += 1;
	}
})();
for (let round = 1; round <= rounds; round++) {
	await board.upsert(departures(round));
	await board.delete(`train-${round - 1}`);
	await board.commit();
}
done.abort();
await searching;
console.log('searches saw whole commits:', searches > 0);

await board.delete({filter: {}});
// Uncommitted changes would be lost if the process ended here. `discard` has the same effect; without it, `close` commits them.
await board.close({discard: true});
board = await Collection.open('./departures');
const {generation, documents} = await board.stats();
console.log('after a restart:', {generation, documents});
console.log('documents of the last round:', await board.count({filter: {round: rounds}}));
console.log(await board.passagesOfDocument(`train-${rounds}`));
await board.close();
