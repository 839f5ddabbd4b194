/** Hours of which nobody told who used a cluster. */
import { clustersOf } from '#actors/kubernetes/queries.ts'
import { kubernetesHours } from '#analytics/kubernetes/questions.ts'
import { hourMs } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Range } from '#http/edge/parameter/range.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'

export const Gap = t.Object(
  {
    clusterUID: t.String(),
    clusterName: t.String({ description: 'empty: not known' }),
    cloudAccountID: t.String(),
    hoursMissing: t.Integer({
      description: 'full hours of the range, since its first report, without usage data',
    }),
    lastToldAt: t.String({ format: 'date-time', description: 'time of the last usage data' }),
  },
  {
    title: 'KubernetesGap',
    examples: [
      {
        clusterUID: 'arn:aws:eks:us-east-1:123456789012:cluster/shop',
        clusterName: 'shop',
        cloudAccountID: 'acct-1',
        hoursMissing: 3,
        lastToldAt: '2026-01-31T21:00:00Z',
      },
    ],
  },
)

interface GapQuestion {
  from: string
  to: string
  accounts: string[]
  clusters: string[]
  scoped: number
  scope_accounts: string[]
}

/** Of clusters that anything was ever told of, those of which hours of the range are missing. */
export async function gapsOf(asked: GapQuestion, days: Range, { orgId }: Caller, services: Services) {
  const { from, to, accounts, clusters, scoped, scope_accounts } = asked
  const question = { from, to, accounts, clusters, scoped, scope_accounts }
  const [known, rows] = await Promise.all([
    clustersOf(services.em, orgId),
    services.analytics(kubernetesHours, question),
  ])
  const told = Map.groupBy(rows, (row) => `${row.cloud_account_id} ${row.cluster_uid}`)
  const isMeant = (all: readonly string[], one: string) => all.length === 0 || all.includes(one)
  const isSeen = (account: string) => scoped === 0 || scope_accounts.includes(account)
  const end = Math.min(new Date(`${days.toDay}T00:00:00Z`).getTime() + 24 * hourMs, wholeHour(services.now().getTime()))
  const begin = new Date(`${days.fromDay}T00:00:00Z`).getTime()
  const gaps: Static<typeof Gap>[] = []
  for (const { cloudAccountId, uid, name, firstAt, lastAt } of known) {
    if (!firstAt || !lastAt || !isSeen(cloudAccountId)) continue
    if (!isMeant(accounts, cloudAccountId) || !isMeant(clusters, uid)) continue
    const since = Math.max(begin, wholeHour(firstAt.getTime()))
    const hours = (told.get(`${cloudAccountId} ${uid}`) ?? []).reduce((sum, row) => sum + row.hours, 0)
    const hoursMissing = Math.max(0, Math.round((end - since) / hourMs) - hours)
    if (hoursMissing > 0)
      gaps.push({
        clusterUID: uid,
        clusterName: name,
        cloudAccountID: cloudAccountId,
        hoursMissing,
        lastToldAt: lastAt.toISOString(),
      })
  }
  return gaps.toSorted((a, b) => b.hoursMissing - a.hoursMissing)
}

const wholeHour = (at: number): number => Math.floor(at / hourMs) * hourMs
