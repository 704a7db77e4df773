import { pathProblem } from '../package/limits.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { mostUnpacked, type ArchiveLimits } from './archive-limits.ts';
import { Refused, shown } from './refused.ts';

/** What a layer takes away from those below it. */
export interface Whiteouts {
  /** Files and directories. */
  readonly removed: string[];
  /** Directories of which nothing below counts; '' for all. */
  readonly opaque: string[];
}

/** Entries outside of the wanted directory, for each that may be in it: operating systems have a hundred thousand files. */
const PASSED_BY = 10;

/** Takes the entries of an archive one by one and refuses what no tree of plain files has. */
export class EntryCollector {
  readonly #limits: ArchiveLimits;
  readonly #mostBytes: number;
  readonly #files = new Map<string, PackageFile>();
  /** What stands at a path, by the path as file systems without case have it. */
  readonly #taken = new Map<string, { readonly path: string; readonly isFile: boolean }>();
  /** Those among them that are directories, as they are written: what is above them is taken, too. */
  readonly #directories = new Set<string>();
  /** What an image layer takes from those below it; undefined where whiteouts are refused. */
  readonly #whiteouts: Whiteouts | undefined;
  readonly #directory: string;
  #entries = 0;
  #passedBy = 0;
  #bytes = 0;

  constructor(
    archiveBytes: number,
    limits: ArchiveLimits,
    { whiteouts, directory = '' }: { readonly whiteouts?: Whiteouts; readonly directory?: string } = {},
  ) {
    this.#limits = limits;
    this.#mostBytes = mostUnpacked(archiveBytes, limits);
    this.#whiteouts = whiteouts;
    this.#directory = directory;
  }

  /** How many entries and bytes of files were taken. */
  get taken(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries, bytes: this.#bytes };
  }

  /** Directories that are there by themselves or above a file. */
  get directories(): ReadonlySet<string> {
    return this.#directories;
  }

  /**
   * Whether an entry matters where only a directory is wanted: what is in it, what it is in, and plain files at the top, which
   * may be licences. An image has links and devices elsewhere, of which nothing is used; a link in the way is none to pass by.
   */
  wants(name: string, isPlain: boolean): boolean {
    if (this.#directory === '') return true;
    const path = name.replace(/^(?:\.?\/)+/, '').replace(/(?<!\/)\/+$/, '');
    const whiteout = /^(.*\/|)\.wh\.(?:\.wh\.\.opq|(.+))$/.exec(path);
    const meant = whiteout === null ? path : `${whiteout[1]}${whiteout[2] ?? ''}`.replace(/\/$/, '');
    const [wanted, place] = [`${this.#directory}/`, `${meant}/`];
    if (meant === '' || wanted.startsWith(place) || place.startsWith(wanted)) return true;
    return isPlain && !path.includes('/');
  }

  /** Counts an entry that is passed by; more of them are allowed than of others. */
  passBy(): void {
    this.#entries -= 1;
    this.#passedBy += 1;
    const most = this.#limits.entries * PASSED_BY;
    if (this.#passedBy > most) {
      throw new Refused(
        'ARCHIVE_LIMIT',
        `the archive has more than ${most} entries outside ${this.#directory}`,
      );
    }
  }

  /** Counts an entry before anything of it is read. */
  count(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries) {
      throw new Refused('ARCHIVE_LIMIT', `the archive has more than ${this.#limits.entries} entries`);
    }
  }

  /** Counts bytes before they are unpacked. */
  reserve(name: string, bytes: number): void {
    if (bytes > this.#limits.fileBytes) {
      const most = this.#limits.fileBytes;
      throw new Refused('ARCHIVE_LIMIT', `${shown(name)} has ${bytes} bytes; the limit is ${most}`);
    }
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes) {
      throw new Refused('ARCHIVE_LIMIT', `the archive unpacks to more than ${this.#mostBytes} bytes`);
    }
  }

  directory(name: string): void {
    const path = name.replace(/^(?:\.\/+)+/, '').replace(/(?<!\/)\/+$/, '');
    if (path === '' || path === '.') return;
    this.#checkPath(name, path);
    this.#take(path, false);
  }

  file(name: string, bytes: Uint8Array, executable: boolean): void {
    const path = name.replace(/^(?:\.\/+)+/, '');
    if (this.#whiteouts !== undefined && this.#whiteout(name, path, this.#whiteouts)) return;
    this.#checkPath(name, path);
    this.#take(path, true);
    this.#files.set(path, { mode: executable ? '100755' : '100644', bytes });
  }

  /** All files, sorted by path. */
  files(): PackageFiles {
    return new Map([...this.#files].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Whether an entry of a layer is no file but says what is gone (image specification, "Whiteouts"). */
  #whiteout(name: string, path: string, { removed, opaque }: Whiteouts): boolean {
    const slash = path.lastIndexOf('/');
    const [above, last] = [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
    if (!last.startsWith('.wh.')) return false;
    if (above !== '') this.#checkPath(name, above);
    if (last === '.wh..wh..opq') opaque.push(above);
    else {
      const gone = slash < 0 ? last.slice(4) : `${above}/${last.slice(4)}`;
      // `.wh..` would take the directory above away; `.wh..wh.…` is what one storage driver kept for itself.
      this.#checkPath(name, gone);
      removed.push(gone);
    }
    return true;
  }

  #checkPath(name: string, path: string): void {
    const problem = pathProblem(path);
    if (problem !== undefined) throw new Refused('ARCHIVE_PATH', `${shown(name)}: ${problem}`);
    const parts = path.split('/');
    if (parts.length > this.#limits.depth) {
      throw new Refused(
        'ARCHIVE_LIMIT',
        `${shown(name)} is nested deeper than ${this.#limits.depth} directories`,
      );
    }
    // Layers of images delete by such names; in a tree of files they would stay as files that hide others.
    if (parts.some((part) => part.startsWith('.wh.'))) {
      throw new Refused('ARCHIVE_ENTRY', `${shown(name)} is a whiteout of an image layer`);
    }
  }

  /** Takes a path and the directories above it that are new. */
  #take(path: string, isFile: boolean): void {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const above = path.slice(0, at);
      if (this.#directories.has(above)) break;
      this.#hold(above, false);
    }
    this.#hold(path, isFile);
  }

  #hold(path: string, isFile: boolean): void {
    const key = path.normalize('NFC').toLowerCase();
    const other = this.#taken.get(key);
    if (other === undefined) {
      this.#taken.set(key, { path, isFile });
      if (!isFile) this.#directories.add(path);
      return;
    }
    if (other.path !== path) {
      const names = `${shown(other.path)} and ${shown(path)}`;
      throw new Refused('ARCHIVE_COLLISION', `${names} are the same where case does not count`);
    }
    if (isFile && other.isFile)
      throw new Refused('ARCHIVE_COLLISION', `${shown(path)} is in the archive twice`);
    if (isFile !== other.isFile) {
      throw new Refused('ARCHIVE_COLLISION', `${shown(path)} is a file and a directory`);
    }
  }
}
