// Packs the npm packages into tarballs: passagekit itself, the addon for each platform for which it was built, and the models.
import {cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {basename, join, relative} from 'node:path';
import {execute, npm, root, say} from './prepare.mjs';

const models = ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head'];

/** Packs all packages into the folder dist/packages. The addons are those in `native/`. */
export async function pack() {
	const output = join(root, 'dist/packages');
	const staging = join(output, 'staging');
	rmSync(output, {recursive: true, force: true});
	mkdirSync(staging, {recursive: true});
	const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const addons = await stageAddons(join(staging, 'native'), manifest);
	stagePackage(join(staging, 'passagekit'), manifest, addons.all);
	const folders = [join(staging, 'passagekit'), ...addons.built, ...models.map(name => stageModel(staging, name, manifest))];
	for (const folder of folders) {
		execute(npm, ['pack', folder, '--pack-destination', output, '--ignore-scripts', '--silent']);
	}
	rmSync(staging, {recursive: true});
	const tarballs = readdirSync(output).filter(name => name.endsWith('.tgz'));
	say(`packed ${tarballs.join(', ')} in dist/packages`);
}

/** Stages passagekit itself. Its platform packages are optional dependencies, of which npm installs the one for the user's platform. */
function stagePackage(folder, manifest, addonNames) {
	const {scripts: _scripts, devDependencies: _dev, ava: _ava, napi: _napi, allowScripts: _allow, ...published} = manifest;
	const optionalDependencies = Object.fromEntries(addonNames.map(name => [name, manifest.version]));
	mkdirSync(folder, {recursive: true});
	writeFileSync(join(folder, 'package.json'), `${JSON.stringify({...published, optionalDependencies}, undefined, '\t')}\n`);
	for (const part of [...manifest.files, 'README.md', 'LICENSE']) {
		cpSync(join(root, part), join(folder, part), {recursive: true});
	}
}

/** Stages the packages of the addon, and returns the names of all, and the folders of those for which the addon was built. */
async function stageAddons(folder, manifest) {
	const {NapiCli} = await import('@napi-rs/cli');
	const cli = new NapiCli();
	const npmDir = relative(root, folder);
	await cli.createNpmDirs({cwd: root, npmDir});
	const platforms = readdirSync(folder);
	const built = [];
	for (const platform of platforms) {
		const file = `${manifest.napi.binaryName}.${platform}.node`;
		const source = join(root, 'native', file);
		if (existsSync(source)) {
			const target = join(folder, platform);
			cpSync(source, join(target, file));
			cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
			built.push(target);
		}
	}
	return {all: platforms.map(platform => `${manifest.napi.packageName}-${platform}`), built};
}

function stageModel(staging, name, manifest) {
	const source = join(root, 'models', name);
	const {version} = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
	if (version !== manifest.version) {
		throw new Error(`models/${name}/package.json: expected version ${manifest.version}, got ${version}`);
	}
	const folder = join(staging, basename(source));
	cpSync(source, folder, {recursive: true});
	return folder;
}
