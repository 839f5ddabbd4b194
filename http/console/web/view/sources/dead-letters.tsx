/** Messages of producers that could not be taken: why, what they held, and sending them once more. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { count, pluralize } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copies } from '../../part/copy.tsx'
import { Drawer } from '../../part/drawer.tsx'
import { Panel } from '../../part/panel.tsx'
import { Choice } from '../../part/period.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useRequest, useReport, type Report } from '../../report.ts'
import { may } from '../../session.ts'
import { bytes } from '../../bytes.ts'

type DeadLetterPage = Reply<'GET /dead-letters'>
type Letter = DeadLetterPage['items'][number]
type Counts = Reply<'GET /dead-letters/counts'>
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

function Letters() {
  const page = Number(param('page') ?? 1)
  const query = { code: params('code'), type: params('type'), replayed: param('replayed'), page, limit: pageSize }
  const report = useReport('GET /dead-letters', { query, on: ['dead_letter.'] })
  const counts = useReport('GET /dead-letters/counts', { on: ['dead_letter.'] })
  const opened = param('letter')
  return (
    <>
      <Panel title="Dead letters by reason">
        <ReportContent report={counts} rows={3}>
          {(data: Counts) => <Reasons data={data} again={report.again} />}
        </ReportContent>
      </Panel>
      <Panel title="Messages" tools={<Copies report={report} />}>
        <p class="bar">
          <Choice
            title="Replayed"
            name="replayed"
            none="all"
            choices={[
              ['false', 'not yet'],
              ['true', 'already'],
            ]}
          />
          {params('code').map((code) => (
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
        </p>
        <ReportContent report={report} rows={5}>
          {(data: DeadLetterPage) =>
            data.total === 0 ? (
              <Empty title="No dead letters.">
                <p>Messages from producers that cannot be processed are kept here for 30 days, with the reason.</p>
              </Empty>
            ) : (
              <>
                <Table caption="Messages" columns={columns} rows={data.items} keyOf={({ id }: Letter) => id} />
                <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
              </>
            )
          }
        </ReportContent>
      </Panel>
      {opened && <OneLetter key={opened} id={opened} list={report} />}
    </>
  )
}

const columns = [
  {
    key: 'at',
    title: 'When',
    show: ({ at }: Letter) => (
      <span class="nowrap" title={timeText(at)}>
        {ago(at)}
      </span>
    ),
  },
  {
    key: 'why',
    title: 'Reason',
    isLong: true,
    show: ({ id, code, reason }: Letter) => (
      <>
        <a href={hrefOf('sources', withParams({ letter: id }))}>{code}</a>
        <span class="sub">{reason}</span>
      </>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    show: ({ type, preview }: Letter) => (
      <>
        {type || 'unreadable'}
        <code class="sub clip wide" title={preview}>
          {preview}
        </code>
      </>
    ),
  },
  { key: 'bytes', title: 'Size', isFigure: true, show: ({ bytes: size }: Letter) => bytes(size) },
  {
    key: 'again',
    title: 'Replayed',
    show: ({ replayedAt, replayable }: Letter) =>
      replayedAt ? (
        <span title={timeText(replayedAt)}>{ago(replayedAt)}</span>
      ) : replayable ? (
        'not yet'
      ) : (
        'not possible'
      ),
  },
]

type Reason = Counts[number]

function Reasons({ data, again }: { data: Counts; again: () => void }) {
  const [asked, setAsked] = useState<Reason | undefined>()
  if (data.length === 0) return <Empty title="All messages were processed." />
  const of = [
    {
      key: 'code',
      title: 'Reason',
      isLong: true,
      show: ({ code }: Reason) => <a href={hrefOf('sources', withParams({ code, type: null, page: null }))}>{code}</a>,
    },
    { key: 'type', title: 'Type', show: ({ type }: Reason) => type || 'unreadable' },
    {
      key: 'count',
      title: 'Messages',
      isFigure: true,
      by: ({ count: all }: Reason) => all,
      show: ({ count: all }: Reason) => count(all),
    },
    {
      key: 'waiting',
      title: 'Not replayed',
      isFigure: true,
      by: ({ waiting }: Reason) => waiting,
      show: ({ waiting }: Reason) => count(waiting),
    },
    {
      key: 'newest',
      title: 'Latest',
      by: ({ newestAt }: Reason) => newestAt,
      show: ({ newestAt }: Reason) => <span title={timeText(newestAt)}>{ago(newestAt)}</span>,
    },
    {
      key: 'do',
      title: 'Actions',
      show: (one: Reason) =>
        one.waiting > 0 && (
          <button type="button" onClick={() => setAsked(one)}>
            Replay…
          </button>
        ),
    },
  ]
  return (
    <>
      <Table
        caption="Messages by reason"
        columns={of}
        rows={data}
        keyOf={({ code, type }: Reason) => `${code} ${type}`}
      />
      {asked && <SendAll reason={asked} again={again} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function SendAll({
  reason: { code, type, waiting },
  again,
  onClose,
}: {
  reason: Reason
  again: () => void
  onClose: () => void
}) {
  const doing = useRequest('POST /dead-letters/replay')
  const body = { code: [code], ...(type !== '' && { type: [type] }) }
  const send = async () => {
    const done = await doing.run({ body })
    if (!done) return
    again()
    onClose()
  }
  return (
    <Confirm
      title="Replay these messages?"
      action="Replay"
      doing={doing}
      request={{ operation: 'POST /dead-letters/replay', body }}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      <p>
        {pluralize(waiting, 'message')} with <code>{code}</code> {waiting === 1 ? 'is' : 'are'} published again
        unchanged, oldest first. Messages that still fail are dead-lettered again; nothing is counted twice.
      </p>
    </Confirm>
  )
}

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
