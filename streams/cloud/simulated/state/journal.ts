/**
 * What happens in the simulated cloud, one JSON text a line, in one order for every process that shares the folder. A line
 * is one append, so lines never mix; what a process that was killed has left unfinished is skipped. On a file system that
 * does not append atomically (NFS) only one process may write.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'

/** `at` is its place: it rises along a file. */
export interface Line {
  at: number
  text: string
}

export interface Journal {
  /** Of the file that is written to: after it has risen, `read` begins at its start, and what was read before is not so any more. */
  readonly generation: number
  append(text: string): void
  /** The lines since the last time, own ones included. */
  read(): Line[]
  /** The lines from a place on, as far as `read` has come. */
  from(at: number): Iterable<Line>
  close(): void
}

const memoryLinesMax = 20_000

/** For a cloud that nobody shares and that ends with its process. Keeps 10,000 to 20,000 lines. */
export function memoryJournal(): Journal {
  let kept: Line[] = []
  let at = 0
  let seen = 0
  return {
    generation: 0,
    append(text) {
      kept.push({ at: (at += 1), text })
      if (kept.length > memoryLinesMax) kept = kept.slice(-memoryLinesMax / 2)
    },
    read() {
      const lines = kept.slice(kept.findLastIndex((line) => line.at <= seen) + 1)
      seen = at
      return lines
    },
    from: (first) => kept.filter((line) => line.at >= first && line.at <= seen),
    close() {},
  }
}

/** Larger ones are written anew when a process opens them. */
const bytesMax = 64 * 1024 * 1024

/** Behind it nothing counts: the next file goes on. */
const seal = '"sealed"'
const pieceBytes = 1024 * 1024

/**
 * The journal of a folder. A file that has grown too large is sealed by a last line; `shorter` makes of what stands before
 * it what the next file begins with, the same for whoever does it.
 */
export function fileJournal(
  folder: string,
  shorter: (lines: Iterable<Line>) => Iterable<string>,
  sizeMax = bytesMax,
): Journal {
  mkdirSync(folder, { recursive: true })
  let file = open(folder)
  let at = 0
  const next = (sealedAt: number): void => {
    if (newest(folder) === file.generation) succeed(folder, file, shorter(between(file.fd, 0, sealedAt)))
    closeSync(file.fd)
    file = open(folder)
    at = 0
  }
  /** Up to the seal, where there is one; then what the next file has. */
  const read = (): Line[] => {
    const lines: Line[] = []
    for (const line of between(file.fd, at, fstatSync(file.fd).size)) {
      if (line.text === seal) {
        next(line.at)
        return read()
      }
      lines.push(line)
      at = line.at + Buffer.byteLength(line.text) + 1
    }
    return lines
  }
  const append = (text: string): void => {
    // The end before it closes what a killed process may have left.
    const bytes = Buffer.from(`\n${text}\n`)
    if (writeSync(file.fd, bytes) < bytes.length)
      throw new Error('The journal of the simulated cloud could not be written.')
  }
  if (fstatSync(file.fd).size > sizeMax) append(seal)
  return {
    get generation() {
      return file.generation
    },
    append,
    read,
    from: (first) => between(file.fd, first, at),
    close: () => closeSync(file.fd),
  }
}

interface OpenJournal {
  fd: number
  generation: number
}

const nameOf = (generation: number): string => `simulated-cloud${generation === 0 ? '' : `.${generation}`}.jsonl`

function newest(folder: string): number {
  const found = readdirSync(folder).map((name) => /^simulated-cloud\.(\d+)\.jsonl$/.exec(name)?.[1])
  return Math.max(0, ...found.map((generation = '0') => Number(generation)))
}

/** The newest file. One that was overtaken between finding and opening it is left alone. */
function open(folder: string): OpenJournal {
  for (;;) {
    const generation = newest(folder)
    const fd = openSync(path.join(folder, nameOf(generation)), 'a+', 0o600)
    if (newest(folder) === generation) return { fd, generation }
    closeSync(fd)
  }
}

/** Puts the next file there whole, unless another process has. */
function succeed(folder: string, { generation }: OpenJournal, texts: Iterable<string>): void {
  const made = path.join(folder, `simulated-cloud.${randomUUID()}.tmp`)
  writeFileSync(made, [...texts].map((text) => `${text}\n`).join(''), { mode: 0o600 })
  try {
    linkSync(made, path.join(folder, nameOf(generation + 1)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(made, { force: true })
  }
  rmSync(path.join(folder, nameOf(generation)), { force: true })
}

/** The whole lines between two places; a last one without its end is still being written. Empty ones are none. */
function* between(fd: number, from: number, to: number): Generator<Line> {
  let at = from
  let rest = Buffer.alloc(0)
  for (let read = from; read < to;) {
    const piece = Buffer.alloc(Math.min(pieceBytes, to - read))
    read += readSync(fd, piece, 0, piece.length, read)
    const held = Buffer.concat([rest, piece])
    let begin = 0
    for (let end = held.indexOf(10); end >= 0; end = held.indexOf(10, begin)) {
      if (end > begin) yield { at: at + begin, text: held.toString('utf8', begin, end) }
      begin = end + 1
    }
    at += begin
    rest = held.subarray(begin)
  }
}
