/**
 * What the costs of clusters are divided into, worked out from rows of nodes, pods, objects and bills by the rules of docs/kubernetes.md
 * alone: whole numbers throughout, costs in counts of 1e-14 US dollars.
 */
import type { Account, Line, NodeRow, ObjectRow, Part, PodRow, Who } from '#test/analytics/kubernetes-rows.ts'

interface Entry extends Who {
  labels: Record<string, string>
  /** Milliardths of the hour. */
  units: bigint
}

interface Pot {
  of: Omit<Part, keyof Who | 'labels' | 'costs' | 'quantities' | 'hasEstimates'>
  /** In counts of 1e-23 US dollars. */
  parts: Map<string, Entry & { costs: bigint[]; hasEstimates: boolean }>
}

const milliard = 1_000_000_000n
const cluster: Omit<Entry, 'kind' | 'component' | 'units'> = {
  node: '',
  namespace: '',
  controller_kind: '',
  controller: '',
  pod: '',
  labels: {},
}
const whole = (kind: string, component: string, node = ''): Entry => ({
  ...cluster,
  node,
  kind,
  component,
  units: milliard,
})
const sum = (values: Iterable<bigint>): bigint => [...values].reduce((all, one) => all + one, 0n)
const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
const hourOf = ({ from }: { from: string }): number => Number(from.slice(11, 13))
const times = (of: { seconds: number }, amount: number | null): bigint => BigInt(of.seconds) * BigInt(amount ?? 0)
/** What was told last counts, where it may have changed. */
const lastOf = <T extends { from: string }>(rows: readonly T[]): T | undefined =>
  rows.toSorted((one, other) => (one.from < other.from ? -1 : 1)).at(-1)
const idOf = (...names: (string | number)[]): string => JSON.stringify(names)
/** By the bytes of their names, as ClickHouse sorts. */
const inOrder =
  <T>(...names: (keyof T)[]) =>
  (one: T, other: T): number => {
    for (const name of names) {
      const order = Buffer.compare(Buffer.from(String(one[name])), Buffer.from(String(other[name])))
      if (order !== 0) return order
    }
    return 0
  }
const byName = inOrder<Entry>('namespace', 'controller_kind', 'controller', 'pod')
const byAll = inOrder<Entry>('node', 'namespace', 'controller_kind', 'controller', 'pod', 'kind', 'component')

/** Counts of 1e-14. */
export function fixed(text: string): bigint {
  const [whole = '0', rest = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole) * 10n ** 14n + BigInt(rest.padEnd(14, '0').slice(0, 14))
  return text.startsWith('-') ? -value : value
}

/** All parts of one account, in no order. */
export function partsOf(account: Account): Part[] {
  const days = new Set([...account.nodes, ...account.objects].map(({ day }) => day))
  return [...days].flatMap((day) => {
    const of = <T extends { day: string }>(rows: readonly T[]) => rows.filter((row) => row.day === day)
    return new Day(day, of(account.nodes), of(account.pods), of(account.objects)).parts(
      of(account.lines),
      account.until,
    )
  })
}

/** The resources that are of clusters on some day, as `day resource`. */
export const ownedBy = ({ nodes, objects }: Account): Set<string> =>
  new Set(
    [...nodes, ...objects].flatMap(({ day, resource_uid, cluster_uid }) => [
      `${day} ${resource_uid}`,
      `${day} ${cluster_uid}`,
    ]),
  )

class Day {
  private readonly day: string
  private readonly nodes: Map<string, NodeRow[]>
  private readonly pods: readonly PodRow[]
  private readonly objects: Map<string, ObjectRow[]>
  private readonly told: Map<string, Set<number>>
  private readonly pots = new Map<string, Pot>()

  constructor(day: string, nodes: readonly NodeRow[], pods: readonly PodRow[], objects: readonly ObjectRow[]) {
    this.day = day
    // A node that has no machine is one of its own.
    this.nodes = Map.groupBy(nodes, (row) => row.resource_uid || idOf(row.cluster_uid, row.node))
    this.pods = pods
    this.objects = Map.groupBy(objects, ({ resource_uid }) => resource_uid)
    const hours = Map.groupBy([...nodes, ...objects], ({ cluster_uid }) => cluster_uid)
    this.told = new Map([...hours].map(([uid, rows]) => [uid, new Set(rows.map(hourOf))]))
  }

