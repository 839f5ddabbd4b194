/** No end of the process is silent: what it died of is the last thing it says, and stays in the data folder for `doctor`. */
import fs from 'node:fs'
import path from 'node:path'

/** Ends of processes that nobody had asked for, one JSON object a line, oldest first. */
const endsFile = 'ends.log'
const linesMax = 100

export interface UnaskedEnd {
  /** ISO time; of a killed process the time of the next start. */
  at: string
  pid: number
  why: string
}

/** Watches over the process from now on until the call that comes back: from then on it may end. */
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

/** Written at once: what is only queued for stderr would go down with the process. */
function tell(dir: string, text: string, why: string): void {
  try {
    fs.writeSync(2, `tidemark exited unexpectedly: ${text}\n`)
  } catch {
    // Nobody reads; the file still can.
  }
  noteEnd(dir, { at: new Date().toISOString(), pid: process.pid, why })
}

/** Keeps it; a folder that cannot be written is no reason to fail. */
function noteEnd(dir: string, end: UnaskedEnd): void {
  try {
    const file = path.join(dir, endsFile)
    const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
    const kept = [...lines, JSON.stringify(end)].slice(-linesMax)
    fs.writeFileSync(file, `${kept.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // As above.
  }
}

/** Notes, at the next start, what could not be told by a process that is gone without a word. */
export function noteKilled(dir: string, pid: number): void {
  if (lastEnd(dir)?.pid === pid) return
  noteEnd(dir, { at: new Date().toISOString(), pid, why: 'killed, or the machine went down; detected at this start' })
}

/** The newest end that nobody had asked for; undefined when there was none. */
export function lastEnd(dir: string): UnaskedEnd | undefined {
  const file = path.join(dir, endsFile)
  const line = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').at(-1) : ''
  return line ? (JSON.parse(line) as UnaskedEnd) : undefined
}
