/**
 * The events of the simulated cloud, one JSON text per line, in the same order for all processes that share the folder.
 * Each line is appended with one write, so lines do not mix; an incomplete line of a killed process is skipped. On a
 * file system without atomic appends (NFS) only one process may write.
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

/** `at` is its position, which increases within a file. */
export interface Line {
  at: number
  text: string
}

export interface Journal {
  /**
   * Number of the current file. After it has increased, `read` begins at the start of the new file, and everything read
   * before is obsolete.
   */
  readonly generation: number
  append(text: string): void
  /** New lines since the last call, including own ones. */
  read(): Line[]
  /** Lines from a position on, up to where `read` has come. */
  from(at: number): Iterable<Line>
  close(): void
}

const memoryLinesMax = 20_000

/** For a cloud in a single process without a folder. Keeps 10,000 to 20,000 lines. */
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

/** Maximum bytes; a larger file is replaced when a process opens it. */
const bytesMax = 64 * 1024 * 1024

/** Ends a file: lines after it do not count, and the next file continues. */
const seal = '"sealed"'
const pieceBytes = 1024 * 1024

/**
 * The journal of a folder. A file that is too large is ended with a seal. `shorter` converts its lines to the beginning
 * of the next file, with the same result in every process.
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
  /** Reads up to the seal if there is one, then continues with the next file. */
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
    // The line end before it completes a partial line of a killed process.
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

/** Opens the newest file. If a newer one appears meanwhile, opens that. */
function open(folder: string): OpenJournal {
  for (;;) {
    const generation = newest(folder)
    const fd = openSync(path.join(folder, nameOf(generation)), 'a+', 0o600)
    if (newest(folder) === generation) return { fd, generation }
    closeSync(fd)
  }
}

/** Creates the next file atomically, unless another process has done so. */
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

/**
 * The complete lines between two positions. A last line without its end is still being written. Empty lines are
 * skipped.
 */
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
