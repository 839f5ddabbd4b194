/** Which labels the workloads of clusters carry, for those who would group by one. */
import { kubernetesLabels } from '#analytics/kubernetes/questions.ts'
import { t } from '#engine/value/schema.ts'
import { anyRow, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { rangeOf } from '#http/edge/parameter/range.ts'
import { route, type Route } from '#http/edge/route.ts'
import { valuesAsked } from '#http/report/filter/filter.ts'
import { kubernetesNarrowing, kubernetesQuestion, workloadNarrowing } from './kubernetes.ts'

const Label = t.Object(
  {
    key: t.String(),
    values: t.Integer({ description: 'number of distinct values' }),
    costUSD: t.String({ description: 'of the workloads with this label, US dollars, exact decimal string' }),
  },
  { title: 'KubernetesLabel', examples: [{ key: 'app.kubernetes.io/name', values: 12, costUSD: '186.40' }] },
)

export const kubernetesLabelReports: readonly Route[] = [
  route({
    method: 'GET',
    path: '/reports/kubernetes/labels',
    summary: 'List label keys of Kubernetes workloads, by cost',
    description:
      'For group_by=label:KEY of /reports/kubernetes, whose items are then the values of the key, and for its filter label=KEY=VALUE. Labels that differ between pods of one workload are omitted.',
    permission: 'service.view',
    tags: ['Reports'],
    query: t.Object({
      ...kubernetesNarrowing,
      namespace: workloadNarrowing.namespace,
      search: t.Optional(t.String({ maxLength: 256, description: 'part of the key, case-insensitive' })),
      ...paging(20, 500),
    }),
    reply: pageOf(Label),
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, query }, services) => {
      const question = kubernetesQuestion(caller, query, rangeOf(query, services.now()), services)
      const asked = { ...question, namespaces: valuesAsked(query.namespace), search: query.search ?? '' }
      const ask = (page: ReturnType<typeof slice>) => services.analytics(kubernetesLabels, { ...asked, ...page })
      const rows = await ask(slice(query))
      const all = await anyRow(rows, query, ask)
      const items = rows.map(({ key, values, cost_usd: costUSD }) => ({ key, values, costUSD }))
      return toPage({ items, total: all?.total ?? 0 }, query)
    },
  }),
]
