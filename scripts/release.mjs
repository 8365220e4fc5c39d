// Publishes the packages of one version: first the packages of the addon and of the models, and last the package of passagekit, which depends on
// them. With `--dry-run`, everything is done except publishing, and missing addons and other problems are reported without failing.
import {spawnSync} from 'node:child_process';
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {execute, fail, npm, root, say} from './commands.mjs';
import {prepare} from './prepare.mjs';
import {pack} from './pack.mjs';

/** Maximum size of the tarball of passagekit itself, in MB. */
const MAX_PACKAGE_MB = 1;

export async function release({isDryRun}) {
	await prepare({only: ['packages', 'javascript']});
	const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	checkCheckout(version, isDryRun);
	const {missing} = await pack();
	if (missing.length > 0 && !isDryRun) {
		fail(`expected an addon for every platform, but there is none for ${missing.join(', ')}. See .github/workflows/release.yml.`);
	}
	const folder = join(root, 'dist/packages');
	const tarballs = readdirSync(folder).filter(name => name.endsWith('.tgz'));
	const own = tarballs.filter(name => /^passagekit-\d/u.test(name));
	const size = statSync(join(folder, own[0])).size / 1e6;
	if (size > MAX_PACKAGE_MB) {
		fail(`expected ${own[0]} to have at most ${MAX_PACKAGE_MB} MB, got ${size.toFixed(2)} MB.`);
	}
	for (const tarball of [...tarballs.filter(name => !own.includes(name)), ...own]) {
		publish(join(folder, tarball), isDryRun);
	}
	say(isDryRun ? `nothing was published: this was a dry run of version ${version}.` : `version ${version} is published.`);
}

/** Fails if the checkout has uncommitted changes, or if its commit does not have the tag of the version. A dry run only prints these problems. */
function checkCheckout(version, isDryRun) {
	const git = (...args) => spawnSync('git', args, {cwd: root, encoding: 'utf8'}).stdout.trim();
	const problems = [];
	if (git('status', '--porcelain') !== '') {
		problems.push('expected a checkout without changes, but `git status` shows some');
	}
	if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) {
		problems.push(`expected the tag v${version} at this commit`);
	}
	for (const problem of problems) {
		(isDryRun ? say : fail)(`${problem}.`);
	}
}

/** Publishes a tarball, unless an earlier attempt has published it already. */
function publish(tarball, isDryRun) {
	const {name, version} = JSON.parse(
		spawnSync('tar', ['-xzOf', tarball, 'package/package.json'], {encoding: 'utf8', maxBuffer: 1 << 24}).stdout,
	);
	if (spawnSync(npm, ['view', `${name}@${version}`, 'version'], {encoding: 'utf8'}).stdout.trim() === version) {
		say(`${name}@${version} is already published.`);
		return;
	}
	// Provenance (a signed statement of where a package was built) needs the identity of a workflow, which a local dry run does not have.
	const mode = isDryRun ? ['--dry-run'] : ['--provenance'];
	execute(npm, ['publish', tarball, '--access', 'public', '--ignore-scripts', '--loglevel=error', ...mode]);
}
