/** Makes or changes a policy. */
import { useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits, Same } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { PickResource, type InventoryResource } from '../../part/pick-resource.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'
import { startDraft, bodyOf, type PolicyDraft } from './draft.ts'
import { Triggers } from './triggers.tsx'
import { modes, type Mode, type Policy } from './labels.ts'

export interface PolicyFormProps {
  policy: Policy | undefined
  onClose: () => void
  onDone: (saved: Policy) => void
}

const fields = [
  '/name',
  '/mode',
  '/cloudAccountID',
  '/target',
  '/min',
  '/max',
  '/targetCPUPercent',
  '/cooldownSeconds',
  '/triggers',
  '/adoption',
  '/step',
  '/maxHourlyUSD',
]
const labels = {
  min: 'Minimum units',
  max: 'Maximum units',
  targetCPUPercent: 'Target CPU, percent',
  cooldownSeconds: 'Cooldown, seconds',
  up: 'Maximum units added per change',
  down: 'Maximum units removed per change',
  maxHourlyUSD: 'Maximum hourly cost (USD)',
  adoption: 'Existing scaling policies of the target',
}
const modeOptions = Object.entries(modes).map(([value, { title, does }]) => ({
  value: value as Mode,
  title: `${title}: ${does}`,
}))
const adoptions = [
  { value: '', title: 'not specified' },
  { value: 'adopt', title: 'adopt: they stay, only the limits change' },
  { value: 'replace', title: 'replace: the first change removes them' },
]

/** Of one that there is: what differs from `base`. */
const bodyNow = (draft: PolicyDraft, base: PolicyDraft | undefined): object =>
  base ? diffFields(bodyOf(base, false), bodyOf(draft, false)) : bodyOf(draft, true)

export function PolicyForm({ policy, onClose, onDone }: PolicyFormProps) {
  const look = async () =>
    (await ask('GET /autoscaler-policies/:policyID', { params: { policyID: policy!.id } })).data as Policy
  const editing = useEditing({ thing: policy, begun: startDraft, look })
  const { draft, set, before, settle } = editing
  const body = bodyNow(draft, before)
  const isSame = Object.keys(body).length === 0
  const [isAsked, setAsked] = useState(false)
  const making = useRequest('POST /autoscaler-policies')
  const changing = useRequest('PUT /autoscaler-policies/:policyID')
  const { problem } = policy ? changing : making
  const request = policy
    ? {
        operation: 'PUT /autoscaler-policies/:policyID' as const,
        params: { policyID: policy.id },
        doing: changing,
        title: 'Save this policy?',
        action: 'Save changes',
      }
    : { operation: 'POST /autoscaler-policies' as const, doing: making, title: 'Create this policy?', action: 'Create' }
  const field = (name: Exclude<keyof PolicyDraft, 'triggers'>, label: string, at: string, more: object = {}) => (
    <TextField
      label={label}
      value={draft[name]}
      onValue={(value: string) => set({ [name]: value })}
      at={at}
      problem={problem}
      {...more}
    />
  )
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => setAsked(true))
  }
  const mode = policy?.effectiveMode ?? draft.mode
  return (
    <Panel title={policy ? 'Edit policy' : 'New policy'}>
      <form class="form" onSubmit={submit} noValidate>
        {field('name', 'Name', '/name', { required: true })}
        {!policy && (
          <>
            <Target draft={draft} set={set} problem={problem} />
            <ChoiceField
              label="Mode"
              value={draft.mode}
              options={modeOptions}
              onValue={(value: Mode) => set({ mode: value })}
              at="/mode"
              problem={problem}
              hint="The mode cannot be changed later. For another mode, create another policy."
            />
          </>
        )}
        <div class="row">
          {field('min', 'Minimum units', '/min', { inputMode: 'numeric' })}
          {field('max', 'Maximum units', '/max', { inputMode: 'numeric' })}
          {field('targetCPUPercent', 'Target CPU, percent', '/targetCPUPercent', { inputMode: 'decimal' })}
        </div>
        <div class="row">
          {field('cooldownSeconds', 'Cooldown, seconds', '/cooldownSeconds', { inputMode: 'numeric' })}
          {field('up', 'Maximum units added per change', '/step/up', {
            inputMode: 'numeric',
            hint: 'leave empty for no limit',
          })}
          {field('down', 'Maximum units removed per change', '/step/down', {
            inputMode: 'numeric',
            hint: 'leave empty for no limit',
          })}
        </div>
        {field('maxHourlyUSD', 'Maximum hourly cost (USD)', '/maxHourlyUSD', {
          inputMode: 'decimal',
          hint: 'leave empty for no limit; the minimum takes precedence',
        })}
        <Triggers
          triggers={draft.triggers}
          problem={problem}
          onTriggers={(triggers: PolicyDraft['triggers']) => set({ triggers })}
        />
        <ChoiceField
          label="Existing scaling policies of the target"
          value={draft.adoption}
          options={adoptions}
          onValue={(adoption: string) => set({ adoption })}
          at="/adoption"
          problem={problem}
        />
        <ConcurrentEdits editing={editing} labels={labels} />
        <FormProblem problem={problem} fields={fields} />
        <p class="bar">
          <Act type="submit" needs={policy ? 'service.update' : 'service.create'} class="main" disabled={isSame}>
            {policy ? 'Save…' : 'Create policy…'}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Same isSame={isSame} />
        </p>
      </form>
      {isAsked && (
        <ConfirmDialog
          {...request}
          body={body}
          settle={settle}
          closesOnProblem
          onDone={onDone}
          onClose={() => setAsked(false)}
        >
          <p>
            <strong class="clip wide" dir="auto">
              {draft.uid}
            </strong>
            : {draft.min} to {draft.max} units, target CPU {draft.targetCPUPercent}%. {modes[mode].does} It is evaluated
            immediately.
          </p>
          <p>
            {draft.maxHourlyUSD === ''
              ? `Up to ${draft.max} units may run, each at the cost of one unit.`
              : `It may cost at most $${draft.maxHourlyUSD} per hour, unless its minimum requires more.`}{' '}
            You can pause, edit or remove it at any time; the target then stays as it is.
          </p>
          {draft.adoption === 'replace' && (
            <p class="note bad">
              The first change removes the target’s own scaling policies. This cannot be undone from here.
            </p>
          )}
        </ConfirmDialog>
      )}
    </Panel>
  )
}

