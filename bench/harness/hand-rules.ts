/** Twenty rules of machines as somebody would write them by hand, and machines to judge by them. The figures are the rules' own. */
import type { Fact } from '#actors/recommendation/rule/contract.ts'

/** Null: known to be empty; undefined: unknown. */
type Numeric = number | null | undefined
type Text = string | null | undefined
type Flag = boolean | null | undefined

/** What the twenty read of a machine. */
export interface Machine {
  status: string
  managed: boolean
  ageDays: number
  env: string
  cpuMax: Numeric
  cpuP95: Numeric
  cpuP99: Numeric
  cpuOn: Numeric
  cpuOff: Numeric
  memoryP95: Numeric
  memoryP99: Numeric
  networkIn: Numeric
  networkOut: Numeric
  gpuMax: Numeric
  gpuP99: Numeric
  surplus: Numeric
  surplusCost: Numeric
  statusDays: Numeric
  storageCost: Numeric
  hasSchedule: Flag
  runningShare: Numeric
  offShare: Numeric
  overrunHours: Numeric
  hours: Numeric
  onDemand: Numeric
  vcpus: Numeric
  gpus: Numeric
  isCurrent: Flag
  successor: Text
  armType: Text
  armReady: Flag
  balancers: Numeric
  lifecycle: Text
  architecture: Text
  platform: Text
  credits: Text
  isDetailed: Flag
  address: Text
  isOldMetadata: Flag
}

/** Where the compiled rules find the same. */
export const paths: Readonly<Record<keyof Machine, string>> = {
  status: 'res.status',
  managed: 'res.managed',
  ageDays: 'res.age_days',
  env: 'res.env',
  cpuMax: 'metric.cpu_percent.max.14d',
  cpuP95: 'metric.cpu_percent.p95.14d',
  cpuP99: 'metric.cpu_percent.p99.14d',
  cpuOn: 'metric.cpu_percent.on_p95.14d',
  cpuOff: 'metric.cpu_percent.off_p95.14d',
  memoryP95: 'metric.memory_percent.p95.14d',
  memoryP99: 'metric.memory_percent.p99.14d',
  networkIn: 'metric.network_bytes_in.sum.14d',
  networkOut: 'metric.network_bytes_out.sum.14d',
  gpuMax: 'metric.gpu_percent.max.14d',
  gpuP99: 'metric.gpu_percent.p99.14d',
  surplus: 'metric.surplus_credits_charged.sum.14d',
  surplusCost: 'bill.component.surplus_credits_30d',
  statusDays: 'hist.status_days',
  storageCost: 'rel.attached_storage_cost_30d',
  hasSchedule: 'hist.has_schedule',
  runningShare: 'hist.running_share_30d',
  offShare: 'hist.offhours_running_share_14d',
  overrunHours: 'hist.schedule_overrun_hours_14d',
  hours: 'bill.usage_hours_30d',
  onDemand: 'bill.on_demand_share_30d',
  vcpus: 'ref.instance.vcpus',
  gpus: 'ref.instance.gpu_count',
  isCurrent: 'ref.instance.current_generation',
  successor: 'ref.instance.successor',
  armType: 'ref.instance.arm_type',
  armReady: 'rel.arm_ready',
  balancers: 'rel.load_balancer_count',
  lifecycle: 'specs.lifecycle',
  architecture: 'specs.architecture',
  platform: 'specs.platform_details',
  credits: 'specs.cpu_credits',
  isDetailed: 'specs.monitoring_detailed',
  address: 'specs.public_ipv4',
  isOldMetadata: 'specs.imds_v1_allowed',
}

/** Of a condition false, cannot be told, true; of a rule clear, hold, fires. */
export type Three = 0 | 1 | 2
export const outcomes = ['clear', 'hold', 'fires'] as const

