// Packs the npm packages into tarballs: passagekit itself, the addon for each platform for which it was built, and the models.
import {cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {addonFolder} from './addon.mjs';
import {execute, npm, root, say} from './commands.mjs';
import {cratesOf, softwareBillOfMaterials, thirdPartyLicenses} from './third-party.mjs';

/** The folder of the addon that `npm run build` builds. */
const buildFolder = join(root, 'native');
/** The folders of the published models. */
export const models = ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head'];

/**
Packs all packages into the folder `output`, after deleting the folder's old content. The addon for a platform is taken from the first of
`addonFolders` that has it: by default from dist/addons, where `npm run addon` writes it, or else from native/, where `npm run build` writes it.
Returns the platforms for which there is no addon.
*/
export async function pack({output = join(root, 'dist/packages'), addonFolders = [addonFolder, buildFolder]} = {}) {
	const staging = join(output, 'staging');
	rmSync(output, {recursive: true, force: true});
	mkdirSync(staging, {recursive: true});
	const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const addons = await stageAddons(join(staging, 'native'), manifest, addonFolders);
	stagePackage(join(staging, 'passagekit'), manifest, addons.all);
	const folders = [join(staging, 'passagekit'), ...addons.built, ...models.map(name => modelFolder(name, manifest))];
	for (const folder of folders) {
		execute(npm, ['pack', folder, '--pack-destination', output, '--ignore-scripts', '--silent']);
	}
	rmSync(staging, {recursive: true});
	const tarballs = readdirSync(output).filter(name => name.endsWith('.tgz'));
	say(`packed ${tarballs.join(', ')} into ${relative(root, output)}`);
	if (addons.missing.length > 0) {
		say(`platforms that were not packed, because the addon was not built for them: ${addons.missing.join(', ')}`);
	}
	return {missing: addons.missing};
}

/**
Stages the package of passagekit itself. The packages of the addon are its optional dependencies; npm installs only the one for the user's
platform.
*/
function stagePackage(folder, manifest, addonNames) {
	const {scripts: _scripts, devDependencies: _dev, ava: _ava, napi: _napi, allowScripts: _allow, ...published} = manifest;
	const optionalDependencies = Object.fromEntries(addonNames.map(name => [name, manifest.version]));
	mkdirSync(folder, {recursive: true});
	published.files = [...manifest.files, 'sbom.cdx.json'];
	writeFileSync(join(folder, 'package.json'), `${JSON.stringify({...published, optionalDependencies}, undefined, '\t')}\n`);
	writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(softwareBillOfMaterials(manifest, []), undefined, '\t')}\n`);
	for (const part of [...manifest.files, 'README.md', 'LICENSE']) {
		cpSync(join(root, part), join(folder, part), {recursive: true});
	}
}

/**
Stages the packages of the addon, one per platform. Returns the names of all packages (`all`), the folders of the packages for which the addon
was built (`built`), and the platforms of the other packages (`missing`).
*/
async function stageAddons(folder, manifest, addonFolders) {
	const {NapiCli, parseTriple} = await import('@napi-rs/cli');
	const cli = new NapiCli();
	const npmDir = relative(root, folder);
	await cli.createNpmDirs({cwd: root, npmDir});
	const platforms = readdirSync(folder);
	const targets = new Map(manifest.napi.targets.map(target => [parseTriple(target).platformArchABI, target]));
	const [built, missing] = [[], []];
	for (const platform of platforms) {
		const file = `${manifest.napi.binaryName}.${platform}.node`;
		const source = addonFolders.map(candidate => join(candidate, file)).find(path => existsSync(path));
		if (source === undefined) {
			missing.push(platform);
			continue;
		}
		const target = join(folder, platform);
		cpSync(source, join(target, file));
		cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
		const crates = cratesOf(targets.get(platform));
		writeFileSync(join(target, 'THIRD-PARTY-LICENSES'), thirdPartyLicenses(crates));
		const addon = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
		addon.files.push('THIRD-PARTY-LICENSES', 'sbom.cdx.json');
		writeFileSync(join(target, 'package.json'), `${JSON.stringify(addon, undefined, '\t')}\n`);
		writeFileSync(join(target, 'sbom.cdx.json'), `${JSON.stringify(softwareBillOfMaterials(addon, crates), undefined, '\t')}\n`);
		built.push(target);
	}
	return {all: platforms.map(platform => `${manifest.napi.packageName}-${platform}`), built, missing};
}

/** Returns the folder of a model, which is packed without staging. Fails if the model's version is not that of passagekit. */
function modelFolder(name, manifest) {
	const folder = join(root, 'models', name);
	const {version} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	if (version !== manifest.version) {
		throw new Error(`models/${name}/package.json: expected version ${manifest.version}, got ${version}`);
	}
	return folder;
}
