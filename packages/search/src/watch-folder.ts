import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log.js';

/** A burst of events counts as one when they follow each other this closely, in milliseconds, … */
const quietTime = 200;
/** … but no longer than this after the first one. */
const longestWait = 2000;

/**
 * Tells when something below a folder may have changed. Where the system can't watch a whole tree, each folder is
 * watched (not each file), and `update` says which there are.
 */
export class FolderWatcher {
  readonly #directory: string;
  readonly #onChange: () => void;
  readonly #log: Log;
  readonly #recursive = process.platform === 'darwin' || process.platform === 'win32';
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #firstEvent = 0;
  #warned = false;
  #closed = false;

  constructor(directory: string, onChange: () => void, log: Log) {
    this.#directory = directory;
    this.#onChange = onChange;
    this.#log = log;
  }

  /** Every folder is watched; otherwise only looking again finds all changes. */
  complete = false;

  /** Watches exactly these folders, relative to the directory. New ones may have changed since they were listed. */
  update(folders: readonly string[]): void {
    if (this.#closed) return;
    const wanted = new Set(this.#recursive ? [''] : folders);
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    this.complete = true;
    let added = false;
    for (const folder of wanted) {
      if (this.#watchers.has(folder)) continue;
      if (this.#add(folder)) added = true;
      else this.complete = false;
    }
    if (added) this.#changed();
  }

  /** Forgets every folder: they may have been replaced by others of the same name. */
  reset(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.complete = false;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.reset();
  }

  #add(folder: string): boolean {
    try {
      const watcher = watch(join(this.#directory, folder), { persistent: false, recursive: this.#recursive });
      watcher.on('change', (type, name) => {
        if (type === 'rename' && !this.#recursive) this.#forget(folder, name === null ? '' : String(name));
        this.#changed();
      });
      watcher.on('error', () => {
        this.#drop(folder);
        this.#changed();
      });
      this.#watchers.set(folder, watcher);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && !this.#warned) {
        this.#warned = true;
        this.#log(
          'warn',
          `The system can't watch all folders (${code}); changes are found by looking again.`,
        );
      }
      return false;
    }
  }

  /** A folder of that name came, went or was replaced: a watcher would go on watching the old one. */
  #forget(parent: string, name: string): void {
    const folder = parent === '' ? name : `${parent}/${name}`;
    for (const watched of [...this.#watchers.keys()]) {
      if (watched === folder || watched.startsWith(`${folder}/`)) this.#drop(watched);
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    this.complete = false;
  }

  #changed(): void {
    const now = performance.now();
    if (this.#timer === undefined) this.#firstEvent = now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(quietTime, this.#firstEvent + longestWait - now));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onChange();
    }, wait);
    this.#timer.unref();
  }
}
