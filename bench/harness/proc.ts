/** What Linux says of processes in /proc: their time on the processors and their memory. Elsewhere everything is NaN. */
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in /proc/<pid>/stat: 100 on every Linux that is built as usual. */
const ticks = 100

interface Stat {
  pid: number
  parent: number
  /** Seconds on a processor, by itself and with children that ended. */
  own: number
  withEnded: number
}

function stat(file: string): Stat | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    // The name in parentheses may hold anything; the fields behind it are fixed, state first.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    const own = (user + system) / ticks
    return {
      pid: Number.parseInt(text, 10),
      parent: fields[1]!,
      own,
      withEnded: own + (endedUser + endedSystem) / ticks,
    }
  } catch {
    return undefined
  }
}

/** A process and all that descend from it and live. */
export function family(pid: number): number[] {
  return members(pid).map((member) => member.pid)
}

function members(pid: number): Stat[] {
  if (process.platform !== 'linux') return []
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => stat(`/proc/${name}/stat`))
    .filter((found) => found !== undefined)
  const found = all.filter((one) => one.pid === pid)
  for (let i = 0; i < found.length; i++) found.push(...all.filter(({ parent }) => parent === found[i]!.pid))
  return found
}

/** Seconds a process and all its descendants have spent on the processors, ended ones included. */
export function cpuSeconds(pid: number | undefined): number {
  const found = pid === undefined ? [] : members(pid)
  return found.length === 0 ? Number.NaN : found.reduce((sum, { withEnded }) => sum + withEnded, 0)
}

/** The same of the first thread alone: where Node runs JavaScript. */
export const mainThreadSeconds = (pid: number): number => stat(`/proc/${pid}/task/${pid}/stat`)?.own ?? Number.NaN

/** A line of /proc/<pid>/status or smaps_rollup that counts kB, in MiB. */
function mebibytes(pid: number, file: 'status' | 'smaps_rollup', name: string): number {
  try {
    const kilobytes = new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1]
    return kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1024
  } catch {
    return Number.NaN
  }
}

/** Resident memory now, MiB. */
export const residentMiB = (pid: number): number => mebibytes(pid, 'status', 'VmRSS')

/** The most resident memory the process ever had, MiB. */
export const peakMiB = (pid: number): number => mebibytes(pid, 'status', 'VmHWM')

/** Memory of one process, its share of what it shares with others, MiB. */
export function shareMiB(pid: number): number {
  const share = mebibytes(pid, 'smaps_rollup', 'Pss')
  return Number.isNaN(share) ? residentMiB(pid) : share
}
