/** Makes or changes a plan; what it would raise and cost is asked before it is saved. */
import { useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { numberOf, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { momentOf, ownZone, wallOf, zonedText } from '../../zone.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { PlannedScaleUp } from './checks.tsx'
import type { ReadinessPlan } from './labels.ts'

export interface PlanFormProps {
  plan: ReadinessPlan | undefined
  onClose: () => void
  onDone: (saved: ReadinessPlan) => void
}

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

export function PlanForm({ plan, onClose, onDone }: PlanFormProps) {
  const params = { eventID: plan?.id ?? '' }
  const policies = useReport('GET /autoscaler-policies', { query: { limit: 100 } }).data?.items ?? []
  const names = new Map(policies.map((one) => [one.id, one.name]))
  const fields: FormField<Draft>[] = [
    { name: 'name', label: 'Name', isRequired: true },
    { name: 'description', label: 'Description' },
    { name: 'timezone', label: 'Time zone', kind: 'zone' },
    {
      row: [
        { name: 'start', label: 'Event start', kind: 'datetime-local', at: '/eventStart' },
        { name: 'end', label: 'Event end', kind: 'datetime-local', at: '/eventEnd' },
      ],
    },
    {
      row: [
        { name: 'pre', label: 'Scale up, minutes before', kind: 'number', at: '/preScaleMinutes' },
        { name: 'post', label: 'Restore, minutes after', kind: 'number', at: '/postEventMinutes' },
        { name: 'times', label: 'Load multiplier', kind: 'number', at: '/expectedMultiplier' },
      ],
    },
    policies.length === 0
      ? { at: '/targets', show: () => noPolicies }
      : {
          name: 'policies',
          label: 'Policies to scale up',
          kind: 'checks',
          at: '/targets',
          options: policies.map(({ id, name, target }) => ({ value: id, title: `${name} (${target.uid})` })),
        },
  ]
  return (
    <Form
      noun="plan"
      thing={plan}
      begun={startDraft}
      look={async () => (await ask('GET /event-readiness/:eventID', { params })).data as ReadinessPlan}
      fields={() => fields}
      body={bodyOf}
      create="POST /event-readiness"
      update="PATCH /event-readiness/:eventID"
      params={plan && params}
      confirm={(draft) => ({
        title: plan ? 'Save this plan?' : 'Create this plan?',
        action: plan ? 'Save changes' : 'Create',
        children: <Happens plan={plan} planned={plannedOf(draft)} zone={draft.timezone} />,
      })}
      onClose={onClose}
      onDone={onDone}
    >
      {(draft) => <Beforehand planned={plannedOf(draft)} names={names} />}
    </Form>
  )
}

const noPolicies = (
  <p class="note">
    No policies yet: <a href={hrefOf('scaling', { new: 'policy' })}>create one for the fleet</a> to scale up.
  </p>
)

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
