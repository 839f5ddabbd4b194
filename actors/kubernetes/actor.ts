import { kubernetesNodeTable, kubernetesObjectTable, kubernetesPodTable } from '#analytics/kubernetes/tables.ts'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { defineActor } from '#engine/actor/actor.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { kubernetesDue, kubernetesUsage, type KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { metricDerived } from '#streams/metric/messages.ts'
import { KubernetesCluster } from './entity.ts'
import { workloadSamples } from './sample.ts'
import { intervalOf, noNodes, nodeRow, objectRows, podRow } from './usage.ts'

/**
 * A message that covers a whole hour has its costs divided at once. Shorter intervals wait for more, so that a day is
 * not divided again for each of them.
 */
const bitSeconds = 1800
const waitMs = 15 * 60_000

const ofCluster = ({ clusterUid }: { clusterUid: string }): string => clusterUid

/** The usage of one cluster, as it is reported. */
export const kubernetesActor = defineActor({
  kind: 'kubernetes',
  entity: KubernetesCluster,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'uid' },
  initial: () => ({ name: '', firstAt: null, lastAt: null, dueDays: [] as string[] }),
  reactions: (on) => [
    on(kubernetesUsage, ofCluster, take),
    on(kubernetesDue, ofCluster, (cluster, _, turn) => {
      for (const day of cluster.dueDays) turn.mark(costDays, costDayKey({ cloudAccountId: turn.address.place, day }))
      cluster.dueDays = []
    }),
  ],
})

function take(cluster: KubernetesCluster, usage: KubernetesUsage, turn: Turn): void {
  const { orgId, place } = turn.address
  const { time } = turn.message
  const of = intervalOf(usage, orgId, place, turn.now)
  for (const node of usage.nodes ?? []) turn.append(kubernetesNodeTable, nodeRow(of, usage, node), time)
  if (usage.nodes?.length === 0) turn.append(kubernetesNodeTable, noNodes(of), time)
  for (const pod of usage.pods ?? []) turn.append(kubernetesPodTable, podRow(of, pod), time)
  for (const row of objectRows(of, usage)) turn.append(kubernetesObjectTable, row, time)
  note(cluster, usage, of.from)
  if (usage.seconds < bitSeconds) return later(cluster, of.day, turn)
  turn.mark(costDays, costDayKey({ cloudAccountId: place, day: of.day }))
  // For shorter intervals, the clouds that report them report the same samples hourly.
  for (const samples of workloadSamples(usage))
    turn.emit(metricDerived, { cloudAccountId: place, ...samples }, new Date(of.from))
}

function note(cluster: KubernetesCluster, { clusterName, seconds }: KubernetesUsage, from: string): void {
  const begin = new Date(from)
  const end = new Date(begin.getTime() + seconds * 1000)
  if (!cluster.firstAt || begin < cluster.firstAt) cluster.firstAt = begin
  if (!cluster.lastAt || end > cluster.lastAt) {
    cluster.lastAt = end
    if (clusterName !== undefined) cluster.name = clusterName
  }
}

function later(cluster: KubernetesCluster, day: string, turn: Turn): void {
  if (cluster.dueDays.length === 0)
    turn.remind('due', new Date(turn.now.getTime() + waitMs), kubernetesDue, { clusterUid: cluster.uid })
  if (!cluster.dueDays.includes(day)) cluster.dueDays = [...cluster.dueDays, day].toSorted()
}