  parts(lines: readonly Line[], until: string): Part[] {
    const actual = new Set(lines.filter((line) => !line.isEstimate).map((line) => line.resource_uid))
    const counted = lines.filter((line) => !line.isEstimate || !actual.has(line.resource_uid))
    for (const line of alike(counted)) this.spread(line, until)
    const billed = new Set(counted.map((line) => line.resource_uid))
    for (const [machine, rows] of this.nodes) if (!billed.has(machine)) this.estimate(machine, rows)
    return [...this.pots.values()].flatMap(cut).concat(this.usage())
  }

  private clusterOf(uid: string): string | undefined {
    if (this.told.has(uid)) return uid
    return (this.nodes.get(uid) ?? this.objects.get(uid))?.[0]?.cluster_uid
  }

  /** Seconds it was up in an hour; undefined where nobody told that it was there. */
  private upIn(uid: string, hour: number): number | undefined {
    const rows: readonly { seconds: number; from: string; name?: string }[] =
      this.nodes.get(uid) ?? this.objects.get(uid) ?? []
    const found = rows.filter((row) => hourOf(row) === hour)
    if (found.length === 0) return undefined
    const each = Map.groupBy(found, (row) => row.name ?? '')
    return Math.max(...[...each.values()].map((some) => some.reduce((all, { seconds }) => all + seconds, 0)))
  }

  private spread(line: Line, until: string): void {
    const uid = line.resource_uid
    const of = this.clusterOf(uid)
    if (of === undefined) return
    const pot = this.pot({ ...line, cluster_uid: of, day: this.day, estimated: 0 }, uid)
    if (this.told.has(uid)) return this.add(pot, [whole('overhead', 'control_plane')], line.costs, line.isEstimate)
    const hours = range(...line.hours).filter((hour) => `${this.day} ${String(hour).padStart(2, '0')}:00:00` < until)
    const silent = (hour: number) => (this.told.get(of)!.has(hour) ? 0 : 3600)
    const seconds = hours.map((hour) => BigInt(this.upIn(uid, hour) ?? silent(hour)))
    const isNowhere = sum(seconds) === 0n
    const shares = isNowhere ? [line.costs] : evenly(line.costs, seconds)
    shares.forEach((costs, at) => {
      const entries =
        isNowhere || this.upIn(uid, hours[at]!) === undefined
          ? [this.unmeasured(uid)]
          : this.entries(uid, hours[at]!, line.isTraffic)
      this.add(pot, entries, costs, line.isEstimate)
    })
  }

  private unmeasured(uid: string): Entry {
    const kind = this.nodes.has(uid) ? 'machine' : this.objects.get(uid)![0]!.kind
    return whole('unmeasured', { machine: 'compute', claim: 'storage', service: 'load_balancer' }[kind]!)
  }

  private entries(uid: string, hour: number, isTraffic: boolean): Entry[] {
    if (!this.nodes.has(uid)) return this.holders(uid, hour)
    return isTraffic ? this.traffic(uid, hour) : this.machineHour(uid, hour).flatMap(({ entries }) => entries)
  }

  private podsOf({ cluster_uid, node }: NodeRow, hour: number): Map<string, PodRow[]> {
    const there = this.pods.filter(
      (pod) => pod.cluster_uid === cluster_uid && pod.node === node && hourOf(pod) === hour,
    )
    return Map.groupBy(there, ({ namespace, pod }) => idOf(namespace, pod))
  }

  /** Shares of a machine's hour, by component, and how much of each every pod had. */
  private machineHour(uid: string, hour: number) {
    const rows = this.nodes.get(uid)!.filter((row) => hourOf(row) === hour)
    const last = lastOf(rows)
    if (!last) return []
    const ppm = { cpu: BigInt(last.cpu_ppm), gpu: BigInt(last.gpu_ppm) }
    const parts = { ...ppm, memory: 1_000_000n - ppm.cpu - ppm.gpu }
    return (['cpu', 'memory', 'gpu'] as const).map((component) => {
      const there = sum(
        rows.map((row) =>
          times(row, row[({ cpu: 'cpu_millicores', memory: 'memory_kib', gpu: 'gpu_millis' } as const)[component]]),
        ),
      )
      const wanted = [...this.podsOf(last, hour).values()].map((pod) => ({ pod, ...wants(pod, component) }))
      const all = max(there, sum(wanted.map(({ allocated }) => allocated)))
      const scale = parts[component] * 1000n
      const entries = wanted.map(({ pod, allocated }) => ({
        ...podEntry(pod, last.node),
        component,
        units: all === 0n ? 0n : (scale * allocated) / all,
      }))
      const idle: Entry = {
        ...whole('idle', component, last.node),
        units: scale - sum(entries.map(({ units }) => units)),
      }
      return { component, wanted, entries: [...entries, idle] }
    })
  }

