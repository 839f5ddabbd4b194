/**
 * Makes sure that no process ends silently: the cause is the last line of its log, and is kept in the data folder for
 * `doctor`.
 */
import fs from 'node:fs'
import path from 'node:path'

/** Unexpected ends of processes, one JSON object per line, oldest first; at most `linesMax`. */
const endsFile = 'ends.log'
const linesMax = 100

export interface UnaskedEnd {
  /** ISO 8601. For a killed process, the time of the next start. */
  at: string
  pid: number
  why: string
}

/** Reports an unexpected end of the process, until the returned function is called. */
export function watchEnd(dir: string): () => void {
  let isOver = false
  const die = (error: unknown): void => {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
    tell(dir, told, String(error))
    isOver = true
    process.exit(1)
  }
  const exited = (code: number): void => {
    const why = `the process exited on its own with code ${code}`
    if (!isOver) tell(dir, why, why)
  }
  process.on('uncaughtException', die)
  process.on('exit', exited)
  return () => {
    isOver = true
    process.off('uncaughtException', die)
    process.off('exit', exited)
  }
}

/** Written synchronously, because queued output to stderr would be lost with the process. */
function tell(dir: string, text: string, why: string): void {
  try {
    fs.writeSync(2, `tidemark exited unexpectedly: ${text}\n`)
  } catch {
    // stderr is closed; the file can still be written.
  }
  noteEnd(dir, { at: new Date().toISOString(), pid: process.pid, why })
}

/** Appends an end to the file; errors are ignored. */
function noteEnd(dir: string, end: UnaskedEnd): void {
  try {
    const file = path.join(dir, endsFile)
    const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
    const kept = [...lines, JSON.stringify(end)].slice(-linesMax)
    fs.writeFileSync(file, `${kept.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // See above.
  }
}

/** Records at the next start that a process ended without a report of its own. */
export function noteKilled(dir: string, pid: number): void {
  if (lastEnd(dir)?.pid === pid) return
  noteEnd(dir, { at: new Date().toISOString(), pid, why: 'killed, or the machine went down; detected at this start' })
}

/** The newest unexpected end; undefined if there is none. */
export function lastEnd(dir: string): UnaskedEnd | undefined {
  const file = path.join(dir, endsFile)
  const line = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').at(-1) : ''
  return line ? (JSON.parse(line) as UnaskedEnd) : undefined
}