/** Chosen from the inventory, or typed; its last 14 days advise the rest. */
function Target({
  draft,
  set,
  problem,
}: {
  draft: PolicyDraft
  set: (changes: Partial<PolicyDraft>) => void
  problem: Parameters<typeof FormProblem>[0]['problem']
}) {
  const advising = useRequest('GET /autoscaler-policies/smart-defaults')
  const pick = (one: InventoryResource | undefined, uid: string) =>
    set({ uid, ...(one && { type: one.type, cloudAccountID: one.cloudAccountID, name: draft.name || one.name }) })
  const advise = () =>
    void advising.run(
      { query: { cloud_account_id: draft.cloudAccountID, target_type: draft.type, target_uid: draft.uid } },
      ({ min, max, targetCPUPercent, cooldownSeconds }) =>
        set({
          min: String(min),
          max: String(max),
          targetCPUPercent: String(targetCPUPercent),
          cooldownSeconds: String(cooldownSeconds),
        }),
    )
  const said = advising.done?.basedOn
  return (
    <>
      <PickResource
        label="Target"
        chosen={draft.uid === '' ? [] : [draft.uid]}
        onPick={pick}
        onRemove={() => set({ uid: '' })}
        hint="an instance group, a container service, a node pool or a Kubernetes workload"
      />
      <div class="row">
        <TextField
          label="Target type"
          value={draft.type}
          onValue={(type: string) => set({ type })}
          at="/target/type"
          problem={problem}
          isCode
        />
        <TextField
          label="Account"
          value={draft.cloudAccountID}
          onValue={(cloudAccountID: string) => set({ cloudAccountID })}
          at="/cloudAccountID"
          problem={problem}
          isCode
        />
      </div>
      <p class="bar">
        <button
          type="button"
          disabled={advising.isBusy || draft.uid === '' || draft.type === '' || draft.cloudAccountID === ''}
          onClick={advise}
        >
          Use values advised from the last 14 days
        </button>
        {said && (
          <span class="faint" role="status">
            {said.p95CPUPercent === null ? 'no metrics: these are the defaults' : `p95 CPU ${said.p95CPUPercent}%`}
          </span>
        )}
      </p>
      {advising.problem && <ProblemMessage problem={advising.problem} />}
    </>
  )
}
