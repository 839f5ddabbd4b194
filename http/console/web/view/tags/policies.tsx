/** Tagging policies with what each has come to, and accepting all that one derives. */
import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { useRequest, useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Meter } from '../../part/meter.tsx'
import { Next } from '../../part/next-step.tsx'
import { useSeen } from '../../part/use-seen.ts'
import { usePolicies, type Policy } from '../allocation/policies.ts'
import { conditionText, type Selector } from '../allocation/rule-text.ts'

type Coverage = Reply<'GET /tagging/policies/:policyID/coverage'>
interface Spec {
  tag: { key: string; value: { fields: readonly string[]; join?: string } }
  selector?: Selector
}

/** As people read the fields that a value is made of. */
const fieldText = (field: string): string => field.replace(/^res\./, '').replaceAll('_', ' ')

const specText = (given: unknown): string => {
  const { tag, selector } = given as Spec
  const where = (selector?.all ?? []).map((one) => conditionText(one)).join(', and ')
  return `${tag.key}: ${tag.value.fields.map(fieldText).join(` ${tag.value.join ?? ''} `)}${where ? `; where ${where}` : ''}`
}

export function Policies({ onDecided }: { onDecided: () => void }) {
  const { items, report } = usePolicies('tagging')
  const [accepting, setAccepting] = useState<Policy | undefined>()
  const [round, setRound] = useState(0)
  const columns: Column<Policy>[] = [
    {
      title: 'Policy',
      text: ({ name }) => name,
      sub: ({ enabled, spec, lastError }) => (
        <>
          {!enabled && <span class="badge">disabled</span>} {specText(spec)}
          {lastError && <span class="note bad what">skipped: {lastError}</span>}
        </>
      ),
    },
    { title: 'Coverage', isLong: true, csv: () => '', show: ({ id }) => <PolicyCoverage key={round} id={id} /> },
    {
      title: 'Pending resources',
      count: ({ pendingResources = 0 }) => pendingResources,
      sub: ({ cutResources = 0 }) =>
        cutResources > 0 && `${pluralize(cutResources, 'resource')} skipped: too many tags`,
    },
    {
      title: 'Accept',
      isAction: true,
      show: (one) => (
        <Act
          needs="service.update"
          isSmall
          label={`Accept all tags from ${one.name}`}
          onClick={() => setAccepting(one)}
        >
          Accept all…
        </Act>
      ),
    },
  ]
  const decided = () => {
    setRound(round + 1)
    onDecided()
  }
  return (
    <ListView
      title="Tagging policies"
      noun="tagging policies"
      caption="Tagging policies, oldest first"
      about="if two policies set the same key, the older one wins; costs of the last 30 days"
      report={report}
      rows={() => items ?? []}
      columns={columns}
      intro={accepting && <AcceptAll policy={accepting} onClose={() => setAccepting(undefined)} onDone={decided} />}
      empty={{
        title: 'No tagging policies yet.',
        children: (
          <p>
            A policy derives tags from resource attributes, such as <code>location</code> from provider and region.{' '}
            <Next needs="service.create" what="Creating one">
              Create one with <code>POST /policies</code> and domain <code>tagging</code>, or with{' '}
              <code>npm run -s tidemark -- policy apply</code>.
            </Next>
          </p>
        ),
      }}
    />
  )
}

function PolicyCoverage({ id }: { id: string }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const { data, problem } = useReport('GET /tagging/policies/:policyID/coverage', {
    params: { policyID: id },
    when: isSeen,
    on: ['costs.changed'],
  })
  if (problem)
    return (
      <span ref={place} class="faint" title={problem.message}>
        unknown
      </span>
    )
  if (!data)
    return (
      <span ref={place} class="faint">
        …
      </span>
    )
  return (
    <span ref={place}>
      <CoverageText data={data} />
    </span>
  )
}

const CoverageText = ({ data: { matched, derived, accepted, pending, costUsd30d } }: { data: Coverage }) => (
  <>
    <Meter value={accepted} max={derived} label="Share of derived tags accepted">
      {count(accepted)} of {pluralize(derived, 'resource')} accepted, {usd(costUsd30d.accepted)}
    </Meter>
    <span class="faint">
      matches {count(matched)}; {pending > 0 ? `${count(pending)} pending, ${usd(costUsd30d.pending)}` : 'none pending'}
    </span>
  </>
)

interface AcceptProps {
  policy: Policy
  onClose: () => void
  onDone: () => void
}

/** How often a run is asked after, milliseconds. */
const askMs = 1000

function AcceptAll({ policy, onClose, onDone }: AcceptProps) {
  const doing = useRequest('POST /smart-tags/accept-all')
  const id = doing.done?.id
  const run = useReport('GET /smart-tags/accept-all/:runID', { params: { runID: id ?? '' }, when: id !== undefined })
  const coverage = useReport('GET /tagging/policies/:policyID/coverage', { params: { policyID: policy.id } })
  const hasEnded = run.data !== undefined && run.data.endedAt !== null
  useEffect(() => {
    if (id === undefined || run.isAsking) return
    if (hasEnded) return onDone()
    const timer = setTimeout(run.again, askMs)
    return () => clearTimeout(timer)
  }, [id, run.isAsking, hasEnded])
  if (id !== undefined)
    return (
      <p class="note" role="status">
        {hasEnded
          ? (run.data!.failure ?? `Accepted for ${pluralize(run.data!.resources, 'resource')}.`)
          : `Accepting tags from ${policy.name}…`}{' '}
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </p>
    )
  return (
    <Confirm
      title={`Accept all tags from ${policy.name}?`}
      action="Accept all"
      doing={doing}
      request={{ operation: 'POST /smart-tags/accept-all', body: { policyID: policy.id } }}
      onConfirm={() => void doing.run({ body: { policyID: policy.id } })}
      onClose={onClose}
    >
      <p>
        {coverage.data ? (
          <>
            <strong>{pluralize(coverage.data.pending, 'resource')}</strong> pending, with{' '}
            {usd(coverage.data.costUsd30d.pending)} in the last 30 days.{' '}
          </>
        ) : (
          ''
        )}
        The tags apply immediately to all past months where the cloud has no tag with that key. Nothing is written to a
        cloud.
      </p>
      <p>You can undo this per resource or by deleting the policy.</p>
    </Confirm>
  )
}
