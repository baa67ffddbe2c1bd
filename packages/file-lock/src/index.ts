export { FileLock } from './file-lock.js';
export { makeFolder } from './make-folder.js';
