/** A server that a job has made, its databases, and how to connect: nothing shows a password. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { useRequest, useReport, type Report } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { useEvery } from '../../part/polling.ts'
import { FormProblem, TextField } from '../../part/form.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Table } from '../../part/table.tsx'
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
  const columns = [
    {
      key: 'name',
      title: 'Database',
      show: ({ name, owner }: Database) => (
        <>
          {name}
          <span class="sub faint">owner {owner}</span>
        </>
      ),
    },
    {
      key: 'at',
      title: 'Address',
      show: ({ server, port, secretRef }: Database) => (
        <>
          <span class="clip wide" title={server}>
            {server}:{port}
          </span>
          <span class="sub faint">{secretRef ?? 'no secret yet'}</span>
        </>
      ),
    },
    {
      key: 'status',
      title: 'Status',
      show: ({ status, error }: Database) => (
        <>
          <span class={`badge ${status === 'available' ? 'good' : status === 'failed' ? 'failed' : ''}`}>{status}</span>
          {error && (
            <span class="sub">
              {error.message} {error.fixHint}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'do',
      title: 'Actions',
      show: ({ id, name }: Database) => (
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
    <Panel title="Databases" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={2}>
        {(data: DatabaseList) =>
          data.length === 0 ? (
            <Empty title="The server has no databases yet.">
              <p>
                <Next needs="provisioning.create" what="Creating one">
                  Create one with its own owner below.
                </Next>
              </p>
            </Empty>
          ) : (
            <Table caption="Databases" columns={columns} rows={data} keyOf={({ id }: Database) => id} />
          )
        }
      </ReportContent>
      <Make jobID={jobID} onDone={report.again} />
    </Panel>
  )
}

function Make({ jobID, onDone }: { jobID: string; onDone: () => void }) {
  const [draft, setDraft] = useState({ name: '', owner: '' })
  const doing = useRequest('POST /provisioning-jobs/:jobID/databases')
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ params: { jobID }, body: draft }, () => {
      setDraft({ name: '', owner: '' })
      onDone()
    })
  }
  return (
    <form class="form after" onSubmit={submit} noValidate>
      <div class="row">
        <TextField
          label="Database name"
          value={draft.name}
          onValue={(name: string) => setDraft({ ...draft, name })}
          at="/name"
          problem={doing.problem}
          isCode
        />
        <TextField
          label="Owner"
          value={draft.owner}
          onValue={(owner: string) => setDraft({ ...draft, owner })}
          at="/owner"
          problem={doing.problem}
          isCode
        />
      </div>
      <FormProblem problem={doing.problem} fields={['/name', '/owner']} />
      <p class="bar">
        <Act type="submit" needs="provisioning.create" disabled={doing.isBusy}>
          Create database
        </Act>{' '}
        <span class="faint">
          There is no cost beyond the server. A user is created with it, and its password is stored encrypted. You can
          drop it again.
        </span>
      </p>
    </form>
  )
}