  private traffic(uid: string, hour: number): Entry[] {
    const row = lastOf(this.nodes.get(uid)!.filter((one) => hourOf(one) === hour))!
    const metered = [...this.podsOf(row, hour).values()]
      .map((pod) => ({
        ...podEntry(pod, row.node),
        component: 'network',
        units: sum(pod.map((one) => BigInt(one.network_bytes ?? 0))),
      }))
      .filter(({ units }) => units > 0n)
      .toSorted(byName)
    if (metered.length === 0) return [whole('overhead', 'network', row.node)]
    const all = sum(metered.map(({ units }) => units))
    return withRest(metered.map((entry) => ({ ...entry, units: (milliard * entry.units) / all })))
  }

  private holders(uid: string, hour: number): Entry[] {
    const there = this.objects.get(uid)!.filter((row) => hourOf(row) === hour)
    const takers = [...Map.groupBy(there, ({ namespace, name }) => idOf(namespace, name)).values()].flatMap((rows) =>
      this.takers(rows),
    )
    const even = milliard / BigInt(takers.length)
    return withRest(takers.toSorted(byName).map((entry) => ({ ...entry, units: even })))
  }

  private takers(rows: readonly ObjectRow[]): Entry[] {
    const { kind, namespace, name, cluster_uid } = rows[0]!
    const component = kind === 'claim' ? 'storage' : 'load_balancer'
    const of: Entry = { ...whole('workload', component), namespace }
    const pods = [...new Set(rows.flatMap((row) => row.pods))]
    if (kind === 'service') return [{ ...of, controller_kind: 'service', controller: name }]
    if (pods.length === 0) return [{ ...of, controller_kind: 'persistentvolumeclaim', controller: name }]
    return pods.map((pod) => {
      const known = this.pods.filter(
        (one) => one.cluster_uid === cluster_uid && one.namespace === namespace && one.pod === pod,
      )
      return { ...of, ...(known.length > 0 ? podEntry(known, '') : { pod }), component }
    })
  }

  private estimate(machine: string, rows: readonly NodeRow[]): void {
    for (const [hour, some] of Map.groupBy(rows, hourOf)) {
      const { provider, region, cluster_uid, resource_uid, price } = lastOf(some)!
      if (fixed(price) === 0n) continue
      const bill = { service_name: '', resource_type: '', purchase_type: 'on_demand', charge_category: 'Usage' }
      const pot = this.pot(
        { ...bill, provider, region, resource_uid, cluster_uid, day: this.day, estimated: 1 },
        machine,
      )
      const cost = (fixed(price) * BigInt(this.upIn(machine, hour)!)) / 3600n
      this.add(pot, this.entries(machine, hour, false), [cost, cost, cost, cost], false)
    }
  }

  private pot(of: Pot['of'], machine: string): Pot {
    const {
      day,
      cluster_uid,
      provider,
      region,
      service_name,
      resource_type,
      purchase_type,
      charge_category,
      resource_uid,
      estimated,
    } = of
    const own = {
      day,
      cluster_uid,
      provider,
      region,
      service_name,
      resource_type,
      purchase_type,
      charge_category,
      resource_uid,
      estimated,
    }
    const key = idOf(...Object.values(own), machine)
    const pot = this.pots.get(key) ?? { of: own, parts: new Map() }
    this.pots.set(key, pot)
    return pot
  }

  private add(pot: Pot, entries: readonly Entry[], costs: readonly bigint[], isEstimate: boolean): void {
    for (const entry of entries) {
      const key = idOf(
        entry.node,
        entry.namespace,
        entry.controller_kind,
        entry.controller,
        entry.pod,
        entry.kind,
        entry.component,
      )
      const part = pot.parts.get(key) ?? { ...entry, costs: [0n, 0n, 0n, 0n], hasEstimates: false }
      part.costs = part.costs.map((cost, n) => cost + costs[n]! * entry.units)
      part.hasEstimates ||= isEstimate
      pot.parts.set(key, part)
    }
  }

