/** The organization's directory, which keeps members and roles by SCIM: the tokens by which it asks. */
import { useState } from 'preact/hooks'
import { addressOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Copy } from '../../part/copy.tsx'
import { Form } from '../../part/form/form.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { OneTimeSecret } from '../../part/one-time-secret.tsx'
import type { DirectoryToken } from './connections.ts'

const paramsNow = () => ({ orgID: session.value?.orgID ?? '' })
const base = (): string => addressOf('GET /scim/v2/Users').href.replace(/\/Users$/, '')

export function Directory() {
  const report = useReport('GET /organisations/:orgID/scim/tokens', { params: paramsNow() })
  return (
    <ListView
      title="Directory (SCIM)"
      noun="directory tokens"
      caption="Directory tokens"
      report={report}
      columns={columnsOf(report.again)}
      bones={2}
      intro={
        <p class="faint">
          A directory such as Microsoft Entra ID or Okta can create members, assign roles and revoke access. Enter this
          SCIM base URL there: <code>{base()}</code> <Copy label="Copy the SCIM base URL" text={base()} />
        </p>
      }
      empty={{ title: 'No directory tokens yet.', children: <p>Create one below and enter it in the directory.</p> }}
    >
      <NewToken onDone={report.again} />
    </ListView>
  )
}

const columnsOf = (again: () => void): Column<DirectoryToken>[] => [
  { title: 'Name', text: ({ name }) => name, sub: ({ prefix }) => <code class="nowrap">{prefix}</code> },
  {
    title: 'Created by',
    show: ({ madeBy }) => (madeBy === 'owner' ? 'an owner' : 'an admin: cannot manage owners'),
  },
  { title: 'Last used', ago: ({ lastUsedAt }) => lastUsedAt, none: 'never' },
  { title: 'Created', day: ({ createdAt }) => createdAt },
  {
    title: 'Actions',
    isAction: true,
    show: ({ id, name }) => (
      <ConfirmButton
        operation="DELETE /organisations/:orgID/scim/tokens/:scimTokenID"
        params={{ ...paramsNow(), scimTokenID: id }}
        needs="admin"
        class="quiet"
        isDanger
        label="Revoke…"
        name={`Revoke directory token ${name}`}
        title="Revoke this directory token?"
        action="Revoke"
        onDone={again}
      >
        <p>
          The directory that uses <strong dir="auto">{name}</strong> is refused immediately and can no longer create,
          change or deactivate anyone. Members are not affected.
        </p>
      </ConfirmButton>
    ),
  },
]

function NewToken({ onDone }: { onDone: () => void }) {
  const [made, setMade] = useState<Reply<'POST /organisations/:orgID/scim/tokens'> | undefined>()
  return (
    <>
      {made && (
        <OneTimeSecret key={made.id} label={`Token ${made.name}`} text={made.token} onClose={() => setMade(undefined)}>
          <p class="faint">
            Enter it in the directory as the secret token. It works only for SCIM and stays valid when you leave.
          </p>
        </OneTimeSecret>
      )}
      <Form
        noun="directory token"
        title={null}
        isStanding
        begun={() => ({ name: '' })}
        fields={() => [{ name: 'name', label: 'Directory name', placeholder: 'Entra ID', isRequired: true }]}
        create="POST /organisations/:orgID/scim/tokens"
        params={paramsNow()}
        needs={{ create: 'admin' }}
        onDone={(token) => {
          setMade(token)
          onDone()
        }}
      />
    </>
  )
}
