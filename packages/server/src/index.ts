export { type App, createApp } from './app.js';
export { type Config, readConfig } from './config/config.js';
export { ConfigError } from './config/config-error.js';
export { createLog, type Log } from './log.js';
export { createMcpServer } from './mcp/server.js';
