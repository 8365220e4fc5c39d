// Packs the npm packages into tarballs: passagekit itself, the addon for each platform for which it was built, and the models.
import {cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
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
	const folders = [join(staging, 'passagekit'), ...addons.built, ...models.map(name => modelFolder(name, manifest))];
	for (const folder of folders) {
		execute(npm, ['pack', folder, '--pack-destination', output, '--ignore-scripts', '--silent']);
	}
	rmSync(staging, {recursive: true});
	const tarballs = readdirSync(output).filter(name => name.endsWith('.tgz'));
	say(`packed ${tarballs.join(', ')} in dist/packages`);
	if (addons.missing.length > 0) {
		say(`not packed, because the addon was not built for them: ${addons.missing.join(', ')}`);
	}
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

/**
Stages the packages of the addon. Returns the names of all, the folders of those for which the addon was built, and the platforms of the
others.
*/
async function stageAddons(folder, manifest) {
	const {NapiCli} = await import('@napi-rs/cli');
	const cli = new NapiCli();
	const npmDir = relative(root, folder);
	await cli.createNpmDirs({cwd: root, npmDir});
	const platforms = readdirSync(folder);
	const [built, missing] = [[], []];
	for (const platform of platforms) {
		const file = `${manifest.napi.binaryName}.${platform}.node`;
		const source = join(root, 'native', file);
		if (existsSync(source)) {
			const target = join(folder, platform);
			cpSync(source, join(target, file));
			cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
			built.push(target);
		} else {
			missing.push(platform);
		}
	}
	return {all: platforms.map(platform => `${manifest.napi.packageName}-${platform}`), built, missing};
}

/** Returns the folder of a model, which is packed as it is. */
function modelFolder(name, manifest) {
	const folder = join(root, 'models', name);
	const {version} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	if (version !== manifest.version) {
		throw new Error(`models/${name}/package.json: expected version ${manifest.version}, got ${version}`);
	}
	return folder;
}
