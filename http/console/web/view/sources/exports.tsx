/** Exports of bills: what reports show of each billing period, what was before it, and the removal of a wrong one. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { ago, monthText, timeText } from '../../day.ts'
import { count, exact } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { change, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'

type Exports = Reply<'GET /billing/exports'>
type Export = Exports['items'][number]

const pageSize = 20

const states: Readonly<Record<Export['state'], { text: string; look: string }>> = {
  shown: { text: 'Shown in reports', look: 'good' },
  begun: { text: 'Arriving', look: '' },
  waiting: { text: 'Waiting for lines', look: '' },
  held: { text: 'On hold', look: 'warning' },
  incomplete: { text: 'Incomplete', look: 'failed' },
  previous: { text: 'Replaced', look: '' },
  removed: { text: 'Removed', look: 'failed' },
}

export function Exports() {
  const page = Number(param('exports') ?? 1)
  const query = { page, limit: pageSize }
  const report = useReport('GET /billing/exports', { query, on: ['bill.', 'costs.changed'] })
  return (
    <Panel title="Bills by billing period" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={4}>
        {(data: Exports) =>
          data.total === 0 ? (
            <p class="faint">No bills yet. Lines sent individually do not belong to a bill.</p>
          ) : (
            <>
              <Table caption="Bills" columns={columns(report.again)} rows={data.items} keyOf={keyOf} />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ exports: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

const keyOf = ({ cloudAccountID, period, id }: Export): string => `${cloudAccountID} ${period} ${id}`

const columns = (again: () => void) => [
  {
    key: 'period',
    title: 'Billing period',
    show: ({ period, cloudAccountID }: Export) => (
      <>
        {monthText(period)}
        <span class="sub faint clip wide" dir="auto" title={cloudAccountID}>
          {cloudAccountID}
        </span>
      </>
    ),
  },
  {
    key: 'export',
    title: 'Exported',
    show: ({ id, exportedAt }: Export) => (
      <>
        <span class="nowrap" title={timeText(exportedAt)}>
          {ago(exportedAt)}
        </span>
        <span class="sub faint clip wide" title={id}>
          {id}
        </span>
      </>
    ),
  },
  {
    key: 'state',
    title: 'Status',
    show: ({ state, since, removedBy }: Export) => (
      <>
        <span class={`badge ${states[state].look}`} title={since === null ? '' : timeText(since)}>
          {states[state].text}
        </span>
        {removedBy !== null && (
          <span class="sub faint clip wide" title={removedBy}>
            by {removedBy}
          </span>
        )}
      </>
    ),
  },
  { key: 'lines', title: 'Lines', isFigure: true, show: ({ lines }: Export) => (lines === null ? '…' : count(lines)) },
  {
    key: 'usd',
    title: 'USD',
    isFigure: true,
    show: ({ billedUSD }: Export) => (billedUSD === null ? '…' : exact(billedUSD)),
  },
  {
    key: 'remove',
    title: '',
    show: (one: Export) => one.state !== 'removed' && <Remove one={one} again={again} />,
  },
]

function Remove({ one, again }: { one: Export; again: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const doing = useRequest('DELETE /billing/exports/:exportID')
  const params = { exportID: one.id }
  const query = { cloud_account_id: one.cloudAccountID, period: one.period }
  const remove = () =>
    void doing.run({ params, query }, () => {
      setOpen(false)
      again()
    })
  return (
    <>
      <Act
        needs="admin"
        class="danger"
        isSmall
        label={`Remove bill ${one.id} for ${one.period}`}
        onClick={() => setOpen(true)}
      >
        Remove…
      </Act>
      {isOpen && (
        <Confirm
          title="Remove this bill?"
          action="Remove"
          isDanger
          doing={doing}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        >
          <p>{effects[one.state === 'shown' || one.state === 'begun' ? 'shown' : 'hidden']}</p>
          <p>To undo this, deliver the bill again.</p>
          <p>
            <Copy label="Copy as curl" text={curlOf('DELETE /billing/exports/:exportID', params, query)} />
          </p>
        </Confirm>
      )}
    </>
  )
}

const effects = {
  shown:
    'Reports for the billing period show the previous bill if its lines are still stored, otherwise no bill. Lines sent individually remain.',
  hidden: 'Reports do not change: this bill is not shown now and will not be shown later.',
}
