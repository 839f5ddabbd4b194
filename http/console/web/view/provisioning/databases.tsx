/** A server that a job has made, its databases, and how to connect: nothing shows a password. */
import type { Reply } from '../../api.ts'
import { useReport, type Report } from '../../report.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Form } from '../../part/form/form.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { useEvery } from '../../part/polling.ts'
import { Connections } from './connections.tsx'

type DatabaseList = Reply<'GET /provisioning-jobs/:jobID/databases'>
type Database = DatabaseList[number]

/** Of a server: its databases, unless it has none by its kind, and how to connect. */
export function Datastore({ jobID, hasDatabases }: { jobID: string; hasDatabases: boolean }) {
  const report = useReport('GET /provisioning-jobs/:jobID/databases', { params: { jobID }, when: hasDatabases })
  useEvery(3, report.data?.some(({ status }) => status === 'creating' || status === 'deleting') ?? false, report.again)
  return (
    <>
      {hasDatabases && <Databases jobID={jobID} report={report} />}
      <Connections jobID={jobID} databases={report.data ?? []} />
    </>
  )
}

function Databases({ jobID, report }: { jobID: string; report: Report<DatabaseList> }) {
  const columns: Column<Database>[] = [
    { title: 'Database', text: ({ name }) => name, sub: ({ owner }) => `owner ${owner}` },
    {
      title: 'Address',
      text: ({ server, port }) => `${server}:${port}`,
      sub: ({ secretRef }) => secretRef ?? 'no secret yet',
    },
    {
      title: 'Status',
      text: ({ status }) => status,
      badge: ({ status }) => (status === 'available' ? 'good' : status === 'failed' ? 'failed' : ''),
      sub: ({ error }) => error && `${error.message} ${error.fixHint}`,
    },
    {
      title: 'Actions',
      isAction: true,
      show: ({ id, name }) => (
        <ConfirmButton
          operation="DELETE /provisioning-jobs/:jobID/databases/:dbID"
          params={{ jobID, dbID: id }}
          needs="provisioning.delete"
          isDanger
          label="Drop"
          of={name}
          title="Drop this database?"
          action="Drop database"
          onDone={report.again}
        >
          <p>
            <strong>{name}</strong> is dropped with all its data, its owner is revoked, and its connections are removed.
            The server keeps running at the same cost. <strong>This cannot be undone.</strong>
          </p>
        </ConfirmButton>
      ),
    },
  ]
  return (
    <ListView
      title="Databases"
      noun="databases"
      report={report}
      columns={columns}
      bones={2}
      empty={{
        title: 'The server has no databases yet.',
        children: (
          <p>
            <Next needs="provisioning.create" what="Creating one">
              Create one with its own owner below.
            </Next>
          </p>
        ),
      }}
    >
      <Form
        noun="database"
        title={null}
        isStanding
        begun={() => ({ name: '', owner: '' })}
        fields={() => [
          {
            row: [
              { name: 'name', label: 'Database name', kind: 'code' },
              { name: 'owner', label: 'Owner', kind: 'code' },
            ],
          },
        ]}
        create="POST /provisioning-jobs/:jobID/databases"
        params={{ jobID }}
        needs={{ create: 'provisioning.create' }}
        after={() => (
          <span class="faint">
            There is no cost beyond the server. A user is created with it, and its password is stored encrypted. You can
            drop it again.
          </span>
        )}
        onDone={report.again}
      />
    </ListView>
  )
}
