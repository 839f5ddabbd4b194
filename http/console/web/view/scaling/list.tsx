/** All policies: what each is about, how many units there are, and what it says. */
import { percent } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Clip } from '../../part/clip.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { modes, statuses, type Policy } from './labels.ts'

const pageSize = 20
const filters = [
  { name: 'search', title: 'Search' },
  { name: 'status', title: 'Status', choices: Object.entries(statuses).map(([value, { text }]) => [value, text]) },
  { name: 'mode', title: 'Mode', choices: Object.entries(modes).map(([value, { title }]) => [value, title]) },
]

export function List() {
  const [search, status, mode] = [param('search'), param('status'), param('mode')]
  const report = useReport('GET /autoscaler-policies', {
    query: { search, status, mode, page: param('page') ?? 1, limit: pageSize },
    on: ['inventory.'],
  })
  return (
    <ListView
      title="Policies"
      noun="policies"
      report={report}
      columns={columns}
      filters={filters}
      pageSize={pageSize}
      tools={
        <Act needs="service.create" class="main" onClick={() => go('scaling', { new: 'policy' })}>
          New policy
        </Act>
      }
      empty={{
        title: 'No autoscaling policies yet.',
        children: (
          <p>
            A policy gives a fleet as many units as its load requires.{' '}
            <Next needs="service.create" what="Creating one">
              <a href={hrefOf('scaling', { new: 'policy' })}>Create one in monitor mode</a>: it changes nothing.
            </Next>
          </p>
        ),
      }}
    />
  )
}

export const Badge = ({ policy: { status, statusReason } }: { policy: Policy }) => (
  <span class={`badge ${statuses[status].look}`} title={statusReason ?? ''}>
    {statuses[status].text}
  </span>
)

const columns: Column<Policy>[] = [
  {
    title: 'Policy',
    text: ({ name }) => name,
    href: ({ id }) => hrefOf('scaling', { policy: id }),
    sub: ({ target }) => <Clip text={`${target.type} ${target.uid}`} title={target.uid} size="wide" />,
  },
  { title: 'Status', by: ({ status }) => status, show: (policy) => <Badge policy={policy} /> },
  {
    title: 'Mode',
    text: ({ effectiveMode }) => modes[effectiveMode].title,
    sub: ({ mode, effectiveMode }) => mode !== effectiveMode && `requested: ${mode}; credentials allow no more`,
  },
  {
    title: 'Current units',
    count: ({ currentTarget }) => currentTarget.desired,
    sub: ({ currentTarget: { cpuPercent } }) =>
      cpuPercent === null ? 'CPU not measured' : `CPU ${percent(cpuPercent)}`,
  },
  {
    key: 'Limits',
    title: 'Policy',
    isFigure: true,
    by: ({ max }) => max,
    show: ({ min, max }) => `${min} to ${max}`,
    sub: ({ targetCPUPercent }) => `at ${percent(targetCPUPercent)} CPU`,
  },
  {
    title: 'Recommendation',
    show: ({ latestRecommendation: said }) =>
      said ? `${said.fromMin}–${said.fromMax} → ${said.toMin}–${said.toMax}` : <span class="faint">none</span>,
    sub: ({ latestRecommendation: said }) => said && <Clip text={said.reason} size="wide" />,
  },
]
