// Describes the third-party code in the npm packages: returns the licenses of all crates in the addon and of Rust's standard library, and an SBOM
// (software bill of materials) in the CycloneDX format.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fail, root} from './commands.mjs';

const licenseFile = /^(?:licen[cs]e|copying|notice|copyright|unlicense)/iu;

/** Returns the crates from crates.io that are compiled into the addon for a target, sorted by name. */
export function cratesOf(target) {
	const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', target, '--manifest-path', 'native/addon/Cargo.toml'];
	const {stdout, stderr, status} = spawnSync('cargo', args, {cwd: root, encoding: 'utf8', maxBuffer: 1 << 28});
	if (status !== 0) {
		fail(`\`cargo ${args.join(' ')}\` failed:\n${stderr}`);
	}
	const {packages, resolve} = JSON.parse(stdout);
	const nodes = new Map(resolve.nodes.map(node => [node.id, node]));
	const reached = new Set();
	const pending = [resolve.root];
	for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
		if (!reached.has(id)) {
			reached.add(id);
			// Crates that only build scripts and tests use are not in the addon.
			const compiled = nodes.get(id).deps.filter(({dep_kinds: kinds}) => kinds.some(({kind}) => kind === null));
			pending.push(...compiled.map(({pkg}) => pkg));
		}
	}
	return packages
		.filter(({id, source}) => reached.has(id) && source !== null)
		.toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

/** Returns Rust's standard library, which is compiled into every program, in the form of a crate. */
function standardLibrary() {
	const output = (...args) => spawnSync('rustc', args, {cwd: root, encoding: 'utf8'}).stdout.trim();
	return {
		name: "Rust's standard library",
		version: /^release: (.+)$/mu.exec(output('-vV'))[1],
		license: 'MIT OR Apache-2.0, with parts under Unicode-3.0 and BSD-2-Clause',
		repository: 'https://github.com/rust-lang/rust',
		licenseFolder: join(output('--print', 'sysroot'), 'share/doc/rust/licenses'),
	};
}

/** The license files of Rust's standard library, whose folder also has licenses of the compiler. */
const standardLibraryLicenses = /^(?:MIT|Apache-2\.0|Unicode-3\.0|BSD-2-Clause)\.txt$/u;

/** Returns the texts of the licenses of a crate, or of the standard library. */
function licenseTexts({manifest_path: manifest, licenseFolder}) {
	const folder = licenseFolder ?? dirname(manifest);
	const isLicense = name =>
		licenseFolder ? standardLibraryLicenses.test(name) : licenseFile.test(name) && !/\.(?:html|toml)$/u.test(name);
	return existsSync(folder)
		? readdirSync(folder)
				.filter(isLicense)
				.map(name => readFileSync(join(folder, name), 'utf8').trim())
		: [];
}

/** Returns the content of the file THIRD-PARTY-LICENSES: each license text, after a list of those that it covers. */
export function thirdPartyLicenses(crates) {
	const notices = new Map();
	for (const crate of [...crates, standardLibrary()]) {
		const texts = licenseTexts(crate);
		if (texts.length === 0 && !crate.license) {
			fail(`expected a license of the crate ${crate.name}, found neither a license file nor the field \`license\``);
		}
		const label = `${crate.name} ${crate.version} (${crate.license ?? 'see below'})`;
		for (const text of texts.length > 0
			? texts
			: [`${crate.license}. The crate contains no license file; see ${crate.repository ?? crate.name}.`]) {
			const key = createHash('sha256').update(text.replaceAll(/\s+/gu, ' ')).digest('hex');
			const notice = notices.get(key) ?? {text, labels: []};
			notice.labels.push(label);
			notices.set(key, notice);
		}
	}
	const header =
		"The native addon of passagekit contains these crates and Rust's standard library. Each license text comes after those that it covers.";
	const line = '-'.repeat(80);
	return `${[header, ...[...notices.values()].map(({text, labels}) => `${labels.join('\n')}\n\n${text}`)].join(`\n\n${line}\n\n`)}\n`;
}

/** Returns an SBOM of a package: its crates, and the packages that npm installs with it. */
export function softwareBillOfMaterials({name, version, license, dependencies = {}}, crates) {
	const component = (type, purl, item) => ({type, name: item.name, version: item.version, purl, licenses: [{expression: item.license}]});
	const {packages} = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
	const npmPackages = Object.keys(dependencies).map(dependency => ({name: dependency, ...packages[`node_modules/${dependency}`]}));
	return {
		bomFormat: 'CycloneDX',
		specVersion: '1.6',
		version: 1,
		metadata: {component: component('library', npmUrl(name, version), {name, version, license})},
		components: [
			...npmPackages.map(npmPackage => component('library', npmUrl(npmPackage.name, npmPackage.version), npmPackage)),
			...crates.map(crate =>
				component('library', `pkg:cargo/${crate.name}@${crate.version}`, {
					...crate,
					license: crate.license?.replaceAll(/\s*\/\s*/gu, ' OR '),
				}),
			),
		],
	};
}

function npmUrl(name, version) {
	return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function compare(a, b) {
	return a < b ? -1 : Number(a > b);
}
