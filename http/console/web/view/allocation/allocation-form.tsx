/** Creates or changes a rule that gives resources a team. */
import { param, params, hrefOf } from '../../router.ts'
import { useRequest } from '../../report.ts'
import type { FormField } from '../../part/form/field.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import {
  allocationDraft,
  allocationEmpty,
  allocationSpecOf,
  type AllocationDraft,
  type AllocationMode,
} from './draft.ts'
import { AllocationMoves, TeamsIf } from './moves.tsx'
import { DeleteAllocation } from './delete.tsx'
import { RuleForm, type RuleFormProps } from './rule-form.tsx'
import type { Names } from './names.ts'

const modes: readonly { value: AllocationMode; title: string }[] = [
  { value: 'tag-names', title: 'A tag names the team' },
  { value: 'tag', title: 'Resources with a tag → one team' },
  { value: 'account', title: 'Accounts → one team' },
  { value: 'spec', title: 'Conditions as JSON' },
]

/** A new one, as the address wishes it: `key` and `alias=value = Team` of a tag, `to` a team. */
function startDraft(): AllocationDraft {
  const [key, to] = [param('key') ?? '', param('to') ?? '']
  return {
    ...allocationEmpty,
    mode: to ? 'account' : 'tag-names',
    key,
    team: to,
    aliases: params('alias').join('\n'),
    name: key ? `Team by tag ${key}` : '',
  }
}

const jsonHelp = (
  <>
    <code>priority</code>, <code>selector</code> (conditions that must all hold) and one of <code>team</code> and{' '}
    <code>teamFromTag</code>.
  </>
)

export const AllocationForm = ({ rule, names, onDone }: RuleFormProps) => (
  <RuleForm
    domain="allocation"
    rule={rule}
    title="New rule for resources"
    operation="POST /allocation/policies/preview"
    begun={(of) => (of ? allocationDraft(of) : startDraft())}
    specOf={allocationSpecOf}
    modeLabel="Match by"
    modes={modes}
    fields={(draft) => fieldsOf(draft, names)}
    jsonHelp={jsonHelp}
    show={(preview, { key, spec }) => (
      <>
        <AllocationMoves preview={preview} />
        <ByTeam key={key} spec={spec} policyID={rule?.id} />
      </>
    )}
    deletion={(onClose) => rule && <DeleteAllocation rule={rule} onClose={onClose} onDone={onDone} />}
    onDone={onDone}
  />
)

function fieldsOf({ mode, team }: AllocationDraft, names: Names): FormField<AllocationDraft>[] {
  const key = {
    name: 'key',
    label: 'Tag key',
    at: mode === 'tag' ? '/spec/selector' : '/spec/teamFromTag/key',
    isRequired: true,
    help: 'Not case-sensitive. Cloud tags take precedence over accepted suggestions.',
  } as const
  const byNames: FormField<AllocationDraft>[] = [
    key,
    {
      name: 'aliases',
      label: 'Aliases: value = team, one per line',
      rows: 4,
      at: '/spec/teamFromTag/aliases',
      placeholder: 'data-team = Data',
    },
    { name: 'create', label: 'Create a team for each name without one', kind: 'check' },
  ]
  const selection: FormField<AllocationDraft>[] =
    mode === 'tag'
      ? [key, { name: 'values', label: 'Values, one per line; leave empty to match any value', rows: 3 }]
      : [accountsField(names)]
  return [
    ...(mode === 'tag-names' ? byNames : [...selection, teamField(team, names)]),
    {
      name: 'priority',
      label: 'Priority',
      kind: 'number',
      at: '/spec/priority',
      bounds: '1 to 10,000',
      help: '1 is evaluated first. The first rule that assigns a team to a resource wins.',
    },
  ]
}

export const accountsField = ({ accounts }: Names) =>
  ({
    name: 'accounts',
    label: 'Accounts',
    kind: 'checks',
    options: accounts.map(({ id, name, provider }) => ({ value: id, title: `${name} (${provider})` })),
    at: '/spec/selector',
    help: accounts.length === 0 && 'No accounts yet.',
  }) as const

/** A team that is not on the list, as that is of the first hundred, stays what it is. */
function teamField(team: string, { teams }: Names): FormField<AllocationDraft> {
  const listed = teams.map(({ id, name }) => ({ value: id, title: name }))
  const isListed = listed.some(({ value }) => value === team)
  const first = { value: team, title: team === '' ? 'Choose one' : `Team ${team}` }
  return {
    name: 'team',
    label: 'Team',
    kind: 'choice',
    options: isListed ? listed : [first, ...listed],
    at: '/spec/team',
    help: listed.length === 0 && noTeams,
  }
}

export const noTeams = (
  <>
    No teams yet: <a href={hrefOf('teams')}>create one</a>.
  </>
)

/** Of each team before and after: computed day by day, so only when it is requested. */
function ByTeam({ spec, policyID }: { spec: unknown; policyID: string | undefined }) {
  const doing = useRequest('POST /what-if')
  const run = () => void doing.run({ body: { kind: 'allocation', change: { spec, ...(policyID && { policyID }) } } })
  if (doing.problem) return <ProblemMessage problem={doing.problem} again={run} />
  if (doing.done?.kind === 'allocation') return <TeamsIf answer={doing.done} />
  return (
    <p>
      <button type="button" disabled={doing.isBusy} onClick={run}>
        {doing.isBusy ? 'Calculating…' : 'Preview cost by team'}
      </button>
    </p>
  )
}
