/** How to connect to a server that a job has made, or to one database of it: records, none of which holds a secret. */
import type { Operation, Reply } from '../../api.ts'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { ChoiceField } from '../../part/form.tsx'
import { Form } from '../../part/form/form.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'

type Connection = Reply<'GET /provisioning-jobs/:jobID/connections'>[number]
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
    <ListView
      title="Connections"
      noun="connections"
      caption={`Connections to ${scope.name}`}
      about="names, addresses and secret locations; no passwords"
      report={report}
      columns={columnsOf(scope, report.again)}
      bones={2}
      intro={
        databases.length > 0 && (
          <div class="bar">
            <ChoiceField
              label="To"
              value={database?.id ?? ''}
              options={options}
              onValue={(id: string) => change({ database: id || null })}
            />
          </div>
        )
      }
      empty={{
        title: `No connections to ${scope.name} recorded yet.`,
        children: <p>Record one below so that deployments can find the host, port, user and secret name here.</p>,
      }}
    >
      <NewConnection
        scope={scope}
        isBusy={database !== undefined && database.status !== 'available'}
        owner={database === undefined ? 'the administrator' : 'the owner'}
        onDone={report.again}
      />
    </ListView>
  )
}

const columnsOf = (scope: Scope, again: () => void): Column<Connection>[] => [
  { title: 'Connection', text: ({ name }) => name },
  { title: 'Address', text: ({ host, port }) => `${host}:${port}` },
  {
    title: 'User',
    csv: ({ user }) => user,
    show: ({ user }) => <code>{user}</code>,
    sub: ({ secretRef }) => <Clip text={secretRef} size="wide" />,
  },
  {
    title: 'Actions',
    isAction: true,
    show: ({ id, name }) => (
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

const startDraft = () => ({ name: '', user: '', secretRef: '' })

interface NewConnectionProps {
  scope: Scope
  isBusy: boolean
  owner: string
  onDone: () => void
}

const NewConnection = ({ scope, isBusy, owner, onDone }: NewConnectionProps) => (
  <>
    <h3 class="after">Record a connection</h3>
    <Form
      noun="connection"
      title={null}
      action="Record connection"
      isStanding
      begun={startDraft}
      fields={() => [
        {
          row: [
            { name: 'name', label: 'Connection name', kind: 'code', help: 'generated if left empty' },
            { name: 'user', label: 'User', kind: 'code', help: `${owner} if left empty` },
            {
              name: 'secretRef',
              label: 'Secret name',
              kind: 'code',
              help: `secret://…; that of ${owner} if left empty`,
            },
          ],
        },
      ]}
      body={(draft) => Object.fromEntries(Object.entries(draft).filter(([, text]) => text.trim() !== ''))}
      isDisabled={() => isBusy}
      create={scope.make}
      params={scope.params}
      needs={{ create: 'provisioning.create' }}
      after={() => (
        <span class="faint">
          {isBusy
            ? 'Available once the database is available.'
            : 'No user is created and there is no cost; you can remove it again.'}
        </span>
      )}
      onDone={onDone}
    />
  </>
)
