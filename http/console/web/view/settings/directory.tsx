/** The organization's directory, which keeps members and roles by SCIM: the tokens by which it asks. */
import { useState } from 'preact/hooks'
import { addressOf, curlOf } from '../../address.ts'
import { ago, dayText, timeText } from '../../day.ts'
import { useRequest, useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { OneTimeSecret } from '../../part/one-time-secret.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import type { DirectoryToken } from './connections.ts'

const paramsNow = () => ({ orgID: session.value?.orgID ?? '' })
const base = (): string => addressOf('GET /scim/v2/Users').href.replace(/\/Users$/, '')

export function Directory() {
  const report = useReport('GET /organisations/:orgID/scim/tokens', { params: paramsNow() })
  const [revoked, setRevoked] = useState<DirectoryToken | undefined>()
  return (
    <>
      <Panel title="Directory (SCIM)" tools={<Copies report={report} />}>
        <p class="faint">
          A directory such as Microsoft Entra ID or Okta can create members, assign roles and revoke access. Enter this
          SCIM base URL there: <code>{base()}</code> <Copy label="Copy the SCIM base URL" text={base()} />
        </p>
        <ReportContent report={report} rows={2}>
          {(data: DirectoryToken[]) =>
            data.length === 0 ? (
              <Empty title="No directory tokens yet.">
                <p>Create one below and enter it in the directory.</p>
              </Empty>
            ) : (
              <Table
                caption="Directory tokens"
                columns={columnsOf(setRevoked)}
                rows={data}
                keyOf={({ id }: DirectoryToken) => id}
              />
            )
          }
        </ReportContent>
        <Make onDone={report.again} />
      </Panel>
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(undefined)} onDone={report.again} />}
    </>
  )
}

const columnsOf = (setRevoked: (token: DirectoryToken) => void) => [
  {
    key: 'name',
    title: 'Name',
    show: ({ name, prefix }: DirectoryToken) => (
      <>
        <span class="clip wide" dir="auto" title={name}>
          {name}
        </span>
        <code class="sub nowrap">{prefix}</code>
      </>
    ),
  },
  {
    key: 'by',
    title: 'Created by',
    show: ({ madeBy }: DirectoryToken) => (madeBy === 'owner' ? 'an owner' : 'an admin: cannot manage owners'),
  },
  {
    key: 'used',
    title: 'Last used',
    show: ({ lastUsedAt }: DirectoryToken) =>
      lastUsedAt === null ? (
        <span class="faint">never</span>
      ) : (
        <span title={timeText(lastUsedAt)}>{ago(lastUsedAt)}</span>
      ),
  },
  {
    key: 'made',
    title: 'Created',
    show: ({ createdAt }: DirectoryToken) => (
      <span class="nowrap" title={timeText(createdAt)}>
        {dayText(createdAt)}
      </span>
    ),
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: DirectoryToken) => (
      <button
        type="button"
        class="quiet"
        aria-label={`Revoke directory token ${one.name}`}
        onClick={() => setRevoked(one)}
      >
        Revoke…
      </button>
    ),
  },
]

function Make({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('')
  const doing = useRequest('POST /organisations/:orgID/scim/tokens')
  const params = paramsNow()
  const body = { name }
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ params, body }, () => {
      setName('')
      onDone()
    })
  }
  return (
    <>
      {doing.done && (
        <OneTimeSecret
          key={doing.done.id}
          label={`Token ${doing.done.name}`}
          text={doing.done.token}
          onClose={doing.clear}
        >
          <p class="faint">
            Enter it in the directory as the secret token. It works only for SCIM and stays valid when you leave.
          </p>
        </OneTimeSecret>
      )}
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Directory name"
          value={name}
          onValue={setName}
          at="/name"
          problem={doing.problem}
          placeholder="Entra ID"
          required
        />
        <FormProblem problem={doing.problem} fields={['/name']} />
        <p class="bar">
          <button type="submit" disabled={doing.isBusy}>
            Create directory token
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('POST /organisations/:orgID/scim/tokens', params, {}, body)} />
        </p>
      </form>
    </>
  )
}

function Revoke({ token, onClose, onDone }: { token: DirectoryToken; onClose: () => void; onDone: () => void }) {
  const doing = useRequest('DELETE /organisations/:orgID/scim/tokens/:scimTokenID')
  const params = { ...paramsNow(), scimTokenID: token.id }
  const run = () =>
    void doing.run({ params }, () => {
      onClose()
      onDone()
    })
  return (
    <Confirm
      title="Revoke this directory token?"
      action="Revoke"
      isDanger
      doing={doing}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        The directory that uses <strong dir="auto">{token.name}</strong> is refused immediately and can no longer
        create, change or deactivate anyone. Members are not affected.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /organisations/:orgID/scim/tokens/:scimTokenID', params)} />
      </p>
    </Confirm>
  )
}
