import { FileLock } from '@kettle/file-lock';

/** The right to write one index, held by one process at a time. */
export type WriterLock = FileLock;

export const WriterLock = {
  /** The lock, or `undefined` while another holder has it. */
  acquire(directory: string): WriterLock | undefined {
    return FileLock.acquire(directory, 'writer-lock.sqlite');
  },
};
