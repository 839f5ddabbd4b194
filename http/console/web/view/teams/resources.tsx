/** The resources of a team, or those without one, a page at a time; chosen ones are given to a team, or taken from it, by hand. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { hrefOf, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Act } from '../../part/act.tsx'
import { Amount, Change } from '../../part/amount.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { ChoiceField } from '../../part/form.tsx'
import { Form } from '../../part/form/form.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { CostBasis } from '../../part/period.tsx'
import { compareAsked, costsAsked } from './query.ts'
import { unassignedID } from './rows.ts'

type ResourcePage = Reply<'GET /reports/teams/:teamID/resources'>
type Resource = ResourcePage['items'][number]

const pageSize = 25
/** What belongs to no resource is given to a team by rules for shared costs alone. Its rows are of an account each, which the report does not name: they have no receipt. */
const none = '(none)'

export interface ResourcesProps {
  id: string
  /** It is there: resources may be given to it. */
  isTeam: boolean
  onMoved: () => void
}

type Dialog = { kind: 'add' } | { kind: 'give' | 'take'; uids: readonly string[] }

export function Resources({ id, isTeam, onMoved }: ResourcesProps) {
  const report = useReport('GET /reports/teams/:teamID/resources', {
    params: { teamID: id },
    query: { ...costsAsked(), compare: compareAsked(), page: param('page') ?? 1, limit: pageSize },
    on: ['costs.changed'],
  })
  const [opened, setOpened] = useState<Dialog | undefined>()
  const close = () => setOpened(undefined)
  const moved = () => {
    close()
    report.again()
    onMoved()
    // What rules give follows a moment later.
    setTimeout(report.again, 2500)
  }
  const actions = (rows: readonly Resource[]) => {
    const uids = rows.map(({ resourceUid }) => resourceUid).filter((uid) => uid !== none)
    return (
      <>
        <Act needs="service.update" onClick={() => setOpened({ kind: 'give', uids })}>
          Assign to a team…
        </Act>
        {isTeam && (
          <Act needs="service.delete" onClick={() => setOpened({ kind: 'take', uids })}>
            Remove from this team…
          </Act>
        )}
      </>
    )
  }
  return (
    <ListView
      title="Resources"
      noun="resources of a team"
      about={<CostBasis meta={report.meta} />}
      report={report}
      columns={columnsOf(id)}
      keyOf={({ resourceUid, provider, resourceType }) => `${provider} ${resourceType} ${resourceUid}`}
      pageSize={pageSize}
      bones={8}
      tools={
        isTeam && (
          <Act needs="service.update" onClick={() => setOpened({ kind: 'add' })}>
            Add by name
          </Act>
        )
      }
      bulk={
        may('service.update') || may('service.delete')
          ? {
              nameOf: ({ resourceName }) => resourceName,
              canChoose: ({ resourceUid }) => resourceUid !== none,
              actions,
            }
          : undefined
      }
      intro={opened && <Move id={id} opened={opened} onClose={close} onDone={moved} />}
      empty={id === unassignedID ? allAssigned : noResources}
    />
  )
}

const allAssigned = {
  title: 'Everything is assigned to a team.',
  children: (
    <p>
      <a href={hrefOf('teams')}>Go to teams</a>
    </p>
  ),
}

const noResources = {
  title: 'No resources with costs in this period.',
  children: (
    <p>
      <Next needs={['service.create', 'service.update']} what="Assigning resources">
        <a href={hrefOf('allocation', { new: 'allocation' })}>Create a rule</a> that assigns resources by tag or
        account, or add them by name.
      </Next>
    </p>
  ),
}

function Move({ id, opened, ...rest }: MoveProps & { id: string; opened: Dialog }) {
  if (opened.kind === 'add') return <Add id={id} {...rest} />
  return opened.kind === 'give' ? (
    <Give from={id} uids={opened.uids} {...rest} />
  ) : (
    <Take id={id} uids={opened.uids} {...rest} />
  )
}

