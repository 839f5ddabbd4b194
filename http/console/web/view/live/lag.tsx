/** How far the lanes are behind with what was sent for the organization. */
import { Fragment } from 'preact'
import type { Reply } from '../../api.ts'
import { useAccountName } from '../../part/account-name.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { useEvery } from '../../part/polling.ts'
import { Table } from '../../part/table.tsx'
import { useReport } from '../../report.ts'
import { secondsText } from './event-text.ts'

type LagReport = Reply<'GET /events/lag'>
type Lane = LagReport['lanes'][number]

/** Nothing is told of it. */
const everySeconds = 5

export function Lag() {
  const report = useReport('GET /events/lag')
  const nameOf = useAccountName()
  useEvery(everySeconds, true, report.again)
  return (
    <ReportPanel title="Lag" about="by lane; each lane processes messages in order" report={report} rows={3}>
      {({ lanes, oldestSeconds }: LagReport) => (
        <>
          <p role="status">
            {oldestSeconds === null ? (
              <>
                <span class="badge good">up to date</span> All messages have taken effect.
              </>
            ) : (
              <>
                <span class="badge">delayed</span> The oldest message that has not taken effect has been waiting for{' '}
                <strong>{secondsText(oldestSeconds)}</strong>.
              </>
            )}
          </p>
          <Table
            caption="Lag by lane"
            columns={columnsOf(nameOf)}
            rows={lanes}
            keyOf={({ lane }: Lane) => String(lane)}
          />
        </>
      )}
    </ReportPanel>
  )
}

const columnsOf = (nameOf: (id: string) => string) => [
  { key: 'lane', title: 'Lane', isFigure: true, by: ({ lane }: Lane) => lane, show: ({ lane }: Lane) => lane },
  {
    key: 'accounts',
    title: 'Accounts',
    show: ({ cloudAccountIDs }: Lane) =>
      cloudAccountIDs.length === 0 ? (
        <span class="faint">organization-wide messages</span>
      ) : (
        cloudAccountIDs.map((id) => (
          <Fragment key={id}>
            <span class="tag clip" dir="auto" title={id}>
              {nameOf(id)}
            </span>{' '}
          </Fragment>
        ))
      ),
  },
  {
    key: 'waits',
    title: 'Oldest message',
    isFigure: true,
    by: ({ oldestSeconds }: Lane) => oldestSeconds ?? -1,
    show: ({ oldestSeconds }: Lane) =>
      oldestSeconds === null ? <span class="faint">up to date</span> : secondsText(oldestSeconds),
  },
]
