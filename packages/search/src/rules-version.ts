import { splitterVersion } from './passages/split-passages.js';
import { type FileType, fileTypeOf } from './reading/file-types.js';

/** More versions of the splitter than there will ever be. */
const splitterVersions = 1000;

/** Version of all that decides which passages the bytes of a file give: with another one, it is read again. */
export function rulesVersion(type: FileType): number {
  return type.version * splitterVersions + splitterVersion;
}

/** The same for a file that a listing of the folder gave: its type is known. */
export function rulesOf(name: string): number {
  return rulesVersion(fileTypeOf(name)!);
}
