export { FileLock } from './file-lock.js';
