/** Receipts of clusters: of which rows of bills a cost is made, and what share of each it has. */
import { kubernetesReceipt, partKinds } from '#analytics/kubernetes/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { askPage, list, toPage, pageOf, paging } from '#http/edge/parameter/paging.ts'
import { rangeOf } from '#http/edge/parameter/range.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import { kubernetesNarrowing, kubernetesQuestion } from './kubernetes.ts'
import { divideRounded, plainOf, units } from '#streams/figure.ts'
import { costProviderOf } from '#streams/names.ts'

const { cluster: _, ...narrowing } = kubernetesNarrowing
const one = (description: string) => t.Optional(t.String({ minLength: 1, maxLength: 1024, description }))

const Query = t.Object({
  ...narrowing,
  cluster: t.String({ minLength: 1, maxLength: 1024, description: 'cluster UID' }),
  namespace: one('only usage in this namespace'),
  controller: one('kind/name, as deployment/api'),
  pod: one('pod name'),
  kind: t.Optional(list(t.Enum(partKinds))),
  ...paging(100, 1000),
})

const amount = (description: string) => t.String({ description: `${description}, US dollars, exact decimal string` })

const Line = t.Object(
  {
    date: t.String(),
    cloudAccountId: t.String(),
    resourceUid: t.String({ description: 'the billed resource: a machine, a disk, a load balancer, the cluster' }),
    provider: t.String(),
    serviceName: t.String({ description: 'empty: from price tables' }),
    region: t.String(),
    purchaseType: t.String(),
    chargeCategory: t.String(),
    kind: t.Enum(partKinds),
    component: t.String(),
    node: t.String(),
    namespace: t.String(),
    controllerKind: t.String(),
    controllerName: t.String(),
    pod: t.String(),
    isEstimated: t.Boolean({ description: 'from price tables, because there is no bill yet' }),
    costUSD: amount('this share'),
    lineCostUSD: amount('the full cost of the day, as in the lines of /reports/receipt'),
    share: t.Number({ description: 'this share as a fraction, 0 to 1, for display: the cost is exact' }),
  },
  {
    title: 'KubernetesReceiptLine',
    examples: [
      {
        date: '2026-01-15',
        cloudAccountId: 'acct-1',
        resourceUid: 'i-0a1b2c3d4e5f60718',
        provider: 'aws',
        serviceName: 'Amazon Elastic Compute Cloud',
        region: 'us-east-1',
        purchaseType: 'on_demand',
        chargeCategory: 'Usage',
        kind: 'workload',
        component: 'cpu',
        node: 'ip-10-0-1-17.ec2.internal',
        namespace: 'shop',
        controllerKind: 'Deployment',
        controllerName: 'web',
        pod: 'web-7d9c6b5f4-x2k8p',
        isEstimated: false,
        costUSD: '0.768',
        lineCostUSD: '2.304',
        share: 0.333333,
      },
    ],
  },
)

type Row = Static<(typeof kubernetesReceipt)['row']>

export const kubernetesReceipts: readonly Route[] = [
  report({
    path: '/reports/kubernetes/receipt',
    summary: 'Get the receipt of a Kubernetes cost: the bill costs it consists of, by day, with its share of each',
    description:
      'The parts add up exactly to the figure of /reports/kubernetes if idle costs are not shared; sorted by day, highest cost first.',
    query: Query,
    reply: t.Object({
      ...pageOf(Line).properties,
      totalUSD: { ...amount('total over all pages'), examples: ['0.768'] },
    }),
    handle: async ({ caller, query }, services) => {
      const { cluster, namespace = '', controller = '', pod = '', kind = [] } = query
      const days = rangeOf(query, services.now())
      const { clusters: _clusters, ...question } = kubernetesQuestion(caller, { ...query, cluster: [] }, days, services)
      const asked = { ...question, cluster, namespace, controller, pod, kinds: kind }
      const { rows, first, total } = await askPage(query, (cut) =>
        services.analytics(kubernetesReceipt, { ...asked, ...cut }),
      )
      return { ...toPage({ items: rows.map(show), total }, query), totalUSD: first?.total_usd ?? '0' }
    },
  }),
]

/** To the ninth place: as exact as what it is cut by. */
function shareOf(part: string, whole: string): number {
  const [of, all] = [units(part), units(whole)]
  if (all === 0n) return 0
  const sign = all < 0n ? -1n : 1n
  return Number(plainOf(divideRounded(of * sign * 1_000_000_000n, all * sign) * 100_000n))
}

const show = (row: Row): Static<typeof Line> => ({
  date: row.day,
  cloudAccountId: row.cloud_account_id,
  resourceUid: row.resource_uid,
  provider: costProviderOf(row.provider),
  serviceName: row.service_name,
  region: row.region,
  purchaseType: row.purchase_type,
  chargeCategory: row.charge_category,
  kind: row.kind,
  component: row.component,
  node: row.node,
  namespace: row.namespace,
  controllerKind: row.controller_kind,
  controllerName: row.controller,
  pod: row.pod,
  isEstimated: row.estimated === 1,
  costUSD: row.cost_usd,
  lineCostUSD: row.line_usd,
  share: shareOf(row.cost_usd, row.line_usd),
})
