'use strict';
const {join} = require('node:path');

/** The folder of the model. */
exports.folder = __dirname;

/** The files of the model. Each file is listed, so that tools that trace a program's files, such as `@vercel/nft`, find it. */
exports.files = [
	join(__dirname, 'model.safetensors'),
	join(__dirname, 'tokenizer.json'),
];
