// The full-text index of SQLite, of better-sqlite3, behind the line protocol of benches/qps/bm25. It is synchronous. Its k1
// and b are 1.2 and 0.75, its idf Robertson's, never below a millionth: common terms hardly count. Its scores are negative.
import {join} from 'node:path';
import {packages, serve, tokensOf, versionOf} from '../protocol.mjs';

const Database = packages('better-sqlite3');
// What is no white space is part of a token.
const tokenizer = `unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'`;
const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
let best;
let database;

await serve({
	version: `${versionOf('better-sqlite3')}, SQLite ${sqlite}`,
	async build(passages, folder) {
		const built = new Database(join(folder, 'index.db'));
		built.exec(`CREATE VIRTUAL TABLE passages USING fts5(text, content='', tokenize="${tokenizer}")`);
		const insert = built.prepare('INSERT INTO passages (rowid, text) VALUES (?, ?)');
		built.exec('BEGIN');
		for await (const {id, text} of passages) {
			insert.run(Number(id), text);
		}
		built.exec("INSERT INTO passages (passages) VALUES ('optimize'); COMMIT");
		built.close();
	},
	async open(folder) {
		database?.close();
		database = new Database(join(folder, 'index.db'), {readonly: true});
		best = database.prepare('SELECT rowid AS id, -rank AS score FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?');
	},
	async search(text, k) {
		// A phrase of one token each; one that stands twice counts twice.
		const phrases = tokensOf(text).map(token => `"${token.replaceAll('"', '""')}"`);
		return best.all(phrases.join(' OR '), k);
	},
});
