/** Where things are made: an account in a region, or a cluster. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { useRequest, useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Table } from '../../part/table.tsx'
import { useSpaces } from './use-spaces.ts'
import type { Space, Spaces as Known } from './labels.ts'

export function Spaces() {
  const { report } = useSpaces()
  if (!may('space.view'))
    return (
      <Empty title="Your role cannot view spaces.">
        <p>
          It requires the permission <code>space.view</code>. An administrator of your organization can grant it to you.
        </p>
      </Empty>
    )
  return (
    <>
      <Panel title="Spaces" tools={<Copies report={report} />}>
        <ReportContent report={report} rows={3}>
          {(data: Known) =>
            data.total === 0 ? (
              <Empty title="No spaces yet.">
                <p>
                  A space is an account in a region, or a cluster there. Everything is provisioned in a space.{' '}
                  <Next needs="space.create" what="Creating one">
                    Create the first one below.
                  </Next>
                </p>
              </Empty>
            ) : (
              <Table
                caption="Spaces"
                columns={columnsOf(report.again)}
                rows={data.items}
                keyOf={({ id }: Space) => id}
              />
            )
          }
        </ReportContent>
      </Panel>
      <MakeSpace onDone={report.again} />
    </>
  )
}

const columnsOf = (again: () => void) => [
  {
    key: 'name',
    title: 'Space',
    show: ({ name, kind, clusterUid }: Space) => (
      <>
        <span class="clip wide" dir="auto" title={name}>
          {name}
        </span>
        <span class="sub faint clip wide" title={clusterUid ?? ''}>
          {kind === 'cluster' ? `cluster ${clusterUid ?? ''}` : 'account in a region'}
        </span>
      </>
    ),
  },
  {
    key: 'where',
    title: 'Location',
    show: ({ provider, region, cloudAccountID }: Space) => (
      <>
        {provider} {region}
        <span class="sub faint">{cloudAccountID}</span>
      </>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    show: ({ status }: Space) => <span class={`badge ${status === 'active' ? 'good' : 'warning'}`}>{status}</span>,
  },
  {
    key: 'do',
    title: 'Actions',
    show: ({ id, name, status }: Space) => {
      const params = { spaceID: id }
      return (
        <>
          {status === 'active' ? (
            <ConfirmButton
              operation="PATCH /spaces/:spaceID"
              params={params}
              body={{ status: 'disabled' }}
              needs="space.update"
              label="Disable"
              of={name}
              title="Disable this space?"
              action="Disable space"
              onDone={again}
            >
              <p>
                Nothing new can be provisioned in <strong dir="auto">{name}</strong>. Existing resources remain, keep
                incurring costs, and can be retried or deleted. You can enable it again at any time.
              </p>
            </ConfirmButton>
          ) : (
            <ConfirmButton
              operation="PATCH /spaces/:spaceID"
              params={params}
              body={{ status: 'active' }}
              needs="space.update"
              label="Enable"
              of={name}
              title="Enable this space?"
              action="Enable space"
              onDone={again}
            >
              <p>
                You can provision in <strong dir="auto">{name}</strong> again. You can disable it again.
              </p>
            </ConfirmButton>
          )}
          <ConfirmButton
            operation="DELETE /spaces/:spaceID"
            params={params}
            needs="space.delete"
            isDanger
            label="Delete"
            of={name}
            title="Delete this space?"
            action="Delete space"
            onDone={again}
          >
            <p>
              <strong dir="auto">{name}</strong> is deleted; its account stays connected. Deletion is refused while the
              space contains anything. You can create a space for the same location again.
            </p>
          </ConfirmButton>
        </>
      )
    },
  },
]

type Account = Reply<'GET /cloud-accounts'>['items'][number]

function MakeSpace({ onDone }: { onDone: () => void }) {
  const [draft, setDraft] = useState({ name: '', cloudAccountID: '', region: '', clusterUid: '' })
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 } })
  const doing = useRequest('POST /spaces')
  const items = accounts.data?.items ?? ([] as Account[])
  const cloudAccountID = draft.cloudAccountID || (items[0]?.id ?? '')
  const submit = (event: Event) => {
    event.preventDefault()
    const { clusterUid, ...rest } = draft
    void doing.run(
      { body: { ...rest, cloudAccountID, ...(clusterUid.trim() !== '' && { clusterUid: clusterUid.trim() }) } },
      () => {
        setDraft({ name: '', cloudAccountID: '', region: '', clusterUid: '' })
        onDone()
      },
    )
  }
  const { problem } = doing
  return (
    <Panel title="New space">
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          value={draft.name}
          onValue={(name: string) => set({ name })}
          at="/name"
          problem={problem}
        />
        <div class="row">
          <ChoiceField
            label="Account"
            value={cloudAccountID}
            options={
              items.length > 0
                ? items.map(({ id, name }: Account) => ({ value: id, title: name }))
                : [{ value: '', title: 'no accounts connected yet' }]
            }
            onValue={(id: string) => set({ cloudAccountID: id })}
            at="/cloudAccountID"
            problem={problem}
          />
          <TextField
            label="Region"
            value={draft.region}
            onValue={(region: string) => set({ region })}
            at="/region"
            problem={problem}
            isCode
          />
        </div>
        <TextField
          label="Cluster UID from the inventory"
          value={draft.clusterUid}
          onValue={(clusterUid: string) => set({ clusterUid })}
          at="/clusterUid"
          problem={problem}
          isCode
          hint="only for a cluster space"
        />
        <FormProblem problem={problem} fields={['/name', '/cloudAccountID', '/region', '/clusterUid']} />
        <p class="bar">
          <Act type="submit" needs="space.create" class="main" disabled={doing.isBusy}>
            Create space
          </Act>{' '}
          <span class="faint">
            Nothing is created in the cloud and there is no cost. You can delete the space while it is empty.
          </span>
        </p>
      </form>
    </Panel>
  )
}
