/** Where things are made: an account in a region, or a cluster. */
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Clip } from '../../part/clip.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Form } from '../../part/form/form.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { Empty } from '../../part/report-content.tsx'
import { useSpaces } from './use-spaces.ts'
import type { Space } from './labels.ts'

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
      <ListView
        title="Spaces"
        noun="spaces"
        report={report}
        columns={columnsOf(report.again)}
        bones={3}
        empty={{
          title: 'No spaces yet.',
          children: (
            <p>
              A space is an account in a region, or a cluster there. Everything is provisioned in a space.{' '}
              <Next needs="space.create" what="Creating one">
                Create the first one below.
              </Next>
            </p>
          ),
        }}
      />
      <NewSpace onDone={report.again} />
    </>
  )
}

const columnsOf = (again: () => void): Column<Space>[] => [
  {
    title: 'Space',
    text: ({ name }) => name,
    sub: ({ kind, clusterUid }) => (
      <Clip text={kind === 'cluster' ? `cluster ${clusterUid ?? ''}` : 'account in a region'} size="wide" />
    ),
  },
  {
    title: 'Location',
    show: ({ provider, region }) => `${provider} ${region}`,
    sub: ({ cloudAccountID }) => cloudAccountID,
  },
  { title: 'Status', text: ({ status }) => status, badge: ({ status }) => (status === 'active' ? 'good' : 'warning') },
  {
    title: 'Actions',
    isAction: true,
    show: (space) => (
      <>
        <Switch space={space} again={again} />
        <ConfirmButton
          operation="DELETE /spaces/:spaceID"
          params={{ spaceID: space.id }}
          needs="space.delete"
          isDanger
          label="Delete"
          of={space.name}
          title="Delete this space?"
          action="Delete space"
          onDone={again}
        >
          <p>
            <strong dir="auto">{space.name}</strong> is deleted; its account stays connected. Deletion is refused while
            the space contains anything. You can create a space for the same location again.
          </p>
        </ConfirmButton>
      </>
    ),
  },
]

function Switch({ space: { id, name, status }, again }: { space: Space; again: () => void }) {
  const isOn = status === 'active'
  const verb = isOn ? 'Disable' : 'Enable'
  return (
    <ConfirmButton
      operation="PATCH /spaces/:spaceID"
      params={{ spaceID: id }}
      body={{ status: isOn ? 'disabled' : 'active' }}
      needs="space.update"
      label={verb}
      of={name}
      title={`${verb} this space?`}
      action={`${verb} space`}
      onDone={again}
    >
      <p>
        {isOn ? 'Nothing new can be provisioned in' : 'You can provision in'} <strong dir="auto">{name}</strong>
        {isOn
          ? '. Existing resources remain, keep incurring costs, and can be retried or deleted. You can enable it again at any time.'
          : ' again. You can disable it again.'}
      </p>
    </ConfirmButton>
  )
}

const startDraft = () => ({ name: '', cloudAccountID: '', region: '', clusterUid: '' })

function NewSpace({ onDone }: { onDone: () => void }) {
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 } }).data?.items ?? []
  const options =
    accounts.length > 0
      ? accounts.map(({ id, name }) => ({ value: id, title: name }))
      : [{ value: '', title: 'no accounts connected yet' }]
  return (
    <Form
      noun="space"
      isStanding
      begun={startDraft}
      fields={() => [
        { name: 'name', label: 'Name' },
        {
          row: [
            { name: 'cloudAccountID', label: 'Account', kind: 'choice', options },
            { name: 'region', label: 'Region', kind: 'code' },
          ],
        },
        {
          name: 'clusterUid',
          label: 'Cluster UID from the inventory',
          kind: 'code',
          help: 'only for a cluster space',
        },
      ]}
      body={({ clusterUid, cloudAccountID, ...rest }) => ({
        ...rest,
        cloudAccountID: cloudAccountID || (accounts[0]?.id ?? ''),
        ...(clusterUid.trim() !== '' && { clusterUid: clusterUid.trim() }),
      })}
      create="POST /spaces"
      needs={{ create: 'space.create' }}
      after={() => (
        <span class="faint">
          Nothing is created in the cloud and there is no cost. You can delete the space while it is empty.
        </span>
      )}
      onDone={onDone}
    />
  )
}
