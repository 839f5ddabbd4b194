/** Recorded series as the load of a fleet, minute by minute. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/** How much there was to do, of any unit; what was recorded stands until the next one. */
export interface Series {
  name: string
  stepMinutes: number
  /** Which step the first value is of, counted as the recording does. */
  first: number
  values: readonly number[]
}

export interface Recording {
  name: string
  series: readonly Series[]
}

const rowsOf = (folder: string, file: string): string[][] =>
  gunzipSync(readFileSync(path.join(folder, 'metrics', file)))
    .toString()
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))

/** By name and slot. What is missing between the first slot of a series and its last is as before. */
function series(rows: Iterable<readonly [name: string, slot: number, value: number]>, stepMinutes: number): Series[] {
  const found = new Map<string, Map<number, number>>()
  for (const [name, slot, value] of rows) {
    const one = found.get(name) ?? new Map<number, number>()
    one.set(slot, value)
    found.set(name, one)
  }
  return [...found].map(([name, slots]) => ({ name, stepMinutes, ...filled(slots) }))
}

function filled(slots: ReadonlyMap<number, number>): Pick<Series, 'first' | 'values'> {
  const numbers = [...slots.keys()]
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
  const values: number[] = []
  for (let slot = first; slot <= last; slot++) values.push(slots.get(slot) ?? values.at(-1)!)
  return { first, values }
}

/** All of them together, from the first step that any has to the last; one that has none has nothing to do. */
function together(name: string, list: readonly Series[]): Series {
  const first = Math.min(...list.map((one) => one.first))
  const end = Math.max(...list.map((one) => one.first + one.values.length))
  const values = Array.from({ length: end - first }, (_, at) =>
    list.reduce((sum, one) => sum + (one.values[first + at - one.first] ?? 0), 0),
  )
  return { name, stepMinutes: list[0]!.stepMinutes, first, values }
}

const slotMs = 300_000

/** Those of `folder`: each by itself is a service of its own, together they are one that many use. */
export function recordings(folder: string): Recording[] {
  const jobs = series(
    rowsOf(folder, 'google-cluster/cpu_mem_10days.csv.gz').map(
      ([job, day, slot, cpu]) => [job!, Number(day) * 288 + Number(slot), Number(cpu)] as const,
    ),
    5,
  )
  const azure = series(
    rowsOf(folder, 'azure-vm-2017/cpu_hourly_28days.csv.gz').map(
      ([vm, hour, cpu]) => [vm!, Number(hour), Number(cpu)] as const,
    ),
    60,
  )
  const bitbrains = series(
    rowsOf(folder, 'bitbrains/cpu.csv.gz').map(
      ([vm, at, , , mhz]) => [vm!, Math.floor(Date.parse(at!) / slotMs), Number(mhz)] as const,
    ),
    5,
  )
  const group = series(
    rowsOf(folder, 'nab/realAWSCloudwatch/grok_asg_anomaly.csv.gz').map(
      ([at, cpu]) => ['asg', Math.floor(Date.parse(`${at!.replace(' ', 'T')}Z`) / slotMs), Number(cpu)] as const,
    ),
    5,
  )
  return [
    { name: 'a group of machines (NAB)', series: group },
    { name: 'jobs of a cluster (Google)', series: jobs },
    { name: 'jobs of a cluster (Google), together', series: [together('google', jobs)] },
    { name: 'machines by the hour (Azure)', series: azure },
    { name: 'machines by the hour (Azure), together', series: [together('azure', azure)] },
    { name: 'machines of businesses (Bitbrains)', series: bitbrains },
    { name: 'machines of businesses, together', series: [together('bitbrains', bitbrains)] },
  ]
}
