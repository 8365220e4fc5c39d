// SQLite's full-text index FTS5, through better-sqlite3, as a server of benches/qps/bm25. Its k1 and b are fixed at 1.2
// and 0.75. Its idf is Robertson's, never below 10⁻⁶, so common terms hardly count. FTS5's scores are negative; the
// query below negates them.
import {join} from 'node:path';
import {requirePeer, serve, tokensOf, versionOf} from '../protocol.mjs';

const Database = requirePeer('better-sqlite3');
// Every character except white space is part of a token.
const tokenizer = `unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'`;
const sqliteVersion = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
let topHits;
let database;

await serve({
	version: `${versionOf('better-sqlite3')}, SQLite ${sqliteVersion}`,
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
		topHits = database.prepare('SELECT rowid AS id, -rank AS score FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?');
	},
	async search(text, k) {
		// Each token becomes a quoted phrase of its own. A token that occurs twice counts twice.
		const phrases = tokensOf(text).map(token => `"${token.replaceAll('"', '""')}"`);
		return topHits.all(phrases.join(' OR '), k);
	},
});
