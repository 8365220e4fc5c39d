// Tests what happens to the temporary folders that killed builds of collections leave behind.
import {mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Collection} from '../../ts/index.ts';
import {type ProcessRecord, hasEnded, thisProcess} from '../../ts/core/files/process-record.ts';
import {endedProcess} from '../support/processes.ts';

/** Makes a temporary folder that is removed after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-leftovers-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Builds a collection of one passage with this id. */
async function build(path: string, id: string, overwrite = false): Promise<void> {
	await (await Collection.build([{id, text: 'A stone bridge.'}], path, {encoder: false, overwrite})).close();
}

test('the next build removes the folders of killed builds, but not those of running builds', async t => {
	const home = await folder(t);
	const endedPid = await endedProcess();
	const self = thisProcess();
	/** One day, in seconds. */
	const day = 24 * 60 * 60;
	/** Creates a folder as a killed or running build leaves it, last changed `secondsOld` seconds ago. Returns its name. */
	const leave = async (name: string, record: ProcessRecord | undefined, secondsOld = 0): Promise<string> => {
		const path = join(home, name);
		await mkdir(path);
		await writeFile(join(path, 'passages.pkstore'), 'unfinished');
		if (record) {
			await writeFile(join(path, 'building.json'), JSON.stringify(record));
		}
		const time = Date.now() / 1000 - secondsOld;
		for (const file of [...(await readdir(path)).map(entry => join(path, entry)), path]) {
			await utimes(file, time, time);
		}
		return name;
	};
	// These folders are removed: the process in their record has ended; or it is on another host, and the folder has not changed for more
	// than a day; or the folder has no record and has not changed for more than five minutes, and no process has the id in its name.
	await leave(`.index.building-${endedPid}-00000001`, {...self, pid: endedPid});
	await leave(`.index.building-${process.pid}-00000002`, {...self, boot: 'an earlier boot'});
	await leave(`.index.building-${endedPid}-00000003`, {...self, pid: endedPid, host: 'elsewhere'}, 2 * day);
	await leave(`.index.building-${endedPid}`, undefined, 3600);
	await leave(`.index.building-${endedPid}-00000004.gone`, undefined, 3600);
	if (self.started !== undefined) {
		await leave(`.index.building-${process.pid}-00000005`, {...self, started: '1'});
	}
	// These folders are kept: their process runs, or may run on another host, or the folder has just changed. Folders that do not belong to a
	// build of `index` are kept too: `.other…` belongs to another collection, and `-plan` has no process id.
	const kept = [
		await leave(`.index.building-${process.pid}-00000006`, self),
		await leave(`.index.building-${endedPid}-00000007`, {...self, pid: endedPid, host: 'elsewhere'}, 3600),
		await leave(`.index.building-${endedPid}-00000008`, undefined),
		await leave(`.index.building-${process.pid}-00000009`, undefined, 3600),
		await leave(`.other.building-${endedPid}-0000000a`, {...self, pid: endedPid}),
		await leave(`.index.building-plan`, undefined, 2 * day),
	];
	await build(join(home, 'index'), 'new');
	t.deepEqual((await readdir(home)).toSorted(), [...kept, 'index'].toSorted());
});

test('a collection that a killed build had moved aside is restored when it is opened, and before the next build', async t => {
	const home = await folder(t);
	const index = join(home, 'index');
	const endedPid = await endedProcess();
	const building = join(home, `.index.building-${endedPid}-00000001`);
	/** Leaves the state of a build that was killed after it moved the old collection aside and before it moved the new one into place. */
	const moveAside = async (): Promise<void> => {
		await rename(index, `${building}.old`);
		await mkdir(building);
		await writeFile(join(building, 'building.json'), JSON.stringify({...thisProcess(), pid: endedPid}));
	};
	await build(index, 'old');
	await moveAside();
	const opened = await Collection.open(index);
	t.is((await opened.bm25.search('bridge'))[0]!.id, 'old');
	await opened.close();

	// The build restores the old collection, and then refuses to replace it without `overwrite`.
	await rm(building, {recursive: true});
	await moveAside();
	await t.throwsAsync(build(index, 'new'), {code: 'ERR_ARGUMENT', message: /To replace a collection, set `overwrite`/u});
	t.true((await readdir(home)).includes('index'));
	await build(index, 'new', true);
	t.deepEqual(await readdir(home), ['index']);

	// While the building process runs, nothing is restored, because that process is about to move the new collection into place.
	await rename(index, join(home, `.index.building-${process.pid}-00000002.old`));
	await t.throwsAsync(Collection.open(index), {code: 'ERR_IO', message: /expected a collection/u});
	await t.throwsAsync(Collection.open(join(home, 'none')), {code: 'ERR_IO', message: /expected a collection/u});
});

test('concurrent builds of the same folder do not disturb each other', async t => {
	const home = await folder(t);
	const index = join(home, 'index');
	const results = await Promise.allSettled([build(index, 'a', true), build(index, 'b', true), build(index, 'c', true)]);
	t.deepEqual(
		results.map(({status}) => status),
		['fulfilled', 'fulfilled', 'fulfilled'],
	);
	t.deepEqual(await readdir(home), ['index']);
	const [first, second] = await Promise.allSettled([build(join(home, 'new'), 'a'), build(join(home, 'new'), 'b')]);
	t.deepEqual([first!.status, second!.status].toSorted(), ['fulfilled', 'rejected'], 'without overwrite, only one of two builds succeeds');
	t.deepEqual((await readdir(home)).toSorted(), ['index', 'new']);
});

test('a process is distinguished from a later one with the same id, and from processes of other hosts', async t => {
	const self = thisProcess();
	t.is(self.host, hostname());
	t.false(hasEnded(self));
	t.true(hasEnded({...self, pid: await endedProcess()}));
	t.true(hasEnded({...self, boot: 'another'}));
	t.is(hasEnded({...self, host: 'elsewhere'}), undefined);
	t.is(hasEnded({...self, namespace: 'pid:[1]'}), undefined);
});
