// SQLite as a server of benches/collections, through better-sqlite3: the full-text index FTS5 and the vectors of sqlite-vec, which
// are scanned exhaustively. Hybrid search is the SQL query with reciprocal rank fusion that the author of sqlite-vec recommends. Each
// `add` is one transaction, which returns once the write-ahead log is on disk.
import {join} from 'node:path';
import {DEPTH, DIM, requirePeer, serve, versionOf} from '../protocol.mjs';

const Database = requirePeer('better-sqlite3');
const sqliteVec = requirePeer('sqlite-vec');
const TABLES = `
	CREATE TABLE documents (rowid INTEGER PRIMARY KEY, id TEXT UNIQUE, text TEXT, price INTEGER, category TEXT);
	CREATE INDEX prices ON documents (price);
	CREATE INDEX categories ON documents (category);
	CREATE VIRTUAL TABLE texts USING fts5(text, content='documents', content_rowid='rowid');
	CREATE VIRTUAL TABLE vectors USING vec0(rowid INTEGER PRIMARY KEY, vector float[${DIM}] distance_metric=cosine, price INTEGER, category TEXT)`;
const TEXT = `SELECT texts.rowid, rank FROM texts JOIN documents ON documents.rowid = texts.rowid
	WHERE texts MATCH :text AND price < :below ORDER BY rank LIMIT`;
const VECTOR = 'SELECT rowid, distance FROM vectors WHERE vector MATCH :vector AND price < :below AND k =';
const HYBRID = `WITH
	dense AS (SELECT rowid, row_number() OVER (ORDER BY distance) AS position FROM (${VECTOR} ${DEPTH})),
	sparse AS (SELECT rowid, row_number() OVER (ORDER BY rank) AS position FROM (${TEXT} ${DEPTH}))
	SELECT documents.id, coalesce(1.0 / (60 + dense.position), 0) + coalesce(1.0 / (60 + sparse.position), 0) AS score
	FROM dense FULL OUTER JOIN sparse ON dense.rowid = sparse.rowid
	JOIN documents ON documents.rowid = coalesce(dense.rowid, sparse.rowid) ORDER BY score DESC LIMIT :k`;
let database;
let calls;

function connect(folder) {
	database = new Database(join(folder, 'documents.db'));
	sqliteVec.load(database);
	database.pragma('journal_mode = WAL');
	database.pragma('synchronous = FULL');
}

function prepare() {
	const insert = database.prepare('INSERT INTO documents (id, text, price, category) VALUES (?, ?, ?, ?)');
	const insertText = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
	const insertVector = database.prepare('INSERT INTO vectors (rowid, vector, price, category) VALUES (?, ?, ?, ?)');
	calls = {
		add: database.transaction(documents => {
			for (const {id, text, fields, vector} of documents) {
				const {lastInsertRowid} = insert.run(id, text, fields.price, fields.category);
				insertText.run(lastInsertRowid, text);
				insertVector.run(BigInt(lastInsertRowid), bytesOf(vector), BigInt(fields.price), fields.category);
			}
		}),
		text: database.prepare(`SELECT id FROM (${TEXT} :k) hit JOIN documents ON documents.rowid = hit.rowid ORDER BY hit.rank`).pluck(),
		vector: database.prepare(`SELECT id FROM (${VECTOR} :k) hit JOIN documents ON documents.rowid = hit.rowid ORDER BY distance`).pluck(),
		hybrid: database.prepare(HYBRID).pluck(),
	};
}

const bytesOf = vector => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
/** Returns an FTS5 query that matches texts with at least one word of `text`. */
const matchOf = text => text.replaceAll(/\w+/gu, '"$&" OR').slice(0, -3);

await serve({
	version: `${versionOf('better-sqlite3')}, sqlite-vec ${versionOf('sqlite-vec')}`,
	async create(folder) {
		connect(folder);
		database.exec(TABLES);
		prepare();
	},
	async open(folder) {
		connect(folder);
		prepare();
	},
	add: async documents => calls.add(documents),
	async commit() {
		// There is nothing to do: each `add` is a transaction of its own.
	},
	optimize: async () => database.exec("INSERT INTO texts (texts) VALUES ('optimize')"),
	close: async () => database.close(),
	text: async ({text, below = 1e9, k}) => calls.text.all({text: matchOf(text), below, k}),
	vector: async ({vector, below = 1e9, k}) => calls.vector.all({vector: bytesOf(vector), below, k}),
	hybrid: async ({text, vector, below = 1e9, k}) => calls.hybrid.all({text: matchOf(text), vector: bytesOf(vector), below, k}),
});
