/** One resource: what it is, what it cost and did on one axis of time, and what may be done with it. */
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may, session } from '../../session.ts'
import { resourceHref } from '../inventory/list.tsx'
import { Access } from './access.tsx'
import { Advice } from './advice.tsx'
import { Children } from './children.tsx'
import { Head } from './head.tsx'
import type { ResourceDetail } from './resource.ts'
import { Power } from './power.tsx'
import { Schedules } from './schedules.tsx'
import { Specs } from './specs.tsx'
import { Timeline } from './timeline.tsx'

type Resources = Reply<'POST /resources/by-uids'>

export function View() {
  const uid = param('uid')
  const account = param('cloud_account_id')
  const report = useReport('POST /resources/by-uids', {
    body: { uids: [uid ?? ''] },
    on: ['inventory.'],
    when: uid !== undefined,
  })
  const back = (
    <p class="faint">
      <a href={hrefOf('inventory')}>Inventory</a>
    </p>
  )
  if (uid === undefined)
    return (
      <>
        <div class="view-head">
          <h1>Resource</h1>
        </div>
        <Empty title="No resource selected.">
          <p>
            <a href={hrefOf('inventory')}>Choose one from the inventory</a>. You can search there by name or UID.
          </p>
        </Empty>
      </>
    )
  return (
    <>
      {back}
      <ReportContent report={report} rows={8}>
        {(all: Resources) => {
          const found = all.filter(({ cloudAccountID }) => account === undefined || cloudAccountID === account)
          if (found.length === 1) return <ResourcePanels key={found[0]!.id} resource={found[0]!} report={report} />
          return found.length === 0 ? <MissingResource uid={uid} account={account} /> : <Several found={found} />
        }}
      </ReportContent>
    </>
  )
}

function ResourcePanels({
  resource,
  report,
}: {
  resource: ResourceDetail
  report: Parameters<typeof Copies>[0]['report']
}) {
  const context = useReport('GET /resources/:resourceID/context', {
    params: { resourceID: resource.id },
    on: ['inventory.'],
    when: may('service.view') && resource.inReportScope !== false,
  })
  return (
    <>
      <div class="view-head">
        <h1 class="clip wide" dir="auto" title={resource.name || resource.uid}>
          {resource.name || resource.uid}
        </h1>
        <span class="tools">
          <Copies report={report} />
        </span>
      </div>
      <div class="columns">
        <Head resource={resource} context={context} />
        <Power resource={resource} context={context} />
      </div>
      <Timeline uid={resource.uid} account={resource.cloudAccountID} isHidden={resource.inReportScope === false} />
      <div class="halves">
        <div>
          {resource.inReportScope !== false && <Advice resource={resource} />}
          <Schedules resource={resource} />
        </div>
        <div>
          <Children resource={resource} />
          <Specs resource={resource} />
          <Access resource={resource} />
        </div>
      </div>
    </>
  )
}

/** Bills may name what the inventory has not, or not any more. */
const MissingResource = ({ uid, account }: { uid: string; account: string | undefined }) => (
  <>
    <div class="view-head">
      <h1 class="clip wide" dir="auto" title={uid}>
        {uid}
      </h1>
    </div>
    <Panel title="Not in the inventory">
      <Empty title="This resource is not in the inventory, or no longer is.">
        <p>
          Its costs and history are kept: see below, or{' '}
          <a href={hrefOf('costs', { 'filter[resource_uid]': uid, range: '90d' })}>its costs in Explorer</a>.{' '}
          <a href={hrefOf('inventory', { search: uid.split('/').at(-1) })}>Search the inventory</a>.
        </p>
      </Empty>
    </Panel>
    {!session.value!.me.reportScope.all && (
      <p class="note">
        Your role covers the costs of only some accounts and teams. If this resource belongs to none of them, nothing is
        shown below.
      </p>
    )}
    <Timeline uid={uid} account={account} />
  </>
)

const columns = [
  {
    key: 'account',
    title: 'Account',
    show: (row: ResourceDetail) => (
      <a href={resourceHref(row)}>
        <span class="clip wide" dir="auto">
          {row.cloudAccountName}
        </span>
      </a>
    ),
  },
  {
    key: 'name',
    title: 'Name',
    show: ({ name }: ResourceDetail) => (
      <span class="clip wide" dir="auto" title={name}>
        {name}
      </span>
    ),
  },
  { key: 'type', title: 'Type', show: ({ type }: ResourceDetail) => type },
]

const Several = ({ found }: { found: Resources }) => (
  <>
    <div class="view-head">
      <h1>Resource</h1>
    </div>
    <Panel title="Several accounts have a resource with this UID">
      <Table caption="Resources with this UID" columns={columns} rows={found} keyOf={({ id }: ResourceDetail) => id} />
    </Panel>
  </>
)
