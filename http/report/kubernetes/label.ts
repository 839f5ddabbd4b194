/** Which labels the workloads of clusters carry, for those who would group by one. */
import { kubernetesLabels } from '#analytics/kubernetes/questions.ts'
import { t } from '#engine/value/schema.ts'
import { askPage, toPage, pageOf, paging } from '#http/edge/parameter/paging.ts'
import { rangeOf } from '#http/edge/parameter/range.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
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
  report({
    path: '/reports/kubernetes/labels',
    summary: 'List label keys of Kubernetes workloads, by cost',
    description:
      'For group_by=label:KEY of /reports/kubernetes, whose items are then the values of the key, and for its filter label=KEY=VALUE. Labels that differ between pods of one workload are omitted.',
    query: t.Object({
      ...kubernetesNarrowing,
      namespace: workloadNarrowing.namespace,
      search: t.Optional(t.String({ maxLength: 256, description: 'part of the key, case-insensitive' })),
      ...paging(20, 500),
    }),
    reply: pageOf(Label),
    handle: async ({ caller, query }, services) => {
      const question = kubernetesQuestion(caller, query, rangeOf(query, services.now()), services)
      const asked = { ...question, namespaces: valuesAsked(query.namespace), search: query.search ?? '' }
      const { rows, total } = await askPage(query, (cut) => services.analytics(kubernetesLabels, { ...asked, ...cut }))
      const items = rows.map(({ key, values, cost_usd: costUSD }) => ({ key, values, costUSD }))
      return toPage({ items, total }, query)
    },
  }),
]
