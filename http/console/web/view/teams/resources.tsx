/** The resources of a team, or those without one, a page at a time; chosen ones are given to a team, or taken from it, by hand. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Act } from '../../part/act.tsx'
import { Amount, Change } from '../../part/amount.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copies } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
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

export function Resources({ id, isTeam, onMoved }: ResourcesProps) {
  const page = Number(param('page') ?? 1)
  const report = useReport('GET /reports/teams/:teamID/resources', {
    params: { teamID: id },
    query: { ...costsAsked(), compare: compareAsked(), page, limit: pageSize },
    on: ['costs.changed'],
  })
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [isOpen, setOpen] = useState<'give' | 'take' | 'add' | undefined>()
  const moved = () => {
    setChosen([])
    setOpen(undefined)
    report.again()
    onMoved()
    // What rules give follows a moment later.
    setTimeout(report.again, 2500)
  }
  const tools = (
    <>
      {isTeam && (
        <Act needs="service.update" onClick={() => setOpen('add')}>
          Add by name
        </Act>
      )}
      <Copies report={report} />
    </>
  )
  return (
    <Panel title="Resources" about={<CostBasis meta={report.meta} />} tools={tools}>
      {chosen.length > 0 && (
        <p class="bar note" role="status">
          {pluralize(chosen.length, 'resource')} selected.
          <Act needs="service.update" onClick={() => setOpen('give')}>
            Assign to a team…
          </Act>
          {isTeam && (
            <Act needs="service.delete" onClick={() => setOpen('take')}>
              Remove from this team…
            </Act>
          )}
          <button type="button" class="quiet" onClick={() => setChosen([])}>
            Clear selection
          </button>
        </p>
      )}
      {isOpen === 'give' && <Give from={id} uids={chosen} onClose={() => setOpen(undefined)} onDone={moved} />}
      {isOpen === 'add' && <Add id={id} onClose={() => setOpen(undefined)} onDone={moved} />}
      {isOpen === 'take' && <Take id={id} uids={chosen} onClose={() => setOpen(undefined)} onDone={moved} />}
      <ReportContent report={report} rows={8}>
        {(data: ResourcePage) =>
          data.items.length === 0 ? (
            <Empty
              title={
                id === unassignedID ? 'Everything is assigned to a team.' : 'No resources with costs in this period.'
              }
            >
              <p>
                {id === unassignedID ? (
                  <a href={hrefOf('teams')}>Go to teams</a>
                ) : (
                  <Next needs={['service.create', 'service.update']} what="Assigning resources">
                    <a href={hrefOf('allocation', { new: 'allocation' })}>Create a rule</a> that assigns resources by
                    tag or account, or add them by name.
                  </Next>
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Resources"
                columns={columnsOf(id, chosen, setChosen)}
                rows={data.items}
                keyOf={({ resourceUid, provider, resourceType }: Resource) =>
                  `${provider} ${resourceType} ${resourceUid}`
                }
              />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

function columnsOf(id: string, chosen: readonly string[], setChosen: (chosen: readonly string[]) => void) {
  const toggle = (uid: string) =>
    setChosen(chosen.includes(uid) ? chosen.filter((one) => one !== uid) : [...chosen, uid])
  const choice = {
    key: 'choose',
    title: 'Select',
    show: ({ resourceUid, resourceName }: Resource) =>
      resourceUid !== none && (
        <input
          type="checkbox"
          aria-label={`Select ${resourceName}`}
          checked={chosen.includes(resourceUid)}
          onChange={() => toggle(resourceUid)}
        />
      ),
  }
  return [
    ...(may('service.update') || may('service.delete') ? [choice] : []),
    {
      key: 'name',
      title: 'Resource',
      show: ({ resourceUid, resourceName }: Resource) => (
        <span class="clip wide" dir="auto" title={resourceUid}>
          {resourceUid === none ? 'no resource' : resourceName}
        </span>
      ),
    },
    {
      key: 'type',
      title: 'Type',
      show: ({ resourceType, provider }: Resource) => (
        <>
          <span class="clip" title={resourceType}>
            {resourceType}
          </span>
          <span class="faint">{provider}</span>
        </>
      ),
    },
    {
      key: 'cost',
      title: 'Cost',
      isFigure: true,
      show: ({ resourceUid, resourceName, costUSD }: Resource) => (
        <Amount
          usd={costUSD}
          receipt={
            resourceUid === none ? undefined : { ...costsAsked(), team_id: id, 'filter[resource_uid]': resourceUid }
          }
          label={resourceName}
        />
      ),
    },
    {
      key: 'change',
      title: 'Change',
      isFigure: true,
      show: ({ deltaUSD, deltaPercent }: Resource) => <Change usd={deltaUSD} percent={deltaPercent} />,
    },
  ]
}

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

function Add({ id, onClose, onDone }: MoveProps & { id: string }) {
  const [text, setText] = useState('')
  const doing = useRequest('POST /teams/:teamID/resources')
  const uids = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ params: { teamID: id }, body: { resourceUIDs: uids } }, onDone)
  }
  return (
    <form class="form" onSubmit={submit}>
      <TextField
        label="Resources as named in bills (UID or ARN), one per line"
        rows={4}
        value={text}
        onValue={setText}
        at="/resourceUIDs"
        problem={doing.problem}
        isCode
        hint="Resources of another team move, with their costs in all open months. They need not be in the inventory."
      />
      <FormProblem problem={doing.problem} fields={['/resourceUIDs']} />
      <p class="bar">
        <button type="submit" class="main" disabled={doing.isBusy}>
          Add {pluralize(uids.length, 'resource')}
        </button>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </form>
  )
}