  /** Quantities of pods, by machine. */
  private usage(): Part[] {
    const bill = {
      provider: '',
      region: '',
      service_name: '',
      resource_type: '',
      purchase_type: '',
      charge_category: '',
    }
    const own = { ...bill, estimated: 0, hasEstimates: false, day: this.day, costs: [0n, 0n, 0n, 0n] }
    return [...this.nodes].flatMap(([machine, rows]) => {
      const { cluster_uid, resource_uid } = rows[0]!
      const hours = [...new Set(rows.map(hourOf))].flatMap((hour) => this.machineHour(machine, hour))
      const found = hours.flatMap(({ component, wanted, entries }) =>
        wanted.map(({ requested, used, allocated }, n) => ({
          entry: entries[n]!,
          all: [requested, used, allocated],
          unit: component === 'memory' ? 3600n * 1_048_576n : 3_600_000n,
        })),
      )
      const each = Map.groupBy(found, ({ entry: { node, namespace, controller_kind, controller, pod, component } }) =>
        idOf(node, namespace, controller_kind, controller, pod, component),
      )
      return [...each.values()].map((some) => {
        const { units: _units, ...who } = some[0]!.entry
        const quantities = [0, 1, 2].map((n) => Number(sum(some.map(({ all }) => all[n]!))) / Number(some[0]!.unit))
        return { ...own, ...who, kind: 'usage', cluster_uid, resource_uid, quantities }
      })
    })
  }
}

function wants(pod: readonly PodRow[], component: 'cpu' | 'memory' | 'gpu') {
  const of = (name: 'cpu_request' | 'cpu_used' | 'memory_request' | 'memory_used' | 'gpu_request') =>
    sum(pod.map((row) => times(row, row[name])))
  const requested = of(`${component}_request`)
  const used = component === 'gpu' ? 0n : of(`${component}_used`)
  return { requested, used, allocated: max(requested, used) }
}

/** The controller and the labels that were told of it first. */
function podEntry(rows: readonly PodRow[], node: string): Entry {
  const { namespace, pod, controller_kind, controller, labels } = rows.toSorted(inOrder<PodRow>('from'))[0]!
  return { node, namespace, controller_kind, controller, pod, labels, kind: 'workload', component: '', units: 0n }
}

const range = (from: number, until: number): number[] => Array.from({ length: until - from }, (_, n) => from + n)

/** The first takes what is missing to a whole hour. */
function withRest(entries: Entry[]): Entry[] {
  const rest = milliard - sum(entries.map(({ units }) => units))
  return entries.map((entry, n) => (n === 0 ? { ...entry, units: entry.units + rest } : entry))
}

/** Lines that differ in nothing but costs are one. */
function alike(lines: readonly Line[]): Line[] {
  const groups = Map.groupBy(lines, ({ costs: _costs, isEstimate: _source, ...rest }) => JSON.stringify(rest))
  return [...groups.values()].map((some) => ({
    ...some[0]!,
    isEstimate: some.some((line) => line.isEstimate),
    costs: [0, 1, 2, 3].map((n) => sum(some.map(({ costs }) => costs[n]!))),
  }))
}

/** Costs by seconds, cut; the longest hour, of equal ones the first, has the rest. */
function evenly(costs: readonly bigint[], seconds: readonly bigint[]): bigint[][] {
  const all = sum(seconds)
  const longest = seconds.reduce((best, one, at) => (one > seconds[best]! ? at : best), 0)
  const parts = seconds.map((one) => costs.map((cost) => (cost * one) / all))
  parts[longest] = parts[longest]!.map((part, n) => part + costs[n]! - sum(parts.map((hour) => hour[n]!)))
  return parts
}

/** Parts of a pot at the 14th place; for each cost the largest takes the rest. */
function cut({ of, parts }: Pot): Part[] {
  const sorted = [...parts.values()].toSorted(byAll)
  const abs = (value: bigint) => (value < 0n ? -value : value)
  const rests = [0, 1, 2, 3].map((n) => {
    const all = sorted.map(({ costs }) => costs[n]!)
    const at = all.reduce((best, one, place) => (abs(one) > abs(all[best]!) ? place : best), 0)
    return { at, rest: sum(all) / milliard - sum(all.map((one) => one / milliard)) }
  })
  return sorted.map(({ units: _units, costs, ...who }, place) => ({
    ...of,
    ...who,
    costs: costs.map((cost, n) => cost / milliard + (rests[n]!.at === place ? rests[n]!.rest : 0n)),
    quantities: [0, 0, 0],
  }))
}
