/** Makes or changes a plan; what it would raise and cost is asked before it is saved. */
import { useState } from 'preact/hooks'
import { ask, type Reply } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import type { Problem } from '../../problem.ts'
import { useRequest, useReport } from '../../report.ts'
import { momentOf, ownZone, wallOf, zonedText, zones } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { ChecksField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits, Same } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'
import { numberOf } from '../allocation/draft.ts'
import { PlannedScaleUp } from './checks.tsx'
import type { ReadinessPlan } from './labels.ts'

export interface PlanFormProps {
  plan: ReadinessPlan | undefined
  onClose: () => void
  onDone: (saved: ReadinessPlan) => void
}

type Policy = Reply<'GET /autoscaler-policies'>['items'][number]

const fields = [
  '/name',
  '/description',
  '/eventStart',
  '/eventEnd',
  '/preScaleMinutes',
  '/postEventMinutes',
  '/expectedMultiplier',
  '/timezone',
  '/targets',
]
const weekMs = 7 * 86_400_000

const fresh = (now: number) => ({
  name: '',
  description: null,
  timezone: ownZone(),
  eventStart: new Date(now).toISOString(),
  eventEnd: new Date(now + 4 * 3_600_000).toISOString(),
  preScaleMinutes: 30,
  postEventMinutes: 45,
  expectedMultiplier: 2,
  targets: [],
})

function startDraft(plan: ReadinessPlan | undefined) {
  const of = plan ?? fresh(Math.ceil((Date.now() + weekMs) / 3_600_000) * 3_600_000)
  return {
    name: of.name,
    description: of.description ?? '',
    timezone: of.timezone,
    start: wallOf(of.eventStart, of.timezone),
    end: wallOf(of.eventEnd, of.timezone),
    pre: String(of.preScaleMinutes),
    post: String(of.postEventMinutes),
    times: String(of.expectedMultiplier),
    policies: of.targets.map(({ policyId }) => policyId),
  }
}
type Draft = ReturnType<typeof startDraft>

/** A time that is none is sent as it was typed: the API says what is wrong with it. */
const plannedOf = ({ start, end, timezone, pre, post, times, policies }: Draft) => ({
  eventStart: momentOf(start, timezone) ?? start,
  eventEnd: momentOf(end, timezone) ?? end,
  preScaleMinutes: numberOf(pre),
  postEventMinutes: numberOf(post),
  expectedMultiplier: numberOf(times),
  targets: policies.map((policyId) => ({ policyId })),
})

const bodyOf = (draft: Draft) => ({
  name: draft.name,
  description: draft.description.trim() === '' ? null : draft.description,
  timezone: draft.timezone,
  ...plannedOf(draft),
})

const labels = {
  description: 'Description',
  timezone: 'Time zone',
  start: 'Event start',
  end: 'Event end',
  pre: 'Scale up, minutes before',
  post: 'Restore, minutes after',
  times: 'Load multiplier',
}

const makes = { heading: 'New plan', needs: 'service.create', button: 'Create plan…' }
const changes = { heading: 'Edit plan', needs: 'service.update', button: 'Save…' }

