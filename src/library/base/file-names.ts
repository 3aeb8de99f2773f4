// Files named or placed by others: names that are not UTF-8 as texts (each invalid byte becomes a lone surrogate
// U+DC80 to U+DCFF, as in Python), and opening only regular files.
import { Buffer, isUtf8 } from 'node:buffer';
import { readFileSync, constants } from 'node:fs';
import { open, opendir, stat, type FileHandle } from 'node:fs/promises';
import { CheckError } from './errors.js';

const ESCAPE_BASE = 0xdc00;
/** Lengths of UTF-8 sequences, longest first, because a shorter one may begin a longer one. */
const SEQUENCE_BYTES = [4, 3, 2, 1];

/**
 * Converts the bytes of a name to text. `toFilePath` reverses it, and `visibleText` shows an invalid byte as `\xe9`.
 */
export function toFileName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let name = '';
  for (let at = 0; at < bytes.byteLength;) {
    const length = SEQUENCE_BYTES.find((size) => isCharacter(bytes.subarray(at, at + size), size));
    name +=
      length === undefined
        ? String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0))
        : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return name;
}

/** Converts a name to a path for Node's file system, with bytes that are not UTF-8. */
export function toFilePath(name: string): string | Buffer {
  if (!/[\udc80-\udcff]/.test(name)) return name;
  const parts = name.split(/(\p{Cs})/u).map((part) => {
    const isByte = /^[\udc80-\udcff]$/.test(part);
    return isByte ? Buffer.from([part.charCodeAt(0) - ESCAPE_BASE]) : Buffer.from(part);
  });
  return Buffer.concat(parts);
}

/**
 * Returns the arguments of this process as `toFileName` converts them. Node has replaced invalid bytes in `args`, the
 * last arguments of the command line, by U+FFFD.
 */
export function readArguments(args: readonly string[]): readonly string[] {
  if (!args.some((arg) => arg.includes('\uFFFD'))) return args;
  const bytes = readFileSync('/proc/self/cmdline');
  const given: string[] = [];
  for (let from = 0; from < bytes.byteLength;) {
    const end = bytes.indexOf(0, from);
    given.push(toFileName(bytes.subarray(from, end === -1 ? undefined : end)));
    from = end === -1 ? bytes.byteLength : end + 1;
  }
  return given.slice(-args.length);
}

function isCharacter(bytes: Buffer, size: number): boolean {
  return bytes.byteLength === size && isUtf8(bytes) && [...bytes.toString()].length === 1;
}

/**
 * Opens a regular file for reading. Rejects with CheckError `invalid_request` for a folder, a pipe, a socket or a
 * device, or as `open` does.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // Checked before opening, which may wake a device, and after, because the file may have been replaced.
  const found = await stat(toFilePath(path));
  if (found.isDirectory()) await requireReadable(path);
  refuseOthers(found);
  const file = await open(toFilePath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseOthers(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reports why a folder is unreadable, which helps more than that it is a folder. */
async function requireReadable(folder: string): Promise<void> {
  try {
    await (await opendir(toFilePath(folder))).close();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CheckError('invalid_request', `the folder can't be read (${code})`, { cause });
  }
}

function refuseOthers(found: { isFile(): boolean; isDirectory(): boolean }): void {
  if (found.isFile()) return;
  const kind = found.isDirectory()
    ? 'a folder (EISDIR)'
    : 'a pipe, a socket or a device, and no regular file';
  throw new CheckError('invalid_request', `the file can't be read: it is ${kind}`);
}
