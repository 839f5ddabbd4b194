/** Messages of producers that could not be taken: why, what they held, and sending them once more. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Copies } from '../../part/copy.tsx'
import { Drawer } from '../../part/drawer.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useRequest, useReport, type Report } from '../../report.ts'
import { may } from '../../session.ts'
import { bytes } from '../../bytes.ts'

type DeadLetterPage = Reply<'GET /dead-letters'>
type Letter = DeadLetterPage['items'][number]
type DeadLetter = Reply<'GET /dead-letters/:deadLetterID'>

const pageSize = 20

export function DeadLetters() {
  if (!may('admin'))
    return (
      <Empty title="Your role cannot view this.">
        <p>Dead letters contain data that producers sent, so only owners and admins can see them. Ask one of them.</p>
      </Empty>
    )
  return <Letters />
}

const filters = [
  {
    name: 'replayed',
    title: 'Replayed',
    choices: [
      ['false', 'not yet'],
      ['true', 'already'],
    ],
  },
]

function Letters() {
  const query = {
    code: params('code'),
    type: params('type'),
    replayed: param('replayed'),
    page: param('page') ?? 1,
    limit: pageSize,
  }
  const report = useReport('GET /dead-letters', { query, on: ['dead_letter.'] })
  const counts = useReport('GET /dead-letters/counts', { on: ['dead_letter.'] })
  const opened = param('letter')
  return (
    <>
      <ListView
        title="Dead letters by reason"
        noun="reasons"
        caption="Messages by reason"
        report={counts}
        columns={reasonColumns(report.again)}
        keyOf={({ code, type }) => `${code} ${type}`}
        bones={3}
        empty={{ title: 'All messages were processed.' }}
      />
      <ListView
        title="Messages"
        noun="messages"
        report={report}
        columns={columns}
        filters={filters}
        pageSize={pageSize}
        narrowedBy={['code', 'type']}
        intro={params('code').map((code) => (
          <span class="chip" key={code}>
            {code}
            <button
              type="button"
              aria-label={`Without the filter ${code}`}
              onClick={() => change({ code: null, type: null, page: null })}
            >
              ✕
            </button>
          </span>
        ))}
        empty={{
          title: 'No dead letters.',
          children: <p>Messages from producers that cannot be processed are kept here for 30 days, with the reason.</p>,
        }}
      />
      {opened && <OneLetter key={opened} id={opened} list={report} />}
    </>
  )
}

const columns: Column<Letter>[] = [
  { title: 'When', ago: ({ at }) => at },
  {
    title: 'Reason',
    isLong: true,
    csv: ({ code }) => code,
    show: ({ id, code, reason }) => (
      <>
        <a href={hrefOf('sources', withParams({ letter: id }))}>{code}</a>
        <span class="sub">{reason}</span>
      </>
    ),
  },
  {
    title: 'Type',
    csv: ({ type }) => type,
    show: ({ type, preview }) => (
      <>
        {type || 'unreadable'}
        <code class="sub clip wide" title={preview}>
          {preview}
        </code>
      </>
    ),
  },
  { title: 'Size', count: ({ bytes: size }) => size, show: ({ bytes: size }) => bytes(size) },
  {
    title: 'Replayed',
    csv: ({ replayedAt }) => replayedAt,
    show: ({ replayedAt, replayable }) =>
      replayedAt ? (
        <span title={timeText(replayedAt)}>{ago(replayedAt)}</span>
      ) : replayable ? (
        'not yet'
      ) : (
        'not possible'
      ),
  },
]

const reasonColumns = (again: () => void): Column<Reply<'GET /dead-letters/counts'>[number]>[] => [
  {
    title: 'Reason',
    isLong: true,
    csv: ({ code }) => code,
    show: ({ code }) => <a href={hrefOf('sources', withParams({ code, type: null, page: null }))}>{code}</a>,
  },
  { title: 'Type', text: ({ type }) => type || 'unreadable' },
  { title: 'Messages', count: ({ count: all }) => all },
  { title: 'Not replayed', count: ({ waiting }) => waiting },
  { title: 'Latest', ago: ({ newestAt }) => newestAt },
  {
    title: 'Actions',
    isAction: true,
    show: ({ code, type, waiting }) =>
      waiting > 0 && (
        <ConfirmButton
          operation="POST /dead-letters/replay"
          body={{ code: [code], ...(type !== '' && { type: [type] }) }}
          needs="admin"
          label="Replay…"
          title="Replay these messages?"
          action="Replay"
          onDone={again}
        >
          <p>
            {pluralize(waiting, 'message')} with <code>{code}</code> {waiting === 1 ? 'is' : 'are'} published again
            unchanged, oldest first. Messages that still fail are dead-lettered again; nothing is counted twice.
          </p>
        </ConfirmButton>
      ),
  },
]

function OneLetter({ id, list }: { id: string; list: Report<DeadLetterPage> }) {
  const report = useReport('GET /dead-letters/:deadLetterID', { params: { deadLetterID: id } })
  const doing = useRequest('POST /dead-letters/:deadLetterID/replay')
  const send = async () => {
    await doing.run({ params: { deadLetterID: id } })
    report.again()
    list.again()
  }
  return (
    <Drawer title="Dead letter" onClose={() => change({ letter: null })}>
      <ReportContent report={report} rows={6}>
        {(data: DeadLetter) => (
          <>
            <p>
              <strong>{data.code}</strong>: {data.reason}
            </p>
            <p class="faint">
              {data.type || 'unreadable'} on <code>{data.subject}</code>, {timeText(data.at)}, {bytes(data.bytes)}
              {data.actor ? `, rejected by ${data.actor}` : ''}
            </p>
            <p class="bar">
              {data.replayable && (
                <Act needs="admin" onClick={() => void send()} disabled={doing.isBusy}>
                  Replay unchanged
                </Act>
              )}
              {doing.done && (
                <span role="status" class="note good">
                  Published again.
                </span>
              )}{' '}
              <Copies report={report} />
            </p>
            {doing.problem && <ProblemMessage problem={doing.problem} />}
            <pre class="body" tabindex={0} aria-label="Message body">
              {data.body}
            </pre>
          </>
        )}
      </ReportContent>
    </Drawer>
  )
}
