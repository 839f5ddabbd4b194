/** Where you are signed in, and how to end that. */
import type { Reply } from '../../api.ts'
import { ago } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'

type Session = Reply<'GET /auth/sessions'>[number]

export function Sessions() {
  const report = useReport('GET /auth/sessions')
  const others = report.data?.filter(({ current }) => !current).length ?? 0
  return (
    <ListView
      title="Your sessions"
      noun="sessions"
      report={report}
      columns={columnsOf(report.again)}
      bones={3}
      tools={
        <ConfirmButton
          operation="DELETE /auth/sessions"
          needs="session"
          isDisabled={others === 0}
          isDanger
          class=""
          label="End all other sessions…"
          title="End all other sessions?"
          action="End sessions"
          onDone={report.again}
        >
          <p>
            {pluralize(others, 'other session')}, in all browsers, {others === 1 ? 'is' : 'are'} signed out immediately.
            This session and your tokens are not affected.
          </p>
        </ConfirmButton>
      }
      empty={{ title: 'No sessions.' }}
    />
  )
}

const methods: Readonly<Record<string, string>> = {
  email: 'password',
  link: 'operator link',
  saml: 'your identity provider',
  oidc: 'your OpenID provider',
  google: 'Google',
  github: 'GitHub',
}

const columnsOf = (again: () => void): Column<Session>[] => [
  {
    title: 'Device',
    csv: ({ userAgent }) => userAgent,
    show: ({ userAgent, current }) => (
      <>
        <Clip text={userAgent || 'unknown'} size="wide" /> {current && <span class="badge good">this session</span>}
      </>
    ),
    sub: ({ ip }) => ip,
  },
  {
    title: 'Signed in with',
    text: ({ method }) => methods[method] ?? method,
    sub: ({ secondFactor }) => (secondFactor ? 'with a second factor' : 'without a second factor'),
  },
  { title: 'Started', ago: ({ createdAt }) => createdAt },
  { title: 'Last used', ago: ({ lastUsedAt }) => lastUsedAt },
  {
    title: 'Actions',
    isAction: true,
    show: ({ id, ip, createdAt, current }) =>
      current ? (
        <span class="faint">sign out to end it</span>
      ) : (
        <ConfirmButton
          operation="DELETE /auth/sessions/:sessionID"
          params={{ sessionID: id }}
          needs="session"
          class="quiet"
          isDanger
          label="End…"
          name={`End the session started ${ago(createdAt)}`}
          title="End this session?"
          action="End session"
          onDone={again}
        >
          <p>
            It started {ago(createdAt)} from {ip} and is signed out immediately. Anyone there can sign in again with
            their credentials.
          </p>
        </ConfirmButton>
      ),
  },
]
