/** Personal access tokens: created with a secret that is shown once, and revoked. */
import type { Reply } from '../../api.ts'
import { dayText, timeText } from '../../day.ts'
import { useReport } from '../../report.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { NewToken } from './new-token.tsx'

type Token = Reply<'GET /settings/personal-access-tokens'>[number]

export function Tokens() {
  const report = useReport('GET /settings/personal-access-tokens')
  return (
    <>
      <NewToken onDone={report.again} />
      <ListView
        title="Your tokens"
        noun="tokens"
        report={report}
        columns={columnsOf(report.again)}
        bones={3}
        empty={{
          title: 'You have no tokens.',
          children: <p>A token lets programs act on your behalf. Create one above.</p>,
        }}
      />
    </>
  )
}

const columnsOf = (again: () => void): Column<Token>[] => [
  { title: 'Name', text: ({ name }) => name, sub: ({ prefix }) => <code class="nowrap">{prefix}</code> },
  {
    title: 'Scope',
    text: ({ scope }) => (scope === 'api' ? 'API' : 'Analyst SQL'),
    sub: ({ role }) => role === 'viewer' && 'read-only',
  },
  { title: 'Last used', ago: ({ lastUsedAt }) => lastUsedAt, none: 'never' },
  {
    title: 'Expires',
    by: ({ expiresAt }) => expiresAt ?? '9999',
    csv: ({ expiresAt }) => expiresAt,
    show: ({ expiresAt }) => <Until at={expiresAt} />,
  },
  { title: 'Created', day: ({ createdAt }) => createdAt },
  {
    title: 'Actions',
    isAction: true,
    show: ({ id, name }) => (
      <ConfirmButton
        operation="DELETE /settings/personal-access-tokens/:tokenID"
        params={{ tokenID: id }}
        needs="session"
        class="quiet"
        isDanger
        label="Revoke…"
        name={`Revoke ${name}`}
        title="Revoke this token?"
        action="Revoke"
        onDone={again}
      >
        <p>
          Anything that uses <strong dir="auto">{name}</strong> is refused immediately. This cannot be undone, but you
          can create another token.
        </p>
      </ConfirmButton>
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
      </span>{' '}
      {isOver && <span class="badge warning">expired</span>}
    </>
  )
}
