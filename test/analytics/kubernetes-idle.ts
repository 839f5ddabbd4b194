/** What of idle costs every workload gets, as docs/kubernetes.md says it: whole numbers of 1e-14 US dollars. */
import type { Part } from './kubernetes-rows.ts'

const components = ['cpu', 'memory', 'gpu']
const costs = [0, 1, 2, 3]
const placeOf = ({ namespace, controller_kind, controller, pod, node }: Part): string =>
  [namespace, controller_kind, controller, pod, node].join('|')

/** By `day|cluster|namespace|controller kind|controller|pod|node|kind|estimated` twelve amounts: each component's four costs. Rows of nothing are none. */
export function handedOut(parts: readonly Part[]): Map<string, bigint[]> {
  const rows = new Map<string, bigint[]>()
  const add = (row: string, at: number, amount: bigint): void => {
    const amounts = rows.get(row) ?? Array.from({ length: 12 }, () => 0n)
    amounts[at]! += amount
    rows.set(row, amounts)
  }
  const clusters = Map.groupBy(parts, ({ day, cluster_uid }) => `${day}|${cluster_uid}`)
  for (const [cluster, own] of clusters)
    for (const [n, component] of components.entries())
      for (const cost of costs) {
        const of = own.filter((part) => part.component === component)
        const takers = weights(of, cost)
        const all = [...takers.values()].reduce((sum, one) => sum + one, 0n)
        if (all === 0n) continue
        for (const estimated of [0, 1]) {
          const idle = of.filter((part) => part.kind === 'idle' && part.estimated === estimated)
          for (const part of idle)
            add(`${cluster}|${placeOf(part)}|idle|${estimated}`, 4 * n + cost, -part.costs[cost]!)
          const total = idle.reduce((sum, part) => sum + part.costs[cost]!, 0n)
          for (const [taker, amount] of shared(total, takers, all))
            add(`${cluster}|${taker}|workload|${estimated}`, 4 * n + cost, amount)
        }
      }
  for (const [row, amounts] of rows) if (amounts.every((one) => one === 0n)) rows.delete(row)
  return rows
}

/** In order of names. What cost less than nothing gets nothing. */
function weights(of: readonly Part[], cost: number): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const part of of)
    if (part.kind === 'workload') sums.set(placeOf(part), (sums.get(placeOf(part)) ?? 0n) + part.costs[cost]!)
  const named = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return new Map(named.map(([taker, amount]) => [taker, amount > 0n ? amount : 0n]))
}

function shared(total: bigint, takers: ReadonlyMap<string, bigint>, all: bigint): Map<string, bigint> {
  const amounts = new Map([...takers].map(([taker, weight]) => [taker, (total * weight) / all]))
  const left = total - [...amounts.values()].reduce((sum, one) => sum + one, 0n)
  const largest = [...takers.keys()].reduce((best, one) => (takers.get(one)! > takers.get(best)! ? one : best))
  return amounts.set(largest, amounts.get(largest)! + left)
}
