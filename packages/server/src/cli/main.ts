import { runCli } from './run-cli.js';

process.exit(await runCli(process.argv.slice(2), process.env));
