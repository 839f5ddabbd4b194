/** Personal access tokens: made with a secret that is shown once, and taken back. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { ago, dayText, timeText } from '../../day.ts'
import { useRequest, useReport } from '../../report.ts'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { NewToken } from './new-token.tsx'

type List = Reply<'GET /settings/personal-access-tokens'>
type Token = List[number]

export function Tokens() {
  const report = useReport('GET /settings/personal-access-tokens')
  const [revoked, setRevoked] = useState<Token | undefined>()
  return (
    <>
      <NewToken onDone={report.again} />
      <Panel title="Your tokens" tools={<Copies report={report} />}>
        <ReportContent report={report} rows={3}>
          {(data: List) =>
            data.length === 0 ? (
              <Empty title="You have no tokens.">
                <p>A token lets programs act on your behalf. Create one above.</p>
              </Empty>
            ) : (
              <Table caption="Your tokens" columns={columnsOf(setRevoked)} rows={data} keyOf={({ id }: Token) => id} />
            )
          }
        </ReportContent>
      </Panel>
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(undefined)} onDone={report.again} />}
    </>
  )
}

const columnsOf = (setRevoked: (token: Token) => void) => [
  {
    key: 'name',
    title: 'Name',
    show: ({ name, prefix }: Token) => (
      <>
        <span class="clip wide" dir="auto" title={name}>
          {name}
        </span>
        <code class="sub nowrap">{prefix}</code>
      </>
    ),
  },
  {
    key: 'scope',
    title: 'Scope',
    show: ({ scope, role }: Token) => (
      <>
        {scope === 'api' ? 'API' : 'Analyst SQL'}
        {role === 'viewer' && <span class="sub faint">read-only</span>}
      </>
    ),
  },
  {
    key: 'used',
    title: 'Last used',
    by: ({ lastUsedAt }: Token) => lastUsedAt ?? '',
    show: ({ lastUsedAt }: Token) =>
      lastUsedAt === null ? (
        <span class="faint">never</span>
      ) : (
        <span title={timeText(lastUsedAt)}>{ago(lastUsedAt)}</span>
      ),
  },
  {
    key: 'until',
    title: 'Expires',
    by: ({ expiresAt }: Token) => expiresAt ?? '9999',
    show: ({ expiresAt }: Token) => <Until at={expiresAt} />,
  },
  {
    key: 'made',
    title: 'Created',
    by: ({ createdAt }: Token) => createdAt,
    show: ({ createdAt }: Token) => (
      <span class="nowrap" title={timeText(createdAt)}>
        {dayText(createdAt)}
      </span>
    ),
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Token) => (
      <button type="button" class="quiet" aria-label={`Revoke ${one.name}`} onClick={() => setRevoked(one)}>
        Revoke…
      </button>
    ),
  },
]

function Until({ at }: { at: string | null }) {
  if (at === null) return <span class="faint">when revoked</span>
  const isOver = Date.parse(at) <= Date.now()
  return (
    <>
      <span class="nowrap" title={timeText(at)}>
        {dayText(at)}
      </span>
      {isOver && (
        <>
          {' '}
          <span class="badge warning">expired</span>
        </>
      )}
    </>
  )
}

function Revoke({ token, onClose, onDone }: { token: Token; onClose: () => void; onDone: () => void }) {
  const doing = useRequest('DELETE /settings/personal-access-tokens/:tokenID')
  const params = { tokenID: token.id }
  const run = () =>
    void doing.run({ params }, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm title="Revoke this token?" action="Revoke" isDanger doing={doing} onConfirm={run} onClose={onClose}>
      <p>
        Anything that uses <strong dir="auto">{token.name}</strong> is refused immediately. This cannot be undone, but
        you can create another token.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /settings/personal-access-tokens/:tokenID', params)} />
      </p>
    </Confirm>
  )
}
