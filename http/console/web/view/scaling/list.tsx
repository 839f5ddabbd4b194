/** All policies: what each is about, how many units there are, and what it says. */
import { count, percent } from '../../figure.ts'
import { change, go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { modes, statuses, type Policies, type Policy } from './labels.ts'

const pageSize = 20

export function List() {
  const [page, search, status, mode] = [Number(param('page') ?? 1), param('search'), param('status'), param('mode')]
  const report = useReport('GET /autoscaler-policies', {
    query: { search, status, mode, page, limit: pageSize },
    on: ['inventory.'],
  })
  const isNarrowed = [search, status, mode].some((one) => one !== undefined)
  const set = (name: string) => (event: Event) =>
    change({ [name]: (event.target as HTMLInputElement).value || null, page: null }, { replace: true })
  const option = (name: string, value: string, title: string) => (
    <option value={value} selected={param(name) === value}>
      {title}
    </option>
  )
  return (
    <Panel
      title="Policies"
      tools={
        <>
          <Act needs="service.create" class="main" onClick={() => go('scaling', { new: 'policy' })}>
            New policy
          </Act>
          <Copies report={report} />
        </>
      }
    >
      <p class="bar">
        <label>
          Search <input type="search" data-search value={search ?? ''} onChange={set('search')} />
        </label>
        <label>
          Status{' '}
          <select onChange={set('status')}>
            <option value="">all</option>
            {Object.entries(statuses).map(([value, { text }]) => option('status', value, text))}
          </select>
        </label>
        <label>
          Mode{' '}
          <select onChange={set('mode')}>
            <option value="">all</option>
            {Object.entries(modes).map(([value, { title }]) => option('mode', value, title))}
          </select>
        </label>
      </p>
      <ReportContent report={report} rows={5}>
        {(data: Policies) =>
          data.total === 0 ? (
            <Empty title={isNarrowed ? 'No policies match these filters.' : 'No autoscaling policies yet.'}>
              <p>
                {isNarrowed ? (
                  <a href={hrefOf('scaling')}>Show all policies</a>
                ) : (
                  <>
                    A policy gives a fleet as many units as its load requires.{' '}
                    <Next needs="service.create" what="Creating one">
                      <a href={hrefOf('scaling', { new: 'policy' })}>Create one in monitor mode</a>: it changes nothing.
                    </Next>
                  </>
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Policies" columns={columns} rows={data.items} keyOf={({ id }: Policy) => id} />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

export const Badge = ({ policy: { status, statusReason } }: { policy: Policy }) => (
  <span class={`badge ${statuses[status].look}`} title={statusReason ?? ''}>
    {statuses[status].text}
  </span>
)

const columns = [
  {
    key: 'name',
    title: 'Policy',
    show: ({ id, name, target }: Policy) => (
      <>
        <a class="clip wide" dir="auto" title={name} href={hrefOf('scaling', { policy: id })}>
          {name}
        </a>
        <span class="sub faint clip wide" title={target.uid}>
          {target.type} {target.uid}
        </span>
      </>
    ),
  },
  { key: 'status', title: 'Status', show: (policy: Policy) => <Badge policy={policy} /> },
  {
    key: 'mode',
    title: 'Mode',
    show: ({ mode, effectiveMode }: Policy) => (
      <>
        {modes[effectiveMode].title}
        {mode !== effectiveMode && <span class="sub faint">requested: {mode}; credentials allow no more</span>}
      </>
    ),
  },
  {
    key: 'units',
    title: 'Current units',
    isFigure: true,
    show: ({ currentTarget }: Policy) => (
      <>
        {count(currentTarget.desired)}
        <span class="sub faint">
          {currentTarget.cpuPercent === null ? 'CPU not measured' : `CPU ${percent(currentTarget.cpuPercent)}`}
        </span>
      </>
    ),
  },
  {
    key: 'bounds',
    title: 'Policy',
    isFigure: true,
    show: ({ min, max, targetCPUPercent }: Policy) => (
      <>
        {min} to {max}
        <span class="sub faint">at {percent(targetCPUPercent)} CPU</span>
      </>
    ),
  },
  {
    key: 'says',
    title: 'Recommendation',
    show: ({ latestRecommendation: said }: Policy) =>
      said ? (
        <>
          {said.fromMin}–{said.fromMax} → {said.toMin}–{said.toMax}
          <span class="sub faint clip wide" title={said.reason}>
            {said.reason}
          </span>
        </>
      ) : (
        <span class="faint">none</span>
      ),
  },
]
