/** The rules in their order, each with what it moves. */
import type { Ref } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem } from '../../problem.ts'
import { pluralize, usd } from '../../figure.ts'
import { go, hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { Act } from '../../part/act.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { useSeen } from '../../part/use-seen.ts'
import { FromTag } from './from-tag.tsx'
import { DeleteAllocation, DeleteShared } from './delete.tsx'
import type { Policies, Policy } from './policies.ts'
import type { Names } from './names.ts'
import { allocationText, inOrder, sharedText, withoutIt, type AllocationSpec } from './rule-text.ts'

interface RulesProps {
  policies: Policies
  names: Names
  onDone: () => void
}

export function AllocationRules({ policies: { items = [], report }, names, onDone }: RulesProps) {
  const { deleting, setDeleting, close, isThere, done } = useDeleting(onDone)
  const columns: Column<RuleRow>[] = [
    {
      title: 'Order',
      show: ({ at }) => `${at + 1}.`,
      sub: ({ rule }) => <span class="nowrap">priority {(rule.spec as AllocationSpec).priority}</span>,
    },
    ruleColumn(names, allocationText),
    { title: 'Moves', isFigure: true, show: ({ rule }) => <AllocationReach key={rule.version} rule={rule} /> },
    deleteColumn(setDeleting),
  ]
  return (
    <ListView
      title="Resource rules"
      noun="rules for resources"
      caption="Rules for resources, in evaluation order"
      about="the first rule that assigns a team to a resource wins; amounts cover the last 30 days"
      report={report}
      rows={() => inOrder(items.filter(isThere)).map((rule, at) => ({ rule, at }))}
      columns={columns}
      keyOf={({ rule }) => rule.id}
      intro={deleting && <DeleteAllocation key={deleting.id} rule={deleting} onClose={close} onDone={done} />}
      empty={{
        whole: (
          <FromTag
            onMade={onDone}
            otherwise={
              <p>
                <Next needs="service.create" what="Creating a rule">
                  <a href={hrefOf('allocation', { new: 'allocation' })}>Create a rule</a> by a tag or an account.
                </Next>
              </p>
            }
          />
        ),
      }}
    />
  )
}

/** The rule that is asked about, and those that were deleted here: what they move is not asked for while the list is still the old one. */
function useDeleting(onDone: () => void) {
  const [deleting, setDeleting] = useState<Policy | undefined>()
  const [gone, setGone] = useState<readonly string[]>([])
  const close = () => setDeleting(undefined)
  const done = () => {
    setGone([...gone, deleting!.id])
    close()
    onDone()
  }
  return { deleting, setDeleting, close, isThere: ({ id }: Policy) => !gone.includes(id), done }
}

interface RuleRow {
  rule: Policy
  at: number
}

const ruleColumn = (
  names: Names,
  textOf: (spec: unknown, names: ReadonlyMap<string, string>) => string,
): Column<RuleRow> => ({
  title: 'Rule',
  text: ({ rule }) => rule.name,
  show: ({ rule: { id, name, enabled } }) => (
    <>
      <Clip text={name} size="wide" href={hrefOf('allocation', { rule: id })} />{' '}
      {!enabled && <span class="badge">disabled</span>}
    </>
  ),
  sub: ({ rule }) => <span dir="auto">{textOf(rule.spec, names.names)}</span>,
})

const deleteColumn = (onDelete: (rule: Policy) => void): Column<RuleRow> => ({
  title: 'Actions',
  isAction: true,
  show: ({ rule }) => (
    <span class="nowrap">
      <Act
        needs="service.update"
        isSmall
        class="quiet"
        label={`Edit ${rule.name}`}
        onClick={() => go('allocation', { rule: rule.id })}
      >
        Edit
      </Act>{' '}
      <Act needs="service.delete" isSmall class="quiet" label={`Delete ${rule.name}`} onClick={() => onDelete(rule)}>
        Delete
      </Act>
    </span>
  ),
})

interface ReachProps {
  place: Ref<HTMLSpanElement>
  problem: Problem | undefined
  usd: number | undefined
  isEnabled: boolean
  note: string
}

/** An amount that is requested once it is seen. */
const Reach = ({ place, problem, usd: amount, isEnabled, note }: ReachProps) => (
  <>
    <span ref={place}>
      {problem ? (
        <span class="faint" title={problem.message}>
          unknown
        </span>
      ) : amount === undefined ? (
        '…'
      ) : (
        usd(amount)
      )}
    </span>
    {amount !== undefined && (
      <span class="faint">
        {isEnabled ? '' : 'would move: '}
        {note}
      </span>
    )}
  </>
)

/** What would be elsewhere without the rule; of one that is off, what it would move. */
function AllocationReach({ rule }: { rule: Policy }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const spec = rule.enabled ? withoutIt(rule.spec as AllocationSpec) : rule.spec
  const { data, problem } = useReport('POST /allocation/policies/preview', {
    body: { policyID: rule.id, spec },
    when: isSeen,
    on: ['costs.changed'],
  })
  const resources = data?.moved.reduce((sum, one) => sum + one.resources, 0) ?? 0
  return (
    <Reach
      place={place}
      problem={problem}
      usd={data?.totalUsd30d}
      isEnabled={rule.enabled}
      note={pluralize(resources, 'resource')}
    />
  )
}

export function SharedRules({ policies: { items = [], report }, names, onDone }: RulesProps) {
  const { deleting, setDeleting, close, isThere, done } = useDeleting(onDone)
  const columns: Column<RuleRow>[] = [
    ruleColumn(names, sharedText),
    { title: 'Distributes', isFigure: true, show: ({ rule }) => <SharedReach key={rule.version} rule={rule} /> },
    deleteColumn(setDeleting),
  ]
  return (
    <ListView
      title="Shared costs"
      noun="rules for shared costs"
      caption="Rules for shared costs, oldest first"
      about="if two rules select the same line, the older one distributes it; amounts cover the last 30 days"
      report={report}
      rows={() => items.filter(isThere).map((rule, at) => ({ rule, at }))}
      columns={columns}
      keyOf={({ rule }) => rule.id}
      intro={deleting && <DeleteShared key={deleting.id} rule={deleting} onClose={close} onDone={done} />}
      empty={{
        title: 'No shared costs are distributed.',
        children: (
          <p>
            A rule distributes support, taxes, credits, or what one team runs for all.{' '}
            <Next needs="service.create" what="Creating one">
              <a href={hrefOf('allocation', { new: 'shared-cost' })}>Create the first one</a>.
            </Next>
          </p>
        ),
      }}
    />
  )
}

function SharedReach({ rule }: { rule: Policy }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const { data, problem } = useReport('POST /shared-cost/policies/preview', {
    body: { policyID: rule.id, spec: rule.spec },
    when: isSeen,
    on: ['costs.changed'],
  })
  return (
    <Reach
      place={place}
      problem={problem}
      usd={data?.movedUsd30d}
      isEnabled={rule.enabled}
      note={`of ${usd(data?.selectedUsd30d ?? 0)}`}
    />
  )
}
