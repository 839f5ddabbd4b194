/** How to connect to a server that a job has made, or to one database of it: records, none of which holds a secret. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import type { Operation, Reply } from '../../api.ts'
import { change, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Table } from '../../part/table.tsx'

type ConnectionList = Reply<'GET /provisioning-jobs/:jobID/connections'>
type Connection = ConnectionList[number]
type Databases = Reply<'GET /provisioning-jobs/:jobID/databases'>

interface Scope {
  params: Readonly<Record<string, string>>
  /** The operations of this scope: they answer the same. */
  list: 'GET /provisioning-jobs/:jobID/connections'
  make: 'POST /provisioning-jobs/:jobID/connections'
  remove: 'DELETE /provisioning-jobs/:jobID/connections/:connID'
  name: string
}

/** Answers of a database's operations have the shape of the server's. */
const same = <O extends Operation>(operation: Operation): O => operation as O

function scopeOf(jobID: string, database: Databases[number] | undefined): Scope {
  if (!database)
    return {
      params: { jobID },
      list: 'GET /provisioning-jobs/:jobID/connections',
      make: 'POST /provisioning-jobs/:jobID/connections',
      remove: 'DELETE /provisioning-jobs/:jobID/connections/:connID',
      name: 'the server',
    }
  return {
    params: { jobID, dbID: database.id },
    list: same('GET /provisioning-jobs/:jobID/databases/:dbID/connections'),
    make: same('POST /provisioning-jobs/:jobID/databases/:dbID/connections'),
    remove: same('DELETE /provisioning-jobs/:jobID/databases/:dbID/connections/:connID'),
    name: database.name,
  }
}

interface ConnectionsProps {
  jobID: string
  databases: Databases
}

export function Connections({ jobID, databases }: ConnectionsProps) {
  const database = databases.find(({ id }) => id === param('database'))
  const scope = scopeOf(jobID, database)
  return <Of key={database?.id ?? ''} scope={scope} database={database} databases={databases} />
}

interface OfProps {
  scope: Scope
  database: Databases[number] | undefined
  databases: Databases
}

function Of({ scope, database, databases }: OfProps) {
  const report = useReport(scope.list, { params: scope.params })
  const options = [
    { value: '', title: 'Server' },
    ...databases.map(({ id, name }) => ({ value: id, title: `Database ${name}` })),
  ]
  return (
    <Panel
      title="Connections"
      about="names, addresses and secret locations; no passwords"
      tools={<Copies report={report} />}
    >
      {databases.length > 0 && (
        <div class="bar">
          <ChoiceField
            label="To"
            value={database?.id ?? ''}
            options={options}
            onValue={(id: string) => change({ database: id || null })}
          />
        </div>
      )}
      <ReportContent report={report} rows={2}>
        {(data: ConnectionList) =>
          data.length === 0 ? (
            <Empty title={`No connections to ${scope.name} recorded yet.`}>
              <p>Record one below so that deployments can find the host, port, user and secret name here.</p>
            </Empty>
          ) : (
            <Table
              caption={`Connections to ${scope.name}`}
              columns={columnsOf(scope, report.again)}
              rows={data}
              keyOf={({ id }: Connection) => id}
            />
          )
        }
      </ReportContent>
      <Record
        scope={scope}
        isBusy={database !== undefined && database.status !== 'available'}
        isDatabase={database !== undefined}
        onDone={report.again}
      />
    </Panel>
  )
}

const columnsOf = (scope: Scope, again: () => void) => [
  {
    key: 'name',
    title: 'Connection',
    show: ({ name }: Connection) => (
      <span class="clip" dir="auto" title={name}>
        {name}
      </span>
    ),
  },
  {
    key: 'at',
    title: 'Address',
    show: ({ host, port }: Connection) => (
      <span class="clip wide" title={`${host}:${port}`}>
        {host}:{port}
      </span>
    ),
  },
  {
    key: 'user',
    title: 'User',
    show: ({ user, secretRef }: Connection) => (
      <>
        <code>{user}</code>
        <span class="sub faint clip wide" title={secretRef}>
          {secretRef}
        </span>
      </>
    ),
  },
  {
    key: 'do',
    title: 'Actions',
    show: ({ id, name }: Connection) => (
      <ConfirmButton
        operation={scope.remove}
        params={{ ...scope.params, connID: id }}
        needs="provisioning.delete"
        isDanger
        label="Remove"
        of={name}
        title="Remove this connection?"
        action="Remove"
        onDone={again}
      >
        <p>
          Only the record of <strong dir="auto">{name}</strong> is removed. Its user remains, open connections stay
          open, and the cost does not change. You can record it again.
        </p>
      </ConfirmButton>
    ),
  },
]

const fresh = { name: '', user: '', secretRef: '' }

interface RecordProps {
  scope: Scope
  isBusy: boolean
  isDatabase: boolean
  onDone: () => void
}

function Record({ scope, isBusy, isDatabase, onDone }: RecordProps) {
  const [draft, setDraft] = useState(fresh)
  const doing = useRequest(scope.make)
  const body = Object.fromEntries(Object.entries(draft).filter(([, text]) => text.trim() !== ''))
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ params: scope.params, body }, () => {
      setDraft(fresh)
      onDone()
    })
  }
  const whose = isDatabase ? 'the owner' : 'the administrator'
  const field = (name: keyof typeof fresh, label: string, hint: string) => (
    <TextField
      label={label}
      value={draft[name]}
      onValue={(text: string) => setDraft({ ...draft, [name]: text })}
      at={`/${name}`}
      problem={doing.problem}
      isCode
      hint={hint}
    />
  )
  return (
    <form class="form after" onSubmit={submit} noValidate>
      <h3>Record a connection</h3>
      <div class="row">
        {field('name', 'Connection name', 'generated if left empty')}
        {field('user', 'User', `${whose} if left empty`)}
        {field('secretRef', 'Secret name', `secret://…; that of ${whose} if left empty`)}
      </div>
      <FormProblem problem={doing.problem} fields={['/name', '/user', '/secretRef']} />
      <p class="bar">
        <Act type="submit" needs="provisioning.create" disabled={doing.isBusy || isBusy}>
          Record connection
        </Act>
        <Copy label="Copy as curl" text={curlOf(scope.make, scope.params, undefined, body)} />
        <span class="faint">
          {isBusy
            ? 'Available once the database is available.'
            : 'No user is created and there is no cost; you can remove it again.'}
        </span>
      </p>
    </form>
  )
}