const lt = (a: Numeric, b: number): Three => (a === undefined ? 1 : a !== null && a < b ? 2 : 0)
const gt = (a: Numeric, b: number): Three => (a === undefined ? 1 : a !== null && a > b ? 2 : 0)
const gte = (a: Numeric, b: number): Three => (a === undefined ? 1 : a !== null && a >= b ? 2 : 0)
const is = (a: Text | Numeric, b: string | number): Three => (a === undefined ? 1 : a === b ? 2 : 0)
const isNot = (a: Text, b: string): Three => (a === undefined ? 1 : a === b ? 0 : 2)
const has = (a: Text, part: string): Three => (a === undefined ? 1 : a !== null && a.includes(part) ? 2 : 0)
const yes = (a: Flag): Three => (a === undefined ? 1 : a === true ? 2 : 0)
const no = (a: Flag): Three => (a === undefined ? 1 : a === false ? 2 : 0)
const there = (a: Text): Three => (a === undefined ? 1 : a === null ? 0 : 2)
const empty = (a: Numeric): Three => (a === undefined ? 1 : a === null ? 2 : 0)
const every = Math.min as (...truths: Three[]) => Three
const some = Math.max as (...truths: Three[]) => Three

const megabytes = ({ networkIn: a, networkOut: b }: Machine): Numeric =>
  typeof a === 'number' && typeof b === 'number' ? (a + b) / 14 / 1_000_000 : undefined
const isNonProduction = ({ env }: Machine): Three => (env === 'dev' || env === 'staging' ? 2 : 0)

type Hand = (machine: Machine) => Three

const rule =
  (minAgeDays: number, status: string | undefined, when: Hand): Hand =>
  (machine) => {
    if (status !== undefined) {
      if (machine.status === 'stopping') return 1
      if (machine.status !== status) return 0
    }
    if (machine.managed) return 0
    return machine.ageDays < minAgeDays ? 1 : when(machine)
  }

export const handRules: Readonly<Record<string, Hand>> = {
  'RC-1001': rule(14, 'running', (m) =>
    every(
      lt(m.cpuMax, 5),
      some(lt(megabytes(m), 5), every(empty(m.networkIn), empty(m.networkOut))),
      is(m.gpus, 0),
      isNot(m.lifecycle, 'spot'),
    ),
  ),
  'RC-1002': rule(14, 'running', (m) => every(gt(m.gpus, 0), lt(m.gpuMax, 1), lt(m.cpuMax, 5))),
  'RC-1003': rule(1, 'stopped', (m) => every(gte(m.statusDays, 30), gt(m.storageCost, 0))),
  'RC-1101': rule(14, 'running', (m) =>
    every(is(m.gpus, 0), lt(m.cpuP99, 40), some(lt(m.memoryP99, 50), empty(m.memoryP99)), gte(m.cpuMax, 5)),
  ),
  'RC-1102': rule(14, 'running', (m) => some(gt(m.cpuP95, 90), gt(m.memoryP95, 90))),
  'RC-1103': rule(1, undefined, (m) => every(no(m.isCurrent), there(m.successor))),
  'RC-1104': rule(1, undefined, (m) => every(is(m.architecture, 'x86_64'), yes(m.armReady), there(m.armType))),
  'RC-1105': rule(14, undefined, (m) => every(is(m.credits, 'unlimited'), gt(m.surplus, 0), gt(m.surplusCost, 0))),
  'RC-1106': rule(14, 'running', (m) => every(gt(m.gpus, 0), lt(m.gpuP99, 40), gte(m.gpuMax, 1))),
  'RC-1107': rule(1, undefined, (m) =>
    some(
      every(has(m.platform, 'SQL Server Standard'), gt(m.vcpus, 48)),
      every(has(m.platform, 'SQL Server Web'), gt(m.vcpus, 32)),
    ),
  ),
  'RC-1108': rule(1, undefined, (m) => every(has(m.platform, 'SQL Server'), lt(m.vcpus, 4))),
  'RC-1109': rule(1, undefined, (m) => every(isNonProduction(m), has(m.platform, 'SQL Server'))),
  'RC-1172': rule(1, undefined, (m) => every(isNonProduction(m), yes(m.isDetailed))),
  'RC-1176': rule(1, 'running', (m) => every(there(m.address), gt(m.balancers, 0))),
  'RC-1201': rule(14, undefined, (m) =>
    every(isNonProduction(m), no(m.hasSchedule), gt(m.runningShare, 0.9), isNot(m.lifecycle, 'spot')),
  ),
  'RC-1202': rule(14, 'running', (m) =>
    every(no(m.hasSchedule), isNot(m.env, 'prod'), lt(m.cpuOff, 3), gt(m.cpuOn, 10), gt(m.offShare, 0.5)),
  ),
  'RC-1215': rule(1, undefined, (m) => every(yes(m.hasSchedule), gt(m.overrunHours, 4))),
  'RC-1417': rule(0, undefined, (m) => yes(m.isOldMetadata)),
  'RC-1502': rule(30, undefined, (m) =>
    every(gt(m.hours, 680), gt(m.onDemand, 0.9), gte(m.ageDays, 90), yes(m.isCurrent)),
  ),
  'RC-1605': rule(180, undefined, (m) => gt(m.ageDays, 180)),
}

