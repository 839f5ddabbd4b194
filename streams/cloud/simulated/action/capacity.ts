import type { Capacity } from '#streams/cloud/connector.ts'
import type { ActionLog, PowerChange } from './log.ts'
import { askedLast } from './power.ts'

/** Names of the counts in the specs of resources, by cloud. */
const names = {
  min: ['min_size', 'min_count', 'min_nodes', 'min_replicas', 'min_idle'],
  max: ['max_size', 'max_count', 'max_nodes', 'max_replicas', 'max_capacity'],
  desired: ['desired', 'desired_count', 'target_size', 'node_count', 'count', 'replicas'],
} as const

/** What is known of a resource that has never been switched. */
export interface AtRest {
  specs?: Readonly<Record<string, unknown>> | undefined
  units?: number | undefined
}

export interface Counts extends Capacity {
  running: boolean
  /** The minimum while it ran. */
  floor: number
}

/** The counts requested last, or the original ones. A resource without bounds has 0 to its current count. */
export function countsAt(log: ActionLog, accountId: string, uid: string, rest: AtRest, at: number): Counts {
  const resting = restingCounts(rest)
  const change = askedLast(log, accountId, uid, at)
  if (!change) return { ...resting, running: true, floor: resting.min }
  const ran = (made: PowerChange) => made.running && made.min !== undefined && made.asked <= at
  const floor = log.changes(accountId, uid).findLast(ran)?.min ?? resting.min
  const { running, units = resting.desired, min = floor, max = Math.max(resting.max, units) } = change
  return { running, floor, min, max, desired: running ? units : 0 }
}

function restingCounts(rest: AtRest): Capacity {
  const desired = rest.units ?? readCount(rest, 'desired') ?? 1
  return { min: readCount(rest, 'min') ?? 0, max: readCount(rest, 'max') ?? desired, desired }
}

function readCount({ specs = {} }: AtRest, what: keyof typeof names): number | undefined {
  const found = names[what].map((name) => specs[name]).find((value) => typeof value === 'number')
  return found === undefined ? undefined : Number(found)
}

/** The counts, under the names that the resource's specs use. */
export function countsTold(specs: Readonly<Record<string, unknown>>, counts: Capacity): Record<string, number> {
  const told = { ...names, desired: [...names.desired, 'capacity'] }
  const kinds = ['min', 'max', 'desired'] as const
  const known = kinds.flatMap((kind) => told[kind].map((name) => [name, counts[kind]] as const))
  return Object.fromEntries(known.filter(([name]) => typeof specs[name] === 'number'))
}
