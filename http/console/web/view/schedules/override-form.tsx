/** Makes an override: brings something into a state at once and keeps schedules off it. */
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { momentOf, ownZone, wallOf, zonedText } from '../../zone.ts'
import { CostOf } from '../../part/cost-of.tsx'
import { WrongHere } from '../../part/form.tsx'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { PickResource, type InventoryResource } from '../../part/pick-resource.tsx'
import { priceText } from '../../part/price.ts'

const kinds = [
  { value: 'resource', title: 'Resource' },
  { value: 'resource_group', title: 'Resource group' },
]
const states = [
  { value: 'running', title: 'running' },
  { value: 'stopped', title: 'stopped' },
]
const hoursFirst = 4

const startDraft = () => ({
  scopeType: 'resource',
  scopeID: param('scope_id') ?? '',
  desiredState: 'running',
  until: wallOf(new Date(Date.now() + hoursFirst * 3_600_000).toISOString(), ownZone()),
  reason: '',
})
type Draft = ReturnType<typeof startDraft>

const bodyOf = ({ until, reason, ...rest }: Draft) => ({
  ...rest,
  expiresAt: momentOf(until, ownZone()) ?? until,
  ...(reason.trim() !== '' && { reason: reason.trim() }),
})

export function OverrideForm({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const groups = useReport('GET /resource-groups', { query: { limit: 100 } }).data?.items ?? []
  const options = [{ value: '', title: 'Choose one' }, ...groups.map(({ id, name }) => ({ value: id, title: name }))]
  const fields = ({ scopeType, scopeID }: Draft, set: (changes: Partial<Draft>) => void): FormField<Draft>[] => [
    { name: 'scopeType', label: 'Scope', kind: 'choice', options: kinds, also: () => ({ scopeID: '' }) },
    scopeType === 'resource_group'
      ? { name: 'scopeID', label: 'Group', kind: 'choice', options }
      : {
          at: '/scopeID',
          show: (problem) => (
            <>
              <PickResource
                label="Resource"
                chosen={scopeID === '' ? [] : [scopeID]}
                schedulable
                onPick={(_: InventoryResource | undefined, uid: string) => set({ scopeID: uid })}
                onRemove={() => set({ scopeID: '' })}
              />
              <WrongHere problem={problem} at="/scopeID" />
            </>
          ),
        },
    { name: 'desiredState', label: 'State', kind: 'choice', options: states },
    {
      name: 'until',
      label: `Until (time zone ${ownZone()})`,
      kind: 'datetime-local',
      at: '/expiresAt',
      help: 'at most 30 days',
      isRequired: true,
    },
    { name: 'reason', label: 'Reason', maxLength: 500, help: 'visible to others' },
  ]
  return (
    <Form
      noun="override"
      begun={startDraft}
      fields={fields}
      body={bodyOf}
      create="POST /overrides"
      isDisabled={({ scopeID }) => scopeID === ''}
      confirm={(draft) => ({
        title: 'Create this override?',
        action: words[draft.desiredState]!.action,
        children: (
          <Happens
            body={bodyOf(draft)}
            named={groups.find(({ id }) => id === draft.scopeID)?.name ?? draft.scopeID}
            zone={ownZone()}
          />
        ),
      })}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

const words: Readonly<Record<string, { action: string; done: string; costs: string }>> = {
  running: {
    action: 'Start and keep running',
    done: 'started',
    costs: 'While running, it incurs its usual hourly cost.',
  },
  stopped: {
    action: 'Stop and keep stopped',
    done: 'stopped',
    costs: 'While stopped, it is unavailable to users.',
  },
}

/** US dollars an hour, null where nobody told them; undefined while they are not known. */
function useRate(uid: string): number | null | undefined {
  const found = useReport('POST /resources/by-uids', { body: { uids: [uid] }, when: uid !== '' && may('space.view') })
  const resourceID = found.data?.length === 1 ? found.data[0]!.id : ''
  const context = useReport('GET /resources/:resourceID/context', {
    params: { resourceID },
    when: resourceID !== '' && may('service.view'),
  })
  return context.data?.hourlyRateUSD
}

interface HappensProps {
  body: { scopeType: string; scopeID: string; desiredState: string; expiresAt: string }
  named: string
  zone: string
}

function Happens({ body: { scopeType, scopeID, desiredState, expiresAt }, named, zone }: HappensProps) {
  const { done, costs } = words[desiredState]!
  const rate = useRate(scopeType === 'resource' ? scopeID : '')
  const end = Number.isNaN(Date.parse(expiresAt)) ? expiresAt : zonedText(expiresAt, zone)
  return (
    <>
      <p>
        <strong dir="auto">{named}</strong> is {done} now if it is not {desiredState} already, and schedules do not
        affect it until {end}. Then its schedules apply again.
      </p>
      <p>
        {rate === undefined ? costs : priceText(desiredState === 'running' ? 'start' : 'stop', rate)} You can end the
        override at any time; that does not undo a start or stop.
      </p>
      <CostOf uids={scopeType === 'resource' && scopeID !== '' ? [scopeID] : []} label="It" />
    </>
  )
}