/** Numbers from 0 to 1, the same whenever it is seeded alike. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
}

/** Machines of every kind; one fact in twenty is unknown, one in twenty known to be empty. */
export function machines(count: number): Machine[] {
  const random = seeded(11)
  const up = (to: number) => Math.round(random() * to)
  const of = <T>(...values: T[]): T => values[Math.floor(random() * values.length)]!
  const vague = <T>(value: T): T | null | undefined => {
    const dice = random()
    return dice < 0.05 ? undefined : dice < 0.1 ? null : value
  }
  const percent = () => vague(up(100))
  const amount = () => vague(random() < 0.5 ? 0 : up(100))
  const share = () => vague(random())
  const flag = () => vague(random() < 0.5)
  return Array.from({ length: count }, () => ({
    status: of('running', 'running', 'running', 'stopped', 'stopping'),
    managed: random() < 0.1,
    ageDays: up(400),
    env: of('prod', 'dev', 'staging', 'unknown'),
    cpuMax: of(percent(), vague(2)),
    cpuP95: percent(),
    cpuP99: percent(),
    cpuOn: percent(),
    cpuOff: of(percent(), vague(1)),
    memoryP95: percent(),
    memoryP99: percent(),
    networkIn: vague(up(1e8)),
    networkOut: vague(up(1e8)),
    gpuMax: percent(),
    gpuP99: percent(),
    surplus: amount(),
    surplusCost: amount(),
    statusDays: percent(),
    storageCost: amount(),
    hasSchedule: flag(),
    runningShare: share(),
    offShare: share(),
    overrunHours: amount(),
    hours: vague(up(720)),
    onDemand: share(),
    vcpus: vague(of(2, 8, 40, 96)),
    gpus: of(0, 0, 0, 4),
    isCurrent: flag(),
    successor: vague('m6i.large'),
    armType: vague('m7g.large'),
    armReady: flag(),
    balancers: amount(),
    lifecycle: vague(of('on-demand', 'spot')),
    architecture: vague(of('x86_64', 'arm64')),
    platform: vague(of('Linux/UNIX', 'Windows with SQL Server Standard', 'Windows with SQL Server Web')),
    credits: vague(of('standard', 'unlimited')),
    isDetailed: flag(),
    address: vague('203.0.113.7'),
    isOldMetadata: flag(),
  }))
}

/** The machine as a source of facts. */
export function factsOf(machine: Machine): (path: string) => Fact {
  const facts = new Map<string, Fact>(
    Object.entries(paths).map(([name, path]) => [path, machine[name as keyof Machine]]),
  )
  facts.set('policy.nonprod_envs', ['dev', 'staging'])
  return (path) => facts.get(path)
}
