/** Makes or changes a policy. */
import { ask } from '../../api.ts'
import { useRequest } from '../../report.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { PickResource, type InventoryResource } from '../../part/pick-resource.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { startDraft, bodyOf, type PolicyDraft } from './draft.ts'
import { Triggers } from './triggers.tsx'
import { modes, type Mode, type Policy } from './labels.ts'

export interface PolicyFormProps {
  policy: Policy | undefined
  onClose: () => void
  onDone: (saved: Policy) => void
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

const noLimit = 'leave empty for no limit'

const fieldsOf = (
  draft: PolicyDraft,
  set: (changes: Partial<PolicyDraft>) => void,
  isNew: boolean,
): FormField<PolicyDraft>[] => [
  { name: 'name', label: 'Name', isRequired: true },
  isNew && { at: '/target', show: () => <Target draft={draft} set={set} /> },
  isNew && {
    row: [
      { name: 'type', label: 'Target type', kind: 'code', at: '/target/type' },
      { name: 'cloudAccountID', label: 'Account', kind: 'code' },
    ],
  },
  isNew && { show: () => <Advise draft={draft} set={set} /> },
  isNew && {
    name: 'mode',
    label: 'Mode',
    kind: 'choice',
    options: modeOptions,
    help: 'The mode cannot be changed later. For another mode, create another policy.',
  },
  {
    row: [
      { name: 'min', label: 'Minimum units', kind: 'number' },
      { name: 'max', label: 'Maximum units', kind: 'number' },
      { name: 'targetCPUPercent', label: 'Target CPU, percent', kind: 'number' },
    ],
  },
  {
    row: [
      { name: 'cooldownSeconds', label: 'Cooldown, seconds', kind: 'number' },
      { name: 'up', label: 'Maximum units added per change', kind: 'number', at: '/step/up', help: noLimit },
      { name: 'down', label: 'Maximum units removed per change', kind: 'number', at: '/step/down', help: noLimit },
    ],
  },
  {
    name: 'maxHourlyUSD',
    label: 'Maximum hourly cost (USD)',
    kind: 'number',
    help: `${noLimit}; the minimum takes precedence`,
  },
  {
    at: '/triggers',
    show: (problem) => (
      <Triggers triggers={draft.triggers} problem={problem} onTriggers={(triggers) => set({ triggers })} />
    ),
  },
  { name: 'adoption', label: 'Existing scaling policies of the target', kind: 'choice', options: adoptions },
]

export function PolicyForm({ policy, onClose, onDone }: PolicyFormProps) {
  const params = { policyID: policy?.id ?? '' }
  return (
    <Form
      noun="policy"
      thing={policy}
      begun={startDraft}
      look={async () => (await ask('GET /autoscaler-policies/:policyID', { params })).data as Policy}
      fields={(draft, set) => fieldsOf(draft, set, policy === undefined)}
      body={bodyOf}
      create="POST /autoscaler-policies"
      update="PUT /autoscaler-policies/:policyID"
      params={policy && params}
      confirm={(draft) => ({
        title: policy ? 'Save this policy?' : 'Create this policy?',
        action: policy ? 'Save changes' : 'Create',
        children: <Happens draft={draft} mode={policy?.effectiveMode ?? draft.mode} />,
      })}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

const Happens = ({ draft, mode }: { draft: PolicyDraft; mode: Mode }) => (
  <>
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
  </>
)

interface TargetProps {
  draft: PolicyDraft
  set: (changes: Partial<PolicyDraft>) => void
}

/** Chosen from the inventory, or typed. */
function Target({ draft, set }: TargetProps) {
  const pick = (one: InventoryResource | undefined, uid: string) =>
    set({ uid, ...(one && { type: one.type, cloudAccountID: one.cloudAccountID, name: draft.name || one.name }) })
  return (
    <PickResource
      label="Target"
      chosen={draft.uid === '' ? [] : [draft.uid]}
      onPick={pick}
      onRemove={() => set({ uid: '' })}
      hint="an instance group, a container service, a node pool or a Kubernetes workload"
    />
  )
}

/** The last 14 days of the target advise the rest. */
function Advise({ draft: { cloudAccountID, type, uid }, set }: TargetProps) {
  const advising = useRequest('GET /autoscaler-policies/smart-defaults')
  const advise = () =>
    void advising.run(
      { query: { cloud_account_id: cloudAccountID, target_type: type, target_uid: uid } },
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
      <p class="bar">
        <button
          type="button"
          disabled={advising.isBusy || uid === '' || type === '' || cloudAccountID === ''}
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
