// Sets the next version of everything that is published: `npm run version-packages` moves the descriptions of changes from .changeset to
// CHANGELOG.md, and sets the versions of passagekit, of the models and of the crates.
import {spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {execute, npm, root, say} from './commands.mjs';
import {prepare, requireRust} from './prepare.mjs';
import {models} from './pack.mjs';

export async function version() {
	await prepare({only: ['packages']});
	requireRust();
	execute(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version']);
	// changesets writes package.json in a format of its own.
	execute(process.execPath, [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', 'package.json']);
	const next = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
	for (const name of models) {
		replaceVersion(`models/${name}/package.json`, /^(\t"version": ")[^"]+/mu, next);
	}
	replaceVersion('Cargo.toml', /^(\[workspace\.package\]\nversion = ")[^"]+/mu, next);
	execute('cargo', ['update', '--workspace', '--quiet']);
	execute(npm, ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
	const changed = spawnSync('git', ['status', '--short'], {cwd: root, encoding: 'utf8'}).stdout;
	say(`the next version is ${next}. Check CHANGELOG.md, and commit these files:\n${changed}`);
}

function replaceVersion(path, pattern, next) {
	const text = readFileSync(join(root, path), 'utf8');
	if (!pattern.test(text)) {
		throw new Error(`${path}: expected a version, found none`);
	}
	writeFileSync(join(root, path), text.replace(pattern, `$1${next}`));
}
