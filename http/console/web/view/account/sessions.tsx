/** Where you are signed in, and how to end that. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { useRequest, useReport } from '../../report.ts'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'

type List = Reply<'GET /auth/sessions'>
type Session = List[number]

export function Sessions() {
  const report = useReport('GET /auth/sessions')
  const [ended, setEnded] = useState<Session | 'others' | undefined>()
  const close = () => setEnded(undefined)
  const others = report.data?.filter(({ current }) => !current).length ?? 0
  return (
    <>
      <Panel
        title="Your sessions"
        tools={
          <>
            <button type="button" disabled={others === 0} onClick={() => setEnded('others')}>
              End all other sessions…
            </button>
            <Copies report={report} />
          </>
        }
      >
        <ReportContent report={report} rows={3}>
          {(data: List) => (
            <Table caption="Your sessions" columns={columnsOf(setEnded)} rows={data} keyOf={({ id }: Session) => id} />
          )}
        </ReportContent>
      </Panel>
      {ended === 'others' && <EndOthers count={others} onClose={close} onDone={report.again} />}
      {ended !== undefined && ended !== 'others' && <EndOne session={ended} onClose={close} onDone={report.again} />}
    </>
  )
}

const began: Readonly<Record<string, string>> = {
  email: 'password',
  link: 'operator link',
  saml: 'your identity provider',
  oidc: 'your OpenID provider',
  google: 'Google',
  github: 'GitHub',
}

const columnsOf = (setEnded: (session: Session) => void) => [
  {
    key: 'where',
    title: 'Device',
    show: ({ ip, userAgent, current }: Session) => (
      <>
        <span class="clip wide" title={userAgent}>
          {userAgent || 'unknown'}
        </span>
        {current && (
          <>
            {' '}
            <span class="badge good">this session</span>
          </>
        )}
        <span class="sub faint">{ip}</span>
      </>
    ),
  },
  {
    key: 'how',
    title: 'Signed in with',
    show: ({ method, secondFactor }: Session) => (
      <>
        {began[method] ?? method}
        <span class="sub faint">{secondFactor ? 'with a second factor' : 'without a second factor'}</span>
      </>
    ),
  },
  {
    key: 'began',
    title: 'Started',
    by: ({ createdAt }: Session) => createdAt,
    show: ({ createdAt }: Session) => <span title={timeText(createdAt)}>{ago(createdAt)}</span>,
  },
  {
    key: 'used',
    title: 'Last used',
    by: ({ lastUsedAt }: Session) => lastUsedAt,
    show: ({ lastUsedAt }: Session) => <span title={timeText(lastUsedAt)}>{ago(lastUsedAt)}</span>,
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Session) =>
      one.current ? (
        <span class="faint">sign out to end it</span>
      ) : (
        <button
          type="button"
          class="quiet"
          aria-label={`End the session started ${ago(one.createdAt)}`}
          onClick={() => setEnded(one)}
        >
          End…
        </button>
      ),
  },
]

function EndOne({ session, onClose, onDone }: { session: Session; onClose: () => void; onDone: () => void }) {
  const doing = useRequest('DELETE /auth/sessions/:sessionID')
  const params = { sessionID: session.id }
  const run = () =>
    void doing.run({ params }, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm title="End this session?" action="End session" isDanger doing={doing} onConfirm={run} onClose={onClose}>
      <p>
        It started {ago(session.createdAt)} from {session.ip} and is signed out immediately. Anyone there can sign in
        again with their credentials.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /auth/sessions/:sessionID', params)} />
      </p>
    </Confirm>
  )
}

function EndOthers({ count, onClose, onDone }: { count: number; onClose: () => void; onDone: () => void }) {
  const doing = useRequest('DELETE /auth/sessions')
  const run = () =>
    void doing.run({}, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm
      title="End all other sessions?"
      action="End sessions"
      isDanger
      doing={doing}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        {pluralize(count, 'other session')}, in all browsers, {count === 1 ? 'is' : 'are'} signed out immediately. This
        session and your tokens are not affected.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /auth/sessions')} />
      </p>
    </Confirm>
  )
}