const columnsOf = (id: string): Column<Resource>[] => [
  {
    title: 'Resource',
    text: ({ resourceUid, resourceName }) => (resourceUid === none ? 'no resource' : resourceName),
    hint: ({ resourceUid }) => resourceUid,
  },
  { title: 'Type', text: ({ resourceType }) => resourceType, sub: ({ provider }) => provider },
  {
    title: 'Cost',
    usd: ({ costUSD }) => costUSD,
    show: ({ resourceUid: uid, resourceName, costUSD }) => (
      <Amount
        usd={costUSD}
        receipt={uid === none ? undefined : { ...costsAsked(), team_id: id, 'filter[resource_uid]': uid }}
        label={resourceName}
      />
    ),
  },
  {
    title: 'Change',
    usd: ({ deltaUSD }) => deltaUSD,
    show: ({ deltaUSD, deltaPercent }) => <Change usd={deltaUSD} percent={deltaPercent} />,
  },
]

interface MoveProps {
  onClose: () => void
  onDone: () => void
}

function Give({ from, uids, onClose, onDone }: MoveProps & { from: string; uids: readonly string[] }) {
  const teams = useReport('GET /teams', { query: { limit: 100 } })
  const doing = useRequest('POST /teams/:teamID/resources')
  const options = (teams.data?.items ?? [])
    .filter(({ id }) => id !== from)
    .map(({ id, name }) => ({ value: id, title: name }))
  const [to, setTo] = useState('')
  const target = to || (options[0]?.value ?? '')
  const given = { params: { teamID: target }, body: { resourceUIDs: uids } }
  const run = () => void doing.run(given, onDone)
  return (
    <Confirm
      title={`Assign ${pluralize(uids.length, 'resource')} to a team`}
      action="Assign"
      doing={doing}
      request={{ operation: 'POST /teams/:teamID/resources', ...given }}
      onConfirm={run}
      onClose={onClose}
    >
      {options.length === 0 ? (
        <p>
          No other teams yet. <a href={hrefOf('teams')}>Create one</a> first.
        </p>
      ) : (
        <ChoiceField label="Team" value={target} onValue={setTo} options={options} />
      )}
      <p>
        This is a manual assignment: it overrides rules and includes their costs in all open months. To undo it, remove
        them from the team.
      </p>
    </Confirm>
  )
}

function Take({ id, uids, onClose, onDone }: MoveProps & { id: string; uids: readonly string[] }) {
  const doing = useRequest('DELETE /teams/:teamID/resources')
  const [removed, setRemoved] = useState<number | undefined>()
  const given = { params: { teamID: id }, body: { resourceUIDs: uids } }
  const run = () => void doing.run(given, (done) => setRemoved(done.removed))
  if (removed !== undefined)
    return (
      <Confirm
        title={`${pluralize(removed, 'resource')} removed from the team`}
        action="OK"
        doing={doing}
        onConfirm={onDone}
        onClose={onDone}
      >
        {removed < uids.length && (
          <p>
            {pluralize(uids.length - removed, 'resource')} assigned by a rule, not manually, so they stay. Edit the
            rule, or assign them to another team manually.
          </p>
        )}
      </Confirm>
    )
  return (
    <Confirm
      title={`Remove ${pluralize(uids.length, 'resource')} from the team?`}
      action="Remove"
      isDanger
      doing={doing}
      request={{ operation: 'DELETE /teams/:teamID/resources', ...given }}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        Manually assigned resources move to the team that rules assign, or to none, with their costs in all open months.
        Resources assigned by a rule stay. To undo this, assign them to the team again.
      </p>
    </Confirm>
  )
}

const uidsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const Add = ({ id, onClose, onDone }: MoveProps & { id: string }) => (
  <Form
    noun="resources of a team"
    title={null}
    action="Add resources"
    begun={() => ({ text: '' })}
    fields={() => [
      {
        name: 'text',
        label: 'Resources as named in bills (UID or ARN), one per line',
        rows: 4,
        at: '/resourceUIDs',
        help: 'Resources of another team move, with their costs in all open months. They need not be in the inventory.',
      },
    ]}
    body={({ text }) => ({ resourceUIDs: uidsOf(text) })}
    create="POST /teams/:teamID/resources"
    params={{ teamID: id }}
    needs={{ create: 'service.update' }}
    onClose={onClose}
    onDone={onDone}
  />
)
