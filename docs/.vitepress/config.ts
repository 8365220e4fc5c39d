import {existsSync, readFileSync} from 'node:fs';
import {defineConfig} from 'vitepress';

/**
The part of the sidebar that lists the API reference. `npm run docs` runs TypeDoc, which writes both this file and the reference. If they are missing,
the site is built without the reference.
*/
const apiSidebar = new URL('../api/typedoc-sidebar.json', import.meta.url);
const repository = 'https://github.com/passagekit/passagekit';

const guides = [
	{text: 'Getting started', link: '/guide/getting-started'},
	{text: 'Documents and passages', link: '/guide/documents'},
	{text: 'Loading a corpus', link: '/guide/corpora'},
	{text: 'Filters and updates', link: '/guide/filters-and-updates'},
	{text: 'Your own embeddings', link: '/guide/embeddings'},
	{text: 'Hybrid search and tuning', link: '/guide/hybrid'},
	{text: 'Extracting answers', link: '/guide/reading'},
	{text: 'Evaluation', link: '/guide/evaluation'},
	{text: 'Phrases and confidence', link: '/guide/phrases'},
	{text: 'What a vector is about', link: '/guide/vocabulary'},
	{text: 'The four studies', link: '/guide/studies'},
	{text: 'Training your own encoder and reader', link: '/training'},
	{text: 'Speed', link: '/guide/speed'},
	{text: 'In a server', link: '/guide/server'},
	{text: 'Collections in a cluster', link: '/remote'},
	{text: 'Beyond one machine', link: '/scale'},
	{text: 'Coming from other tools', link: '/coming-from'},
	{text: 'Architecture', link: '/guide/architecture'},
];

const details = [
	{text: 'Benchmarks', link: '/benchmarks'},
	{text: 'Replication study', link: '/replication'},
	{text: 'Phrase study', link: '/phrases'},
	{text: 'Confidence and calibration', link: '/calibration'},
	{text: 'Vocabulary projections and study', link: '/vocabulary'},
	{text: 'Training study', link: '/training-study'},
	{text: 'Glossary', link: '/glossary'},
];

export default defineConfig({
	title: 'passagekit',
	description: 'Passage retrieval and question answering for Node',
	cleanUrls: true,
	lastUpdated: false,
	themeConfig: {
		nav: [
			{text: 'Guides', link: '/guide/getting-started'},
			{text: 'API', link: '/api/'},
			{text: 'Benchmarks', link: '/benchmarks'},
		],
		sidebar: [
			{text: 'Guides', items: guides},
			{text: 'Details', items: details},
			{text: 'API', collapsed: true, items: existsSync(apiSidebar) ? JSON.parse(readFileSync(apiSidebar, 'utf8')) : []},
		],
		socialLinks: [{icon: 'github', link: repository}],
		search: {provider: 'local'},
		outline: [2, 3],
	},
	markdown: {math: false},
	rewrites: {},
});