export function PlanForm({ plan, onClose, onDone }: PlanFormProps) {
  const look = async () =>
    (await ask('GET /event-readiness/:eventID', { params: { eventID: plan!.id } })).data as ReadinessPlan
  const editing = useEditing({ thing: plan, begun: startDraft, look })
  const { draft, set, base, settle } = editing
  const [isAsked, setAsked] = useState(false)
  const policies = useReport('GET /autoscaler-policies', { query: { limit: 100 } })
  const making = useRequest('POST /event-readiness')
  const changing = useRequest('PATCH /event-readiness/:eventID')
  const { problem } = plan ? changing : making
  const request = plan
    ? {
        operation: 'PATCH /event-readiness/:eventID' as const,
        params: { eventID: plan.id },
        doing: changing,
        title: 'Save this plan?',
        action: 'Save changes',
      }
    : { operation: 'POST /event-readiness' as const, doing: making, title: 'Create this plan?', action: 'Create' }
  const planned = plannedOf(draft)
  const body = plan ? diffFields(bodyOf(base), bodyOf(draft)) : bodyOf(draft)
  const isSame = Object.keys(body).length === 0
  const field = (
    name: 'name' | 'description' | 'timezone' | 'start' | 'end' | 'pre' | 'post' | 'times',
    label: string,
    at: string,
    more: object = {},
  ) => (
    <TextField
      label={label}
      value={draft[name]}
      onValue={(value: string) => set({ [name]: value })}
      at={at}
      problem={problem}
      {...more}
    />
  )
  const items = policies.data?.items ?? ([] as Policy[])
  const names = new Map(items.map((one) => [one.id, one.name]))
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => setAsked(true))
  }
  const words = plan ? changes : makes
  return (
    <Panel title={words.heading}>
      <form class="form" onSubmit={submit} noValidate>
        {field('name', 'Name', '/name', { required: true })}
        {field('description', 'Description', '/description')}
        {field('timezone', 'Time zone', '/timezone', { offered: zones(), isCode: true })}
        <div class="row">
          {field('start', 'Event start', '/eventStart', { type: 'datetime-local' })}
          {field('end', 'Event end', '/eventEnd', { type: 'datetime-local' })}
        </div>
        <div class="row">
          {field('pre', 'Scale up, minutes before', '/preScaleMinutes', { inputMode: 'numeric' })}
          {field('post', 'Restore, minutes after', '/postEventMinutes', { inputMode: 'numeric' })}
          {field('times', 'Load multiplier', '/expectedMultiplier', { inputMode: 'decimal' })}
        </div>
        <Policies
          items={items}
          chosen={draft.policies}
          problem={problem}
          onValue={(chosen: string[]) => set({ policies: chosen })}
        />
        <Beforehand planned={planned} names={names} />
        <ConcurrentEdits editing={editing} labels={labels} />
        <FormProblem problem={problem} fields={fields} />
        <p class="bar">
          <Act type="submit" needs={words.needs} class="main" disabled={isSame}>
            {words.button}
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
          <Happens plan={plan} planned={planned} zone={draft.timezone} />
        </ConfirmDialog>
      )}
    </Panel>
  )
}

interface HappensProps {
  plan: ReadinessPlan | undefined
  planned: ReturnType<typeof plannedOf>
  zone: string
}

function Happens({ plan, planned: { eventStart, preScaleMinutes }, zone }: HappensProps) {
  const isScheduled = plan?.status === 'scheduled' || plan?.status === 'scheduling'
  if (!isScheduled)
    return (
      <p>
        The plan is a draft: nothing scales up and nothing is charged until you schedule it. You can edit or delete it.
      </p>
    )
  const start = Number.isNaN(Date.parse(eventStart)) ? eventStart : zonedText(eventStart, zone)
  return (
    <p>
      The plan stays scheduled: its targets are reserved again and scaled up {preScaleMinutes} minutes before {start}.
      You can edit it again until then.
    </p>
  )
}

interface PoliciesProps {
  items: readonly Policy[]
  chosen: readonly string[]
  problem: Problem | undefined
  onValue: (chosen: string[]) => void
}

function Policies({ items, chosen, problem, onValue }: PoliciesProps) {
  if (items.length === 0)
    return (
      <p class="note">
        No policies yet: <a href={hrefOf('scaling', { new: 'policy' })}>create one for the fleet</a> to scale up.
      </p>
    )
  const options = items.map(({ id, name, target }) => ({ value: id, title: `${name} (${target.uid})` }))
  return (
    <ChecksField
      label="Policies to scale up"
      options={options}
      chosen={chosen}
      onValue={onValue}
      at="/targets"
      problem={problem}
    />
  )
}

function Beforehand({ planned, names }: { planned: ReturnType<typeof plannedOf>; names: ReadonlyMap<string, string> }) {
  const previewing = useRequest('POST /event-readiness/preview-readiness')
  const pricing = useRequest('POST /event-readiness/cost-preview')
  const [asked, setAsked] = useState('')
  const { preScaleMinutes: _pre, postEventMinutes: _post, ...event } = planned
  const ask = () => {
    setAsked(JSON.stringify(planned))
    void previewing.run({ body: planned })
    void pricing.run({ body: event })
  }
  const isOld = asked !== '' && asked !== JSON.stringify(planned)
  const isBusy = previewing.isBusy || pricing.isBusy
  const problem = previewing.problem ?? pricing.problem
  return (
    <div class={isOld ? 'preview old' : 'preview'}>
      <p class="bar">
        <button type="button" disabled={isBusy} onClick={ask}>
          {isBusy ? 'Checking…' : 'Preview scale-up and cost'}
        </button>
        {isOld && <span class="note">The plan has changed since this preview. Preview it again.</span>}
      </p>
      {problem && <ProblemMessage problem={problem} />}
      {previewing.done && <PlannedScaleUp preview={previewing.done} names={names} />}
      {pricing.done && (
        <p>
          Estimated extra cost of the event itself: <strong>{usd(pricing.done.estimatedExtraCost)}</strong>, excluding
          the time before and after it. {pricing.done.warnings?.join(' ')}
        </p>
      )}
    </div>
  )
}
