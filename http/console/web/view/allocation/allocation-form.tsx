/** Makes or changes a rule that gives resources a team: what moves is shown before anything is saved. */
import { useState } from 'preact/hooks'
import { useEditing } from '../../editing.ts'
import { param, params, hrefOf } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { CheckField, ChecksField, ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import {
  allocationDraft,
  allocationEmpty,
  allocationSpecOf,
  type AllocationDraft,
  type AllocationMode,
} from './draft.ts'
import { AllocationMoves, TeamsIf } from './moves.tsx'
import { policyNow, type Policy } from './policies.ts'
import { DeleteAllocation } from './delete.tsx'
import { Preview, useSaving } from './save-rule.tsx'
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
  const mode = to ? 'account' : 'tag-names'
  return {
    ...allocationEmpty,
    mode,
    key,
    team: to,
    aliases: params('alias').join('\n'),
    name: key ? `Team by tag ${key}` : '',
  }
}

/** Where the errors of the simple forms stand; of the others all are said together. */
const fieldsOf: Readonly<Record<AllocationMode, readonly string[]>> = {
  'tag-names': ['/name', '/spec/priority', '/spec/teamFromTag/key', '/spec/teamFromTag/aliases'],
  tag: ['/name', '/spec/priority', '/spec/selector', '/spec/team'],
  account: ['/name', '/spec/priority', '/spec/selector', '/spec/team'],
  spec: ['/name', '/spec'],
}

export interface RuleFormProps {
  rule: Policy | undefined
  names: Names
  onDone: () => void
}

export function AllocationForm({ rule, names, onDone }: RuleFormProps) {
  const editing = useEditing({
    thing: rule,
    begun: (of: Policy | undefined) => (of ? allocationDraft(of) : startDraft()),
    look: () => policyNow(rule!),
  })
  const { draft, set, settle } = editing
  const [isDeleting, setDeleting] = useState(false)
  const saving = useSaving('allocation', { rule, draft, settle, specOf: () => allocationSpecOf(draft) })
  const preview = useRequest('POST /allocation/policies/preview')
  const problem = saving.problem ?? preview.problem
  const toMode = (mode: string) =>
    set({
      mode: mode as AllocationMode,
      ...(mode === 'spec' && draft.mode !== 'spec' && { text: JSON.stringify(allocationSpecOf(draft), undefined, 2) }),
    })
  const ask = (event: Event) => {
    event.preventDefault()
    saving.preview((spec) => preview.run({ body: { spec, ...(rule && { policyID: rule.id }) } }))
  }
  return (
    <Panel
      title={rule ? 'Edit rule' : 'New rule for resources'}
      tools={
        rule && (
          <Act needs="service.delete" class="danger" onClick={() => setDeleting(true)}>
            Delete…
          </Act>
        )
      }
    >
      {isDeleting && rule && <DeleteAllocation rule={rule} onClose={() => setDeleting(false)} onDone={onDone} />}
      <form class="form" onSubmit={ask} noValidate>
        <TextField
          label="Rule name"
          value={draft.name}
          onValue={(name: string) => set({ name })}
          at="/name"
          problem={problem}
          required
        />
        <ChoiceField label="Match by" value={draft.mode} onValue={toMode} options={modes} />
        <Fields draft={draft} set={set} problem={problem} names={names} />
        {draft.mode !== 'spec' && (
          <TextField
            label="Priority"
            value={draft.priority}
            onValue={(priority: string) => set({ priority })}
            at="/spec/priority"
            problem={problem}
            inputMode="numeric"
            hint="1 to 10,000; 1 is evaluated first. The first rule that assigns a team to a resource wins."
          />
        )}
        <CheckField label="Enabled" isOn={draft.enabled} onValue={(enabled: boolean) => set({ enabled })} />
        {saving.textProblem && (
          <p class="note bad" role="alert">
            {saving.textProblem}
          </p>
        )}
        <ConcurrentEdits editing={editing} />
        <FormProblem problem={problem} fields={fieldsOf[draft.mode]} />
        <Preview saving={saving} isBusy={preview.isBusy} onDone={onDone} cancel={hrefOf('allocation')}>
          {preview.done && (
            <>
              <AllocationMoves preview={preview.done} />
              <ByTeam key={saving.previewed} spec={saving.spec} policyID={rule?.id} />
            </>
          )}
        </Preview>
      </form>
    </Panel>
  )
}

interface FieldsProps {
  draft: AllocationDraft
  set: (changes: Partial<AllocationDraft>) => void
  problem: ReturnType<typeof useSaving>['problem']
  names: Names
}

function Fields({ draft, set, problem, names }: FieldsProps) {
  const { mode } = draft
  if (mode === 'spec')
    return (
      <TextField
        label="Rule as JSON"
        rows={14}
        value={draft.text}
        onValue={(text: string) => set({ text })}
        at="/spec"
        problem={problem}
        isCode
        hint={
          <>
            <code>priority</code>, <code>selector</code> (conditions that must all hold) and one of <code>team</code>{' '}
            and <code>teamFromTag</code>.
          </>
        }
      />
    )
  const key = (
    <TextField
      label="Tag key"
      value={draft.key}
      onValue={(value: string) => set({ key: value })}
      at={mode === 'tag' ? '/spec/selector' : '/spec/teamFromTag/key'}
      problem={problem}
      required
      hint="Not case-sensitive. Cloud tags take precedence over accepted suggestions."
    />
  )
  if (mode === 'tag-names')
    return (
      <>
        {key}
        <TextField
          label="Aliases: value = team, one per line"
          rows={4}
          value={draft.aliases}
          onValue={(aliases: string) => set({ aliases })}
          at="/spec/teamFromTag/aliases"
          problem={problem}
          placeholder="data-team = Data"
        />
        <CheckField
          label="Create a team for each name without one"
          isOn={draft.create}
          onValue={(create: boolean) => set({ create })}
        />
      </>
    )
  return (
    <>
      {mode === 'tag' ? (
        <>
          {key}
          <TextField
            label="Values, one per line; leave empty to match any value"
            rows={3}
            value={draft.values}
            onValue={(values: string) => set({ values })}
          />
        </>
      ) : (
        <ChecksField
          label="Accounts"
          options={names.accounts.map(({ id, name, provider }) => ({ value: id, title: `${name} (${provider})` }))}
          chosen={draft.accounts}
          onValue={(accounts: string[]) => set({ accounts })}
          at="/spec/selector"
          problem={problem}
          hint={names.accounts.length === 0 && 'No accounts yet.'}
        />
      )}
      <TeamChoice draft={draft} set={set} problem={problem} names={names} />
    </>
  )
}

/** A team that is not on the list, as that is of the first hundred, stays what it is. */
function TeamChoice({ draft, set, problem, names }: FieldsProps) {
  const listed = names.teams.map(({ id, name }) => ({ value: id, title: name }))
  const isListed = listed.some(({ value }) => value === draft.team)
  const options = isListed
    ? listed
    : [{ value: draft.team, title: draft.team === '' ? 'Choose one' : `Team ${draft.team}` }, ...listed]
  return (
    <ChoiceField
      label="Team"
      value={draft.team}
      onValue={(team: string) => set({ team })}
      options={options}
      at="/spec/team"
      problem={problem}
      required
      hint={
        listed.length === 0 && (
          <>
            No teams yet: <a href={hrefOf('teams')}>create one</a>.
          </>
        )
      }
    />
  )
}

/** Of each team before and after: worked out day by day, so only when it is wished for. */
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
