/** Exports of bills: what reports show of each billing period, what was before it, and the removal of a wrong one. */
import type { Reply } from '../../api.ts'
import { monthText, timeText } from '../../day.ts'
import { exact, usd } from '../../figure.ts'
import { useAccountName } from '../../part/account-name.ts'
import { Clip } from '../../part/clip.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'

type Export = Reply<'GET /billing/exports'>['items'][number]

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
  const query = { page: param('exports') ?? 1, limit: pageSize }
  const report = useReport('GET /billing/exports', { query, on: ['bill.', 'costs.changed'] })
  const nameOf = useAccountName()
  return (
    <ListView
      title="Bills by billing period"
      noun="bills"
      caption="Bills"
      report={report}
      columns={columnsOf(nameOf, report.again)}
      keyOf={({ cloudAccountID, period, id }) => `${cloudAccountID} ${period} ${id}`}
      pageSize={pageSize}
      pageName="exports"
      bones={4}
      empty={{
        title: 'No bills yet.',
        children: <p>Lines sent individually do not belong to a bill.</p>,
      }}
    />
  )
}

const columnsOf = (nameOf: (id: string) => string, again: () => void): Column<Export>[] => [
  {
    title: 'Billing period',
    csv: ({ period }) => period,
    show: ({ period }) => monthText(period),
    sub: ({ cloudAccountID }) => <Clip text={nameOf(cloudAccountID)} title={cloudAccountID} size="wide" />,
  },
  { title: 'Exported', ago: ({ exportedAt }) => exportedAt, sub: ({ id }) => <Clip text={id} size="wide" /> },
  {
    title: 'Status',
    csv: ({ state }) => state,
    show: ({ state, since }) => (
      <span class={`badge ${states[state].look}`} title={since === null ? '' : timeText(since)}>
        {states[state].text}
      </span>
    ),
    sub: ({ removedBy }) => removedBy !== null && <Clip text={`by ${removedBy}`} size="wide" />,
  },
  { title: 'Lines', count: ({ lines }) => lines, none: '…' },
  {
    title: 'Billed',
    isFigure: true,
    by: ({ billedUSD }) => Number(billedUSD ?? -Infinity),
    csv: ({ billedUSD }) => billedUSD,
    show: ({ billedUSD }) =>
      billedUSD === null ? '…' : <span title={`${exact(billedUSD)} USD`}>{usd(billedUSD)}</span>,
  },
  {
    key: 'remove',
    title: '',
    isAction: true,
    show: (one) => one.state !== 'removed' && <Remove one={one} again={again} />,
  },
]

const Remove = ({ one: { id, cloudAccountID, period, state }, again }: { one: Export; again: () => void }) => (
  <ConfirmButton
    operation="DELETE /billing/exports/:exportID"
    params={{ exportID: id }}
    query={{ cloud_account_id: cloudAccountID, period }}
    needs="admin"
    isDanger
    label="Remove…"
    name={`Remove bill ${id} for ${period}`}
    title="Remove this bill?"
    action="Remove"
    onDone={again}
  >
    <p>{effects[state === 'shown' || state === 'begun' ? 'shown' : 'hidden']}</p>
    <p>To undo this, deliver the bill again.</p>
  </ConfirmButton>
)

const effects = {
  shown:
    'Reports for the billing period show the previous bill if its lines are still stored, otherwise no bill. Lines sent individually remain.',
  hidden: 'Reports do not change: this bill is not shown now and will not be shown later.',
}
